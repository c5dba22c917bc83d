#pragma once
// Side data: the values that steps of preludes keep beside the words.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "components/preludes/shape.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::codec {

/// The values that a step takes out of the words: the keys of DICT, ascending, or the exceptions of
/// DEC and RAT with their positions among the words, ascending, or the divisors of GCD's blocks;
/// and what selects the ways of RAT, or the numbers of MATCH's copies or of LPC's
/// coefficients. A view; SideMemory owns.
template <class W>
struct SideData {
  W* values = nullptr;
  std::uint64_t* positions = nullptr;  ///< null: there are none
  std::size_t count = 0;
  preludes::Divisors divisors{};  ///< before a step they are there, too
  /// A byte for each block, and zeros behind them that fill the last word; or for each copy, in
  /// three lists, the literals before it, the words of copies up to its end, and those of copies
  /// before it less its source; or for each block its coefficients.
  std::uint32_t* selectors = nullptr;
  std::size_t selector_words = 0;
};

/// The number of blocks of `block` words, of which the last one may be shorter.
constexpr std::size_t block_count(std::size_t words, std::uint64_t block) {
  return words / std::size_t(block) + (words % std::size_t(block) != 0 ? 1 : 0);
}

/// The words of the selectors of `words` words in blocks of `block`.
constexpr std::size_t selector_words(std::size_t words, std::uint64_t block) {
  const std::size_t in_a_word = std::size_t(block) * sizeof(std::uint32_t);
  return words / in_a_word + (words % in_a_word != 0 ? 1 : 0);
}

/// The most numbers of copies among `words` words.
constexpr std::size_t most_copy_numbers(std::size_t words) {
  return words / preludes::kShortestCopy * 3;
}

/// The most numbers of coefficients for `words` words.
constexpr std::size_t most_prediction_numbers(std::size_t words) {
  return block_count(words, preludes::kFewestPredicted) * preludes::kPredictionNumbers;
}

/// Side data in memory that malloc() gives: code that is compiled for several instruction sets, and
/// generated code, can use neither vectors nor exceptions.
template <class W>
class SideMemory {
 public:
  SideMemory() = default;
  SideMemory(const SideMemory&) = delete;
  SideMemory& operator=(const SideMemory&) = delete;
  ~SideMemory() {
    std::free(data.values);
    std::free(data.positions);
    std::free(data.selectors);
  }
  SideData<W> data;
};

/// Doubles the capacity of `side` as long as it is less than `count`. Returns false without memory.
/// Level: as for WordParts.
template <class Level, class W>
bool reserve(SideData<W>& side, std::size_t& capacity, std::size_t count, bool positions) {
  if (count <= capacity) return true;
  std::size_t larger = capacity ? capacity : 1024;
  while (larger < count) larger *= 2;
  void* const values = std::realloc(side.values, larger * sizeof(W));
  if (!values) return false;
  side.values = static_cast<W*>(values);
  if (positions) {
    void* const at = std::realloc(side.positions, larger * sizeof(std::uint64_t));
    if (!at) return false;
    side.positions = static_cast<std::uint64_t*>(at);
  }
  capacity = larger;
  return true;
}

}  // namespace fpsynth::codec
