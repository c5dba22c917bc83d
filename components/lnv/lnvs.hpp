#pragma once

#include "components/lnv/lnv.hpp"

namespace fpsynth::components {

/// LNVns: the residual is the difference modulo 2^w.
struct LnvSub : Lnv<LnvSub, words::Plus> {
  static constexpr std::string_view suffix = "s";
  static constexpr std::uint8_t wire = 4;
  /// The output of LNV1 on a block's bytes.
  FPSYNTH_INLINE static const std::byte* step(const CountedBlock& in) { return in.differences; }
  template <class T>
  FPSYNTH_INLINE static constexpr auto residual(T value, T prediction) {
    return value - prediction;
  }
};

}  // namespace fpsynth::components
