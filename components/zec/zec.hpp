#pragma once

#include <cstdint>
#include <string_view>

#include "components/shrunk_bitmap.hpp"

namespace fpsynth::components {

/// ZEC: as ZE, but bytes of the bitmap that repeat are left out, as are those of the bitmap that
/// tells which ones do.
struct Zec : ShrunkBitmapReducer<Zec, NonzeroWords> {
  static constexpr std::string_view name = "ZEC";
  static constexpr std::uint8_t wire = 9;
};

}  // namespace fpsynth::components
