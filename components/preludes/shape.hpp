#pragma once

#include <cstddef>
#include <cstdint>

namespace fpsynth::preludes {

/// How a step of a prelude makes words of words, which is all that those who execute it need to
/// know.
enum class Shape : std::uint8_t {
  Lagged,    ///< from a word and the one that is `parameter` words before it
  Mapped,    ///< from the word alone
  Ranked,    ///< the word's rank among the distinct ones, which are side data
  Excepted,  ///< from the word alone, but some words are side data
};

/// Whether steps of a shape take values out of the words, which a file must then hold beside them.
constexpr bool takes_values(Shape shape) {
  return shape == Shape::Ranked || shape == Shape::Excepted;
}
template <class Step>
inline constexpr bool has_side_data = takes_values(Step::shape);

/// Whether they read words where others have been written if they work in place.
constexpr bool reads_apart(Shape shape) {
  return shape == Shape::Lagged || shape == Shape::Excepted;
}

/// What may follow the colon in a step's text, 1 to `most` or 0 to `most`.
struct ParameterRange {
  std::uint64_t least = 0, most = 0;
};

/// The most steps of a prelude.
inline constexpr std::size_t kMostSteps = 3;

}  // namespace fpsynth::preludes
