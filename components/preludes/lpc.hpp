#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "components/preludes/shape.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::preludes {

/// LPC:B: words, integers in two's complement, less what a linear combination of the 16 words
/// before them predicts. Each block of B words has coefficients of its own, which are side data,
/// and zeros before its first word, so that blocks are restored at the same time. All arithmetic
/// is on integers: coefficients are whole numbers over a power of two.
struct Lpc {
  static constexpr std::string_view name = "LPC", suffix = "", type = "Lpc";
  static constexpr std::uint8_t wire = 11;
  static constexpr Shape shape = Shape::Predicted;
  static constexpr bool parametric = true;
  template <class W>
  static constexpr ParameterRange range{kFewestPredicted, 4096, true};

  static constexpr std::size_t kTaps = 16;
  static constexpr unsigned kMostShift = 15;

  /// The coefficients of a block, that of the word before first, times 2^shift.
  struct Taps {
    std::int16_t of[kTaps] = {};
    std::uint32_t shift = 0;

    /// As the numbers of side data: two coefficients each, the first one lowest, and the shift.
    FPSYNTH_INLINE void store(std::uint32_t* numbers) const {
      for (std::size_t k = 0; k < kTaps; k += 2) {
        numbers[k / 2] = std::uint16_t(of[k]) | std::uint32_t{std::uint16_t(of[k + 1])} << 16;
      }
      numbers[kTaps / 2] = shift;
    }
    /// Any numbers are coefficients; false if the shift is none.
    FPSYNTH_INLINE bool load(const std::uint32_t* numbers) {
      for (std::size_t k = 0; k < kTaps; ++k) {
        of[k] = std::int16_t(std::uint16_t(numbers[k / 2] >> (k % 2 * 16)));
      }
      shift = numbers[kTaps / 2];
      return shift <= kMostShift;
    }
  };
  static_assert(kTaps / 2 + 1 == kPredictionNumbers);

  /// The word `i` of a block, which need not be aligned, as an integer modulo 2^64.
  template <class W>
  FPSYNTH_INLINE static std::uint64_t integer(const std::byte* block, std::size_t i) {
    std::make_signed_t<W> word;
    std::memcpy(&word, block + i * sizeof(W), sizeof(W));
    return std::uint64_t(std::int64_t{word});
  }
  /// The prediction of the word `i`.
  template <class W>
  FPSYNTH_INLINE static W predict(const Taps& taps, const std::byte* block, std::size_t i) {
    std::uint64_t sum = std::uint64_t{1} << taps.shift >> 1;
    const auto add = [&](std::size_t k) {
      sum += std::uint64_t(std::int64_t{taps.of[k]}) * integer<W>(block, i - 1 - k);
    };
    for (std::size_t k = 0; i < kTaps && k < i; ++k) add(k);
    for (std::size_t k = 0; i >= kTaps && k < kTaps; ++k) add(k);
    return W(std::int64_t(sum) >> taps.shift);
  }
};

}  // namespace fpsynth::preludes
