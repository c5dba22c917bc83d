#pragma once
// The precisions: words of 8, 4, 2 and 1 bytes, handled as unsigned integers. The papers have
// doubles and singles of IEEE 754.

#include <cstddef>
#include <optional>
#include <string_view>

namespace fpsynth::synth {

enum class Precision { Double, Single, Half, Byte };

/// The precisions in the order in which documents and tables list them.
inline constexpr Precision kPrecisions[] = {Precision::Double, Precision::Single, Precision::Half,
                                            Precision::Byte};
/// Those of the papers.
inline constexpr Precision kPaperPrecisions[] = {Precision::Double, Precision::Single};

constexpr std::size_t word_bytes(Precision precision) { return std::size_t{8} >> int(precision); }

constexpr std::string_view to_string(Precision precision) {
  constexpr std::string_view names[] = {"double", "single", "half", "byte"};
  return names[int(precision)];
}
/// The precision whose words have 8, 4, 2 or 1 bytes.
constexpr Precision precision_of_words(std::size_t word_bytes) {
  return word_bytes == 8   ? Precision::Double
         : word_bytes == 4 ? Precision::Single
         : word_bytes == 2 ? Precision::Half
                           : Precision::Byte;
}

constexpr std::optional<Precision> precision_called(std::string_view text) {
  for (const Precision precision : kPrecisions) {
    if (text == to_string(precision)) return precision;
  }
  return std::nullopt;
}

}  // namespace fpsynth::synth
