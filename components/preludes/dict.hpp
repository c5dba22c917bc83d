#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/preludes/ord.hpp"
#include "components/preludes/shape.hpp"

namespace fpsynth::preludes {

/// DICT: words replaced by their rank among the distinct ones, in the order of ORD. The distinct
/// words, ordered and mapped by ORD, are side data.
struct Dict {
  static constexpr std::string_view name = "DICT", suffix = "", type = "Dict";
  static constexpr std::uint8_t wire = 3;
  static constexpr Shape shape = Shape::Ranked;
  static constexpr bool parametric = false;
  template <class W>
  static constexpr ParameterRange range{};

  /// The key by which words are ordered, and that the side data hold.
  template <class W>
  FPSYNTH_INLINE static constexpr W key(W word) {
    return Ord::forward(word);
  }
  /// The word with a key.
  template <class W>
  FPSYNTH_INLINE static constexpr W word(W key) {
    return Ord::backward(key);
  }
};

}  // namespace fpsynth::preludes
