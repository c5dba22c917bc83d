#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/preludes/shape.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::preludes {

/// ORD: floating-point values as unsigned integers in the same order: a negative one's bits are
/// flipped, of others the sign bit is set. Differences across zero are then small. NaNs come after
/// the infinities of their sign.
struct Ord {
  static constexpr std::string_view name = "ORD", suffix = "", type = "Ord";
  static constexpr std::uint8_t wire = 2;
  static constexpr Shape shape = Shape::Mapped;
  static constexpr bool parametric = false;
  template <class W>
  static constexpr ParameterRange range{};

  template <class W>
  FPSYNTH_INLINE static constexpr W forward(W word) {
    return W(word ^ (W(W{0} - (word >> kSign<W>)) | kSignBit<W>));
  }
  template <class W>
  FPSYNTH_INLINE static constexpr W backward(W ordered) {
    return W(ordered ^ (W((ordered >> kSign<W>)-W{1}) | kSignBit<W>));
  }

 private:
  template <class W>
  static constexpr unsigned kSign = words::kBits<W> - 1;
  template <class W>
  static constexpr W kSignBit = W(W{1} << kSign<W>);
};

}  // namespace fpsynth::preludes
