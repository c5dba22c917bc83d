#pragma once

#include <emmintrin.h>

#include "components/teams/simd/portable.hpp"

namespace fpsynth::teams {

/// Any x86-64 processor: SSE2.
struct Baseline : Portable<Baseline, 16> {
  template <class W>
  FPSYNTH_INLINE static std::uint64_t differ(Vector<W> a, Vector<W> b) {
    const auto equal = a == b;  // -1 or 0 per lane
    std::uint64_t bits;
    if constexpr (sizeof(W) == 1) {
      bits = std::uint64_t(_mm_movemask_epi8(reinterpret_cast<__m128i>(equal)));
    } else if constexpr (sizeof(W) == 4) {
      bits = std::uint64_t(_mm_movemask_ps(reinterpret_cast<__m128>(equal)));
    } else {
      bits = std::uint64_t(_mm_movemask_pd(reinterpret_cast<__m128d>(equal)));
    }
    return ~bits & words::low_mask(kLanes<W>);
  }
};

}  // namespace fpsynth::teams
