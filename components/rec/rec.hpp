#pragma once

#include <cstdint>
#include <string_view>

#include "components/shrunk_bitmap.hpp"

namespace fpsynth::components {

/// REC: as RRE, but bytes of the bitmap that repeat are left out, as are those of the bitmap that
/// tells which ones do.
struct Rec : ShrunkBitmapReducer<Rec, ChangedWords> {
  static constexpr std::string_view name = "REC";
  static constexpr std::uint8_t wire = 10;
};

}  // namespace fpsynth::components
