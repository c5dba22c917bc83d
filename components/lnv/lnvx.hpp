#pragma once

#include "components/lnv/lnv.hpp"

namespace fpsynth::components {

/// LNVnx: the residual is the exclusive or.
struct LnvXor : Lnv<LnvXor, words::Xor> {
  static constexpr std::string_view suffix = "x";
  static constexpr std::uint8_t wire = 5;
  /// The output of LNV1 on a block's bytes.
  FPSYNTH_INLINE static const std::byte* step(const CountedBlock& in) { return in.exclusive_ors; }
  template <class T>
  FPSYNTH_INLINE static constexpr auto residual(T value, T prediction) {
    return value ^ prediction;
  }
};

}  // namespace fpsynth::components
