#pragma once

#include "components/lnv/lnv.hpp"

namespace fpsynth::components {

/// LNVns: the residual is the difference modulo 2^w.
struct LnvSub : Lnv<LnvSub, words::Plus> {
  static constexpr std::string_view suffix = "s";
  static constexpr std::uint8_t wire = 4;
  template <class T>
  FPSYNTH_INLINE static constexpr auto residual(T value, T prediction) {
    return value - prediction;
  }
};

}  // namespace fpsynth::components
