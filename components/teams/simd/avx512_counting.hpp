#pragma once
// Counts of blocks, and the order of the bits of masks, with AVX-512.

#include <immintrin.h>

#include "components/teams/simd/portable.hpp"

namespace fpsynth::teams {

/// The functions of the level Self, which derives from it, that BlockCounter and
/// deinterleave_bits() call.
template <class Self>
struct Avx512Counting : Portable<Self, 64> {
  using Base = Portable<Self, 64>;

  /// As in Portable. Bytes are counted by adding, since comparisons share one port.
  template <class W>
  FPSYNTH_INLINE static void literals(const std::byte* in, std::size_t groups,
                                      std::uint64_t* byte_bits, std::uint64_t* word_bits,
                                      Counts& nonzero) {
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi8(1);
    __m512i words = zero;
    auto* const word_bytes = reinterpret_cast<std::uint8_t*>(word_bits);
    for (std::size_t g = 0; g < groups;) {
      const std::size_t end = g + 255 < groups ? g + 255 : groups;  // counters are bytes
      __m512i bytes = zero;
      for (; g < end; ++g) {
        const std::byte* const at = in + 64 * g;
        const __m512i here = _mm512_loadu_si512(at);
        bytes = _mm512_add_epi8(bytes, _mm512_min_epu8(here, one));
        byte_bits[g] = _mm512_cmpneq_epu8_mask(here, _mm512_loadu_si512(at - 1));
        if constexpr (sizeof(W) == 8) {
          words = _mm512_mask_add_epi64(words, _mm512_test_epi64_mask(here, here), words,
                                        _mm512_set1_epi64(1));
          word_bytes[g] = _mm512_cmpneq_epu64_mask(here, _mm512_loadu_si512(at - 8));
        } else if constexpr (sizeof(W) == 4) {
          words = _mm512_mask_add_epi32(words, _mm512_test_epi32_mask(here, here), words,
                                        _mm512_set1_epi32(1));
          const std::uint16_t bits = _mm512_cmpneq_epu32_mask(here, _mm512_loadu_si512(at - 4));
          std::memcpy(word_bytes + 2 * g, &bits, sizeof(bits));
        } else if constexpr (sizeof(W) == 2) {
          words = _mm512_mask_add_epi16(words, _mm512_test_epi16_mask(here, here), words,
                                        _mm512_set1_epi16(1));
          const std::uint32_t bits = _mm512_cmpneq_epu16_mask(here, _mm512_loadu_si512(at - 2));
          std::memcpy(word_bytes + 4 * g, &bits, sizeof(bits));
        }
      }
      nonzero.second += std::size_t(_mm512_reduce_add_epi64(_mm512_sad_epu8(bytes, zero)));
    }
    if constexpr (sizeof(W) == 2) words = _mm512_madd_epi16(words, _mm512_set1_epi16(1));
    nonzero.first += std::size_t(sizeof(W) == 8 ? _mm512_reduce_add_epi64(words)
                                                : _mm512_reduce_add_epi32(words));
  }
  /// For BlockCounter: how many of the bits are set, and how many tokens n words with these literal
  /// bits have. The first and the last beginning of a run in each mask word that has one are
  /// collected in `memory`, since only runs between such words have several tokens. No branch
  /// depends on the data.
  FPSYNTH_INLINE static Counts sum_tokens(const std::uint64_t* literals, std::size_t masks,
                                          std::size_t n, std::uint64_t* memory) {
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi64(1);
    __m512i set = zero, begun = zero;
    // Positions of the first and of the last bit of each mask word.
    __m512i low = _mm512_slli_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), 6);
    __m512i high = _mm512_add_epi64(low, _mm512_set1_epi64(63));
    std::size_t words = 0;
    for (std::size_t i = 0; i < masks; i += 8) {
      const __m512i bits = _mm512_loadu_si512(literals + i);
      const __m512i before = _mm512_loadu_si512(literals + i - 1);
      const __m512i begins = _mm512_xor_si512(bits, _mm512_shldi_epi64(bits, before, 1));
      set = _mm512_add_epi64(set, _mm512_popcnt_epi64(bits));
      begun = _mm512_add_epi64(begun, _mm512_popcnt_epi64(begins));
      const __m512i below = _mm512_andnot_si512(begins, _mm512_sub_epi64(begins, one));
      const __m512i first = _mm512_add_epi64(low, _mm512_popcnt_epi64(below));
      const __m512i last = _mm512_sub_epi64(high, _mm512_lzcnt_epi64(begins));
      const __mmask8 some = _mm512_test_epi64_mask(begins, begins);
      _mm512_storeu_si512(
          memory + words,
          _mm512_maskz_compress_epi64(some, _mm512_or_si512(first, _mm512_slli_epi64(last, 32))));
      words += std::size_t(__builtin_popcount(some));
      low = _mm512_add_epi64(low, _mm512_set1_epi64(512));
      high = _mm512_add_epi64(high, _mm512_set1_epi64(512));
    }
    std::uint64_t end = n;  // ends the last run
    std::memcpy(memory + words, &end, sizeof(end));
    for (std::size_t i = 0; i < words; i += 8) {
      const __m512i last = _mm512_srli_epi64(_mm512_loadu_si512(memory + i), 32);
      const __m512i next =
          _mm512_and_si512(_mm512_loadu_si512(memory + i + 1), _mm512_set1_epi64(0xffffffff));
      const __m512i rest = _mm512_sub_epi64(_mm512_sub_epi64(next, last), one);
      begun = _mm512_mask_add_epi64(begun, __mmask8(fpsynth::words::low_mask(words - i)), begun,
                                    _mm512_srli_epi64(rest, 7));
    }
    return {std::size_t(_mm512_reduce_add_epi64(set)), std::size_t(_mm512_reduce_add_epi64(begun))};
  }

  FPSYNTH_INLINE static void separate_bits(const std::uint8_t* in, std::size_t bytes,
                                           std::uint8_t* out) {
    // In each byte, moves the even bits to the low half and the odd ones to the high half.
    const __m512i apart = _mm512_set1_epi64(0x0104104002082080);
    const __m512i low = _mm512_set1_epi8(15), pair = _mm512_set1_epi16(0x1001);
    const auto joined = [&](__m512i x) {  // the low nibbles of two bytes each
      return _mm512_cvtepi16_epi8(_mm512_maddubs_epi16(_mm512_and_si512(x, low), pair));
    };
    std::size_t i = 0;
    for (; i + 64 <= bytes; i += 64) {
      const __m512i x = _mm512_gf2p8affine_epi64_epi8(_mm512_loadu_si512(in + i), apart, 0);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i / 2), joined(x));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + bytes / 2 + i / 2),
                          joined(_mm512_srli_epi16(x, 4)));
    }
    Base::separate_bits_from(i, in, bytes, out);
  }
  FPSYNTH_INLINE static void bit_columns(const std::uint8_t* in, std::size_t rows,
                                         std::uint8_t* out) {
    std::size_t row = 0;
    for (; row + 64 <= rows; row += 64) {
      __m512i x = _mm512_loadu_si512(in + row);
      for (std::size_t bit = 8; bit-- > 0; x = _mm512_add_epi8(x, x)) {
        const std::uint64_t column = _mm512_movepi8_mask(x);
        std::memcpy(out + bit * (rows / 8) + row / 8, &column, sizeof(column));
      }
    }
    Base::bit_columns_from(row, in, rows, out);
  }
};

}  // namespace fpsynth::teams
