#pragma once
// The dimensionality of data: how many values a point has where points follow one another.

#include <string>
#include <string_view>

namespace fpsynth::data {

/// The source of a dimensionality: the data's description or measurements on them, the figures that
/// a paper prints of them, a guess, or that all were tried.
enum class DimensionalityFrom { Data, Tables, Guess, Tried };
/// The names of those that descriptions have, in the same order.
inline constexpr std::string_view kDimensionalitySources[] = {"data", "tables", "guess"};

struct Dimensionality {
  unsigned value = 0;  ///< 0: unknown, or a compressor has none
  DimensionalityFrom from = DimensionalityFrom::Data;
};

/// For documents and people; `tried_for` is the compressor for which all were tried. Those that
/// are known begin with "known".
std::string text_of(DimensionalityFrom from, std::string_view tried_for);

}  // namespace fpsynth::data
