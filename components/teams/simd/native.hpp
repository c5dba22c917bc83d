#pragma once
// The simd team of the best level whose instructions the compiler may use in the including file:
// for programs in which all code is compiled once per level.

#include "components/teams/simd/native_level.hpp"
#include "components/teams/simd/portable.hpp"
#include "components/teams/simd/team.hpp"

#if defined(FPSYNTH_NATIVE_AVX512)
#include "components/teams/simd/avx512.hpp"
namespace fpsynth::teams {
using NativeTeam = SimdTeam<Avx512>;
inline constexpr const char* kNativeName = "avx512";
}  // namespace fpsynth::teams
#elif defined(FPSYNTH_NATIVE_AVX2)
#include "components/teams/simd/avx2.hpp"
namespace fpsynth::teams {
using NativeTeam = SimdTeam<Avx2>;
inline constexpr const char* kNativeName = "avx2";
}  // namespace fpsynth::teams
#else
#include "components/teams/simd/baseline.hpp"
namespace fpsynth::teams {
using NativeTeam = SimdTeam<Baseline>;
inline constexpr const char* kNativeName = "baseline";
}  // namespace fpsynth::teams
#endif

static_assert(fpsynth::teams::Team<fpsynth::teams::NativeTeam>);
