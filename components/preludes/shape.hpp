#pragma once

#include <cstddef>
#include <cstdint>

namespace fpsynth::preludes {

/// The way in which a step of a prelude makes words of words. Runners execute steps by their shape
/// and need to know nothing else of them.
enum class Shape : std::uint8_t {
  Lagged,    ///< from a word and the one that is `parameter` words before it
  Mapped,    ///< from the word alone
  Ranked,    ///< the word's rank among the distinct ones, which are side data
  Excepted,  ///< from the word alone, but some words are side data
};

/// True if steps of a shape take values out of the words, which a file must then hold beside them.
constexpr bool takes_values(Shape shape) {
  return shape == Shape::Ranked || shape == Shape::Excepted;
}
template <class Step>
inline constexpr bool has_side_data = takes_values(Step::shape);

/// True if steps of a shape would, in place, read words that they have already overwritten.
constexpr bool reads_apart(Shape shape) {
  return shape == Shape::Lagged || shape == Shape::Excepted;
}

/// The numbers that may follow the colon in a step's text: 1 to `most` or 0 to `most`.
struct ParameterRange {
  std::uint64_t least = 0, most = 0;
};

/// The most steps of a prelude.
inline constexpr std::size_t kMostSteps = 3;

}  // namespace fpsynth::preludes
