#pragma once
// Counts of blocks, and the order of the bits of masks, with AVX2.

#include <immintrin.h>

#include "components/teams/simd/avx2_tables.hpp"
#include "components/teams/simd/portable.hpp"

namespace fpsynth::teams {

/// The functions of the level Self, which derives from it, that BlockCounter and
/// deinterleave_bits() call.
template <class Self>
struct Avx2Counting : Portable<Self, 32> {
  using Base = Portable<Self, 32>;
  using Bytes = typename Base::template Vector<std::uint8_t>;

  FPSYNTH_INLINE static std::size_t sum_bytes(Bytes bytes) {
    return std::size_t(sum_of((typename Base::template Vector<std::uint64_t>)_mm256_sad_epu8(
        (__m256i)bytes, _mm256_setzero_si256())));
  }

  /// As in Portable. What is zero is counted by adding comparisons, which are -1.
  template <class W>
  FPSYNTH_INLINE static void literals(const std::byte* in, std::size_t groups,
                                      std::uint64_t* byte_bits, std::uint64_t* word_bits,
                                      Counts& nonzero) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i zero_words = zero;
    std::size_t zero_bytes = 0;
    auto* const word_bytes = reinterpret_cast<std::uint8_t*>(word_bits);
    for (std::size_t g = 0; g < groups;) {
      const std::size_t end = g + 127 < groups ? g + 127 : groups;  // counters are bytes
      __m256i bytes = zero;
#pragma GCC unroll 2
      for (; g < end; ++g) {
        const std::byte* const at = in + 64 * g;
        const __m256i low = load(at), high = load(at + 32);
        bytes = _mm256_add_epi8(
            bytes, _mm256_add_epi8(_mm256_cmpeq_epi8(low, zero), _mm256_cmpeq_epi8(high, zero)));
        byte_bits[g] = ~equal_to_prior<std::uint8_t>(at, low, high);
        if constexpr (sizeof(W) > 1) {
          zero_words =
              (__m256i)((typename Base::template Vector<W>)zero_words +
                        (typename Base::template Vector<W>)((typename Base::template Vector<W>)
                                                                low == 0) +
                        (typename Base::template Vector<W>)((typename Base::template Vector<W>)
                                                                high == 0));
          const std::uint64_t bits = ~equal_to_prior<W>(at, low, high);
          std::memcpy(word_bytes + g * (8 / sizeof(W)), &bits, 8 / sizeof(W));
        }
      }
      zero_bytes += sum_bytes(Bytes(_mm256_sub_epi8(zero, bytes)));
    }
    nonzero.second += 64 * groups - zero_bytes;
    if constexpr (sizeof(W) > 1) {
      W lanes[Base::template kLanes<W>];
      std::memcpy(lanes, &zero_words, sizeof(lanes));
      std::size_t sum = 0;
      for (const W lane : lanes) sum += W(0 - lane);
      nonzero.first += 64 / sizeof(W) * groups - sum;
    }
  }
  FPSYNTH_INLINE static std::uint64_t sum_runs(const std::uint64_t* literals, std::size_t masks,
                                               std::uint64_t* begins, Counts& sums) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i set = zero, begun = zero;  // in bytes: at most 8 for each of 16 packs
    std::uint64_t none = 0;
    for (std::size_t i = 0; i < masks; i += 4) {
      const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(literals + i));
      const __m256i before = _mm256_srli_epi64(
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(literals + i - 1)), 63);
      const __m256i differ =
          _mm256_xor_si256(bits, _mm256_or_si256(_mm256_add_epi64(bits, bits), before));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(begins + i), differ);
      set = _mm256_add_epi8(set, count_in_bytes(bits));
      begun = _mm256_add_epi8(begun, count_in_bytes(differ));
      const __m256i empty = _mm256_cmpeq_epi64(differ, zero);
      none |= std::uint64_t(_mm256_movemask_pd(_mm256_castsi256_pd(empty))) << i;
    }
    sums.first += sum_bytes(Bytes(set));
    sums.second += sum_bytes(Bytes(begun));
    return none;
  }

  FPSYNTH_INLINE static void separate_bits(const std::uint8_t* in, std::size_t bytes,
                                           std::uint8_t* out) {
    // For each nibble: its even bits, and its odd bits four places higher.
    const __m256i apart =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0x00, 0x01, 0x10, 0x11, 0x02, 0x03, 0x12, 0x13,
                                                  0x20, 0x21, 0x30, 0x31, 0x22, 0x23, 0x32, 0x33));
    const __m256i low = _mm256_set1_epi8(15), pair = _mm256_set1_epi16(0x1001);
    const auto nibbles = [&](const std::uint8_t* at) {
      const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
      const __m256i high = _mm256_and_si256(_mm256_srli_epi16(x, 4), low);
      // At most 0x33, so that a shift by two stays within a byte.
      return _mm256_or_si256(_mm256_shuffle_epi8(apart, _mm256_and_si256(x, low)),
                             _mm256_slli_epi16(_mm256_shuffle_epi8(apart, high), 2));
    };
    // Joins the low nibbles of two bytes each.
    const auto joined = [&](__m256i a, __m256i b) {
      const __m256i packed =
          _mm256_packus_epi16(_mm256_maddubs_epi16(_mm256_and_si256(a, low), pair),
                              _mm256_maddubs_epi16(_mm256_and_si256(b, low), pair));
      return _mm256_permute4x64_epi64(packed, 0xd8);
    };
    std::size_t i = 0;
    for (; i + 64 <= bytes; i += 64) {
      const __m256i a = nibbles(in + i), b = nibbles(in + i + 32);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i / 2), joined(a, b));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + bytes / 2 + i / 2),
                          joined(_mm256_srli_epi16(a, 4), _mm256_srli_epi16(b, 4)));
    }
    Base::separate_bits_from(i, in, bytes, out);
  }
  FPSYNTH_INLINE static void bit_columns(const std::uint8_t* in, std::size_t rows,
                                         std::uint8_t* out) {
    std::size_t row = 0;
    for (; row + 32 <= rows; row += 32) {
      __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + row));
      for (std::size_t bit = 8; bit-- > 0; x = _mm256_add_epi8(x, x)) {
        const std::uint32_t column = std::uint32_t(_mm256_movemask_epi8(x));
        std::memcpy(out + bit * (rows / 8) + row / 8, &column, sizeof(column));
      }
    }
    Base::bit_columns_from(row, in, rows, out);
  }

  static constexpr bool kGathersBits = true;
  template <std::size_t K>
  FPSYNTH_INLINE static void gather_bits(const std::uint8_t* in, std::size_t rows,
                                         std::uint8_t* out, std::size_t stride) {
    const __m256i low = _mm256_set1_epi8(15);
    for (std::size_t row = 0; row < rows; row += 32) {
      __m256i lows[K], highs[K];
      for (std::size_t c = 0; c < K; ++c) {
        const __m256i x = load(reinterpret_cast<const std::byte*>(in + c * rows + row));
        lows[c] = _mm256_and_si256(x, low);
        highs[c] = _mm256_and_si256(_mm256_srli_epi16(x, 4), low);
      }
      for (std::size_t d = 0; d < K; ++d) {
        __m256i bits = _mm256_setzero_si256();
        for (std::size_t c = 0; c < K; ++c) {
          const auto& table = avx2::kGatheredBits<K>.of[d][c];
          bits = _mm256_or_si256(
              bits, _mm256_or_si256(looked_up(table[0], lows[c]), looked_up(table[1], highs[c])));
        }
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + d * stride + row), bits);
      }
    }
  }

 private:
  FPSYNTH_INLINE static __m256i looked_up(const std::uint8_t (&table)[16], __m256i indices) {
    const __m128i half = _mm_load_si128(reinterpret_cast<const __m128i*>(table));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(half), indices);
  }
  FPSYNTH_INLINE static __m256i load(const std::byte* at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  }
  /// A bit for each W of the 64 bytes `low`, `high` at `at` that equals the one before it.
  template <class W>
  FPSYNTH_INLINE static std::uint64_t equal_to_prior(const std::byte* at, __m256i low,
                                                     __m256i high) {
    using Words = typename Base::template Vector<W>;
    return Self::template equal<W>((Words)low, (Words)load(at - sizeof(W))) |
           Self::template equal<W>((Words)high, (Words)load(at + 32 - sizeof(W)))
               << Base::template kLanes<W>;
  }
  FPSYNTH_INLINE static std::uint64_t sum_of(typename Base::template Vector<std::uint64_t> lanes) {
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
  }
  /// The number of bits that are set in each byte.
  FPSYNTH_INLINE static __m256i count_in_bytes(__m256i bits) {
    const __m256i low = _mm256_set1_epi8(15), table = _mm256_broadcastsi128_si256(_mm_setr_epi8(
                                                  0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bits, 4), low);
    return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(bits, low)),
                           _mm256_shuffle_epi8(table, high));
  }
};

}  // namespace fpsynth::teams
