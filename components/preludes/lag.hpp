#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/preludes/shape.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::preludes {

/// LAGs:L and LAGx:L: the difference from the word L before, modulo 2^w, or its XOR with it. The
/// first L words stay. Decoding is a scan with stride L over the whole input.
template <class Operation>
struct Lag {
  static constexpr std::string_view name = "LAG";
  static constexpr Shape shape = Shape::Lagged;
  /// A lag that is not less than the number of words changes nothing.
  static constexpr bool parametric = true;
  template <class W>
  static constexpr ParameterRange range{1, std::uint64_t{1} << 48};
};

struct LagSub : Lag<LagSub> {
  static constexpr std::string_view suffix = "s", type = "LagSub";
  static constexpr std::uint8_t wire = 0;

  template <class W>
  FPSYNTH_INLINE static constexpr W forward(W word, W before) {
    return W(word - before);
  }
  template <class W>
  FPSYNTH_INLINE static constexpr W backward(W difference, W before) {
    return W(difference + before);
  }
};

struct LagXor : Lag<LagXor> {
  static constexpr std::string_view suffix = "x", type = "LagXor";
  static constexpr std::uint8_t wire = 1;

  template <class W>
  FPSYNTH_INLINE static constexpr W forward(W word, W before) {
    return W(word ^ before);
  }
  template <class W>
  FPSYNTH_INLINE static constexpr W backward(W difference, W before) {
    return W(difference ^ before);
  }
};

}  // namespace fpsynth::preludes
