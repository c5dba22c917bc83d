#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/preludes/ord.hpp"
#include "components/preludes/shape.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::preludes {

/// DICTM: words replaced by the rank r of their magnitude, all bits but the sign, among the
/// distinct ones, or by -r - 1 if their sign is set. The distinct magnitudes are side data as
/// DICT's words are.
struct Dictm {
  static constexpr std::string_view name = "DICTM", suffix = "", type = "Dictm";
  static constexpr std::uint8_t wire = 8;
  static constexpr Shape shape = Shape::Ranked;
  static constexpr bool parametric = false;
  template <class W>
  static constexpr ParameterRange range{};
  static constexpr bool kShared = true;

  // As for Dict.
  template <class W>
  FPSYNTH_INLINE static constexpr W key(W word) {
    return W(word | kSign<W>);  // ORD's of the magnitude
  }
  template <class W>
  FPSYNTH_INLINE static constexpr W word(W key) {
    return Ord::backward(key);
  }
  template <class W>
  FPSYNTH_INLINE static constexpr W ranked(W word, W rank) {
    return W(rank ^ signs(word));
  }
  template <class W>
  FPSYNTH_INLINE static constexpr W rank(W ranked) {
    return W(ranked ^ signs(ranked));
  }
  template <class W>
  FPSYNTH_INLINE static constexpr W restored(W magnitude, W ranked) {
    return W(magnitude ^ (ranked & kSign<W>));
  }

 private:
  template <class W>
  static constexpr W kSign = W(W{1} << (words::kBits<W> - 1));
  /// All bits set if the highest is, and else none.
  template <class W>
  FPSYNTH_INLINE static constexpr W signs(W word) {
    return W(W{0} - (word >> (words::kBits<W> - 1)));
  }
};

}  // namespace fpsynth::preludes
