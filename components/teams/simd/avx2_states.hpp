#pragma once
// A group of 32 symbols into states and out of them, eight states at a time.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "components/teams/planes.hpp"
#include "components/teams/simd/avx2_tables.hpp"

namespace fpsynth::teams {

/// Whole groups of run_states() of a team of words. `states` is aligned to 32 bytes and has eight
/// for each of `Vectors`, 1, 2 or 4, which symbols take turns with.
struct Avx2States {
  /// Puts the symbols, the last one first. `row` has two numbers for a symbol:
  /// (2^32 - 1) / share, rounded down, and the share and, kShareBits behind it, what is in front of
  /// it, of 2^scale. With `Keep`, the 16 bits that states give are written from number `given` of
  /// `out` on, and up to 64 bytes behind that are overwritten. Returns how many are given then.
  template <bool Keep, std::size_t Vectors>
  FPSYNTH_INLINE static std::size_t put(const std::uint32_t* row, std::uint32_t scale,
                                        const std::uint8_t* symbols, std::uint32_t* states,
                                        std::size_t given, std::uint8_t* out) {
    const __m256i share_mask = all((1u << kShareBits) - 1),
                  turned = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    const __m256i values = all(1u << scale);
    const __m128i up = _mm_cvtsi32_si128(int(32 - scale));
    __m256i own[Vectors], *const in_memory = reinterpret_cast<__m256i*>(states);
    for (std::size_t k = 0; k < Vectors; ++k) own[k] = in_memory[k];
#pragma GCC unroll 4
    for (std::size_t at = kGroupWords; at > 0;) {
      at -= 8;
      const __m256i state = own[at / 8 % Vectors];
      // Loads of both numbers of a symbol take less time than gathering one of them.
      const __m256 low = four_pairs(row, symbols + at), high = four_pairs(row, symbols + at + 2);
      const __m256i reciprocal = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0x88));
      const __m256i both = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0xdd));
      const __m256i share = _mm256_and_si256(both, share_mask);
      const __m256i limit = _mm256_sub_epi32(_mm256_sll_epi32(share, up), all(1));
      const __m256i stays = _mm256_cmpeq_epi32(_mm256_max_epu32(state, limit), limit);
      const std::uint32_t gives = set_lanes(_mm256_permutevar8x32_epi32(stays, turned)) ^ 0xff;
      if (Keep) {
        // Lane 7 gives first.
        const __m256i kept = _mm256_xor_si256(eight_bytes(&avx2::kLanes8.kept[gives]), all(7));
        const __m256i first =
            _mm256_and_si256(_mm256_permutevar8x32_epi32(state, kept), all(0xffff));
        const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(first, first), 0xd8);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 2 * given),
                         _mm256_castsi256_si128(packed));
      }
      given += std::size_t(__builtin_popcount(gives));
      const __m256i less = _mm256_blendv_epi8(_mm256_srli_epi32(state, 16), state, stays);
      // The upper halves of products: of even lanes, and of odd ones.
      const __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(less, reciprocal), 32);
      const __m256i odd =
          _mm256_mul_epu32(_mm256_srli_epi64(less, 32), _mm256_srli_epi64(reciprocal, 32));
      const __m256i times = _mm256_blend_epi32(even, odd, 0xaa);
      // At most 1 too few: then what is left is a share or more.
      const __m256i left = _mm256_sub_epi32(less, _mm256_mullo_epi32(times, share));
      const __m256i enough = _mm256_cmpgt_epi32(share, left);
      const __m256i begin = _mm256_add_epi32(less, _mm256_srli_epi32(both, kShareBits));
      const __m256i each = _mm256_sub_epi32(values, share);
      const __m256i about = _mm256_add_epi32(begin, _mm256_mullo_epi32(times, each));
      own[at / 8 % Vectors] = _mm256_add_epi32(about, _mm256_andnot_si256(enough, each));
    }
    for (std::size_t k = 0; k < Vectors; ++k) in_memory[k] = own[k];
    return given;
  }

  /// Takes the symbols, the first one first. `row` has for each of 2^scale values its symbol, from
  /// bit 8 on how far it is in its share, and from bit 20 on that. The numbers of 16 bits that
  /// states take end at number `end` of `in`, and `taken` of them are taken; up to 80 bytes in
  /// front of the next one are read. Returns how many are taken then.
  template <std::size_t Vectors>
  FPSYNTH_INLINE static std::size_t get(const std::uint32_t* row, std::uint32_t scale,
                                        const std::uint8_t* in, std::size_t end,
                                        std::uint32_t* states, std::size_t taken,
                                        std::uint8_t* symbols) {
    const __m128i down = _mm_cvtsi32_si128(int(scale));
    const __m256i values = all((1u << scale) - 1);
    const std::uint8_t* from = in + 2 * (end - taken) - 16;
    __m256i own[Vectors], found[4], *const in_memory = reinterpret_cast<__m256i*>(states);
    for (std::size_t k = 0; k < Vectors; ++k) own[k] = in_memory[k];
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 4; ++k) {
      const __m256i state = own[k % Vectors];
      found[k] = _mm256_i32gather_epi32(reinterpret_cast<const int*>(row),
                                        _mm256_and_si256(state, values), 4);
      const __m256i times =
          _mm256_mullo_epi32(_mm256_srli_epi32(found[k], 20), _mm256_srl_epi32(state, down));
      const __m256i less = _mm256_add_epi32(
          times, _mm256_and_si256(_mm256_srli_epi32(found[k], 8), all((1u << kShareBits) - 1)));
      const __m256i takes = _mm256_cmpeq_epi32(_mm256_srli_epi32(less, 16), _mm256_setzero_si256());
      const std::uint32_t set = set_lanes(takes);
      // Lane 0 takes the last one.
      const __m256i numbers =
          _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
      const __m256i which = _mm256_xor_si256(eight_bytes(&avx2::kLanes8.before[set]), all(7));
      const __m256i more =
          _mm256_or_si256(_mm256_slli_epi32(less, 16), _mm256_permutevar8x32_epi32(numbers, which));
      own[k % Vectors] = _mm256_blendv_epi8(less, more, takes);
      from -= 2 * __builtin_popcount(set);
    }
    for (std::size_t k = 0; k < Vectors; ++k) in_memory[k] = own[k];
    for (__m256i& symbol : found) symbol = _mm256_and_si256(symbol, all(0xff));
    const __m256i bytes = _mm256_packus_epi16(_mm256_packus_epi32(found[0], found[1]),
                                              _mm256_packus_epi32(found[2], found[3]));
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(symbols),
        _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
    return end - std::size_t(from + 16 - in) / 2;
  }

 private:
  FPSYNTH_INLINE static __m256i all(std::uint32_t number) { return _mm256_set1_epi32(int(number)); }
  FPSYNTH_INLINE static __m256i eight_bytes(const void* bytes) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(bytes)));
  }
  /// Pairs of numbers: of the symbols 0 and 1, and 4 and 5.
  FPSYNTH_INLINE static __m256 four_pairs(const std::uint32_t* row, const std::uint8_t* symbols) {
    const auto two = [=](std::size_t k) FPSYNTH_INLINED {
      const auto* const first = reinterpret_cast<const __m128i*>(row + 2 * symbols[k]);
      const auto* const second = reinterpret_cast<const __m64*>(row + 2 * symbols[k + 1]);
      return _mm_loadh_pi(_mm_castsi128_ps(_mm_loadl_epi64(first)), second);
    };
    return _mm256_set_m128(two(4), two(0));
  }
  FPSYNTH_INLINE static std::uint32_t set_lanes(__m256i lanes) {
    return std::uint32_t(_mm256_movemask_ps(_mm256_castsi256_ps(lanes)));
  }
};

}  // namespace fpsynth::teams
