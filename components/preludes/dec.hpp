#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/preludes/scaled.hpp"
#include "components/preludes/shape.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::preludes {

/// DEC:d: values that are decimals of d digits become integers. A value x becomes k, the integer
/// nearest to x · 10^d, if Scaled says that k / 10^d has x's bits. Other words (-0, infinities,
/// NaNs, and what is no such decimal) become 0 and are side data, with their positions.
struct Dec {
  static constexpr std::string_view name = "DEC", suffix = "", type = "Dec";
  static constexpr std::uint8_t wire = 4;
  static constexpr Shape shape = Shape::Excepted;
  static constexpr bool parametric = true;
  template <class W>
  static constexpr ParameterRange range{sizeof(W) < 4 ? 1u : 0u, sizeof(W) == 8   ? 15u
                                                                 : sizeof(W) == 4 ? 9u
                                                                                  : 0u};

  /// 10^digits, exactly.
  FPSYNTH_INLINE static constexpr double scale(std::uint64_t digits) {
    double power = 1;
    for (; digits > 0; --digits) power *= 10;
    return power;
  }

  /// Sets `integer`, in two's complement; returns false, and sets it to 0, for an exception.
  template <class W>
  FPSYNTH_INLINE static bool forward(W word, double scale, W& integer) {
    const Scaled<W> scaled(word, scale);
    integer = scaled.integer_if(scaled.exact);
    return scaled.exact;
  }
  /// Any integer has a value, also one that forward() never gives.
  template <class W>
  FPSYNTH_INLINE static W backward(W integer, double scale) {
    return Scaled<W>::word_of(integer, scale);
  }
};

}  // namespace fpsynth::preludes
