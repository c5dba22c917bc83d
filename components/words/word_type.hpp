#pragma once
// The sizes of words, and the types of words of a size that is known only at run time.

#include <bit>
#include <cstddef>
#include <cstdint>

namespace fpsynth::words {

/// Column of a word size in tables: 1, 2, 4 and 8 bytes are columns 0 to 3.
inline constexpr std::size_t kColumns = 4;
constexpr std::size_t column(std::size_t word_bytes) {
  return std::size_t(std::countr_zero(word_bytes));
}

/// True for 1, 2, 4 and 8.
constexpr bool is_word_size(std::size_t bytes) { return std::has_single_bit(bytes) && bytes <= 8; }

/// f.template operator()<W>() for the unsigned word W of `word_bytes` bytes, which must be a word
/// size.
template <class F>
constexpr decltype(auto) with_word(std::size_t word_bytes, F&& f) {
  switch (word_bytes) {
    case 1:
      return f.template operator()<std::uint8_t>();
    case 2:
      return f.template operator()<std::uint16_t>();
    case 4:
      return f.template operator()<std::uint32_t>();
    default:
      return f.template operator()<std::uint64_t>();
  }
}

}  // namespace fpsynth::words
