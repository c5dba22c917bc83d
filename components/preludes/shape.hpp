#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace fpsynth::preludes {

/// The way in which a step of a prelude makes words of words. Runners execute steps by their shape
/// and need to know nothing else of them.
enum class Shape : std::uint8_t {
  Lagged,     ///< from a word and the one that is `parameter` words before it
  Mapped,     ///< from the word alone
  Ranked,     ///< the word's rank among the distinct ones, which are side data
  Excepted,   ///< from the word alone, but some words are side data
  Selected,   ///< as Excepted, in one of several ways that a selector for each block names
  Permuted,   ///< the words themselves, in another order
  Divided,    ///< divided by what divides all words of their block, which is side data
  Matched,    ///< those that are no copies of others; where copies stood is side data
  Predicted,  ///< less what words before it in its block predict, with coefficients in side data
};

/// True if some words are side data, with their positions.
constexpr bool has_exceptions(Shape shape) {
  return shape == Shape::Excepted || shape == Shape::Selected;
}
/// True if steps of a shape take values out of the words, which a file must then hold beside them.
constexpr bool takes_values(Shape shape) {
  return shape == Shape::Ranked || shape == Shape::Divided || shape == Shape::Matched ||
         shape == Shape::Predicted || has_exceptions(shape);
}
template <class Step>
inline constexpr bool has_side_data = takes_values(Step::shape);

/// True if steps of a shape would, in place, read words that they have already overwritten.
constexpr bool reads_apart(Shape shape) {
  return shape == Shape::Lagged || shape == Shape::Permuted || has_exceptions(shape);
}

/// True if steps of a shape do nothing where there are no more words than their parameter says.
constexpr bool idle_on_few(Shape shape) {
  return shape == Shape::Lagged || shape == Shape::Permuted;
}

/// The numbers that may follow the colon in a step's text: `least` to `most`, or the powers of two
/// among these.
struct ParameterRange {
  std::uint64_t least = 0, most = 0;
  bool powers_of_two = false;

  constexpr bool has(std::uint64_t number) const {
    return number >= least && number <= most && (!powers_of_two || (number & (number - 1)) == 0);
  }
};

/// True if a step is for words of type W: those that compute with floating-point values have ranges
/// without numbers for words of 2 bytes and 1.
template <class Step, class W>
inline constexpr bool suits = Step::template range<W>.least <= Step::template range<W>.most;

/// Words of the shortest copy of any step whose shape is Matched.
inline constexpr std::size_t kShortestCopy = 8;

/// Words of the shortest blocks of a step whose shape is Predicted, and the numbers of side data
/// that each of its blocks has.
inline constexpr std::size_t kFewestPredicted = 256, kPredictionNumbers = 9;

/// The most divisors of a step whose shape is Selected.
inline constexpr std::size_t kMostDivisors = 15;

/// The divisors of a step whose shape is Selected; none for steps of other shapes. Selector j of a
/// block stands for the j-th one, from 1, and 0 for none. A divisor is a whole number up to kWhole,
/// or the bits of a double, which are more.
struct Divisors {
  std::uint64_t of[kMostDivisors] = {};  ///< the first `count`; the others are 0
  std::size_t count = 0;

  constexpr Divisors() = default;
  template <class... Numbers>
  constexpr explicit Divisors(std::uint64_t first, Numbers... others)
      : of{first, std::uint64_t(others)...}, count(1 + sizeof...(others)) {}

  /// Appends one; there must be room.
  constexpr void add(std::uint64_t divisor) { of[count++] = divisor; }
  /// True if there is one or more, they ascend, and all are positive and finite.
  constexpr bool suit() const {
    if (count < 1 || count > kMostDivisors) return false;
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (of[i] <= before || of[i] > kGreatest) return false;
      before = of[i];
    }
    return true;
  }
  static constexpr std::uint64_t kWhole = std::uint64_t{1} << 53, kGreatest = 0x7fefffffffffffff;

  friend auto operator<=>(const Divisors&, const Divisors&) = default;
};

/// The most steps of a prelude.
inline constexpr std::size_t kMostSteps = 5;

}  // namespace fpsynth::preludes
