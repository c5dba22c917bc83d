#pragma once

namespace fpsynth::components {

/// A component: a family, and its n if the family has a parameter.
template <class F, unsigned N = 0>
struct Use {
  using Family = F;
  static constexpr unsigned parameter = N;
  static_assert(F::parametric ? N >= 1 && N <= 64 : N == 0,
                "n is 1..64 for DIM and LNV; other families have none");
};

}  // namespace fpsynth::components
