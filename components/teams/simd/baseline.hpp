#pragma once

#include <emmintrin.h>

#include "components/teams/simd/portable.hpp"

namespace fpsynth::teams {

/// Any x86-64 processor: SSE2.
struct Baseline : Portable<Baseline, 16> {
  template <class W>
  FPSYNTH_INLINE static std::uint64_t equal(Vector<W> a, Vector<W> b) {
    const auto lanes = a == b;  // -1 or 0
    if constexpr (sizeof(W) == 1) {
      return std::uint64_t(_mm_movemask_epi8(reinterpret_cast<__m128i>(lanes)));
    } else if constexpr (sizeof(W) == 2) {
      const __m128i words = reinterpret_cast<__m128i>(lanes);
      return std::uint64_t(_mm_movemask_epi8(_mm_packs_epi16(words, _mm_setzero_si128())));
    } else if constexpr (sizeof(W) == 4) {
      return std::uint64_t(_mm_movemask_ps(reinterpret_cast<__m128>(lanes)));
    } else {
      return std::uint64_t(_mm_movemask_pd(reinterpret_cast<__m128d>(lanes)));
    }
  }
};

}  // namespace fpsynth::teams
