#pragma once
// The two precisions of the papers: IEEE 754 doubles and singles, handled as unsigned words.

#include <cstddef>
#include <optional>
#include <string_view>

namespace fpsynth::synth {

enum class Precision { Double, Single };

/// The precisions in the order in which documents and tables list them.
inline constexpr Precision kPrecisions[] = {Precision::Double, Precision::Single};

constexpr std::size_t word_bytes(Precision precision) {
  return precision == Precision::Double ? 8 : 4;
}

constexpr std::string_view to_string(Precision precision) {
  return precision == Precision::Double ? "double" : "single";
}

constexpr std::optional<Precision> precision_called(std::string_view text) {
  for (const Precision precision : kPrecisions) {
    if (text == to_string(precision)) return precision;
  }
  return std::nullopt;
}

}  // namespace fpsynth::synth
