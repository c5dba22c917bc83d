#pragma once
// Side data that grow while a step collects them.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "runners/codec/format/side_data.hpp"

namespace fpsynth::codec {

/// Doubles the capacity of `side` as long as it is less than `count`. Returns false without memory.
/// Level: as for WordParts.
template <class Level, class W>
bool reserve(SideData<W>& side, std::size_t& capacity, std::size_t count, bool positions) {
  if (count <= capacity) return true;
  std::size_t larger = capacity ? capacity : 1024;
  while (larger < count) larger *= 2;
  void* const values = std::realloc(side.values, larger * sizeof(W));
  if (!values) return false;
  side.values = static_cast<W*>(values);
  if (positions) {
    void* const at = std::realloc(side.positions, larger * sizeof(std::uint64_t));
    if (!at) return false;
    side.positions = static_cast<std::uint64_t*>(at);
  }
  capacity = larger;
  return true;
}

}  // namespace fpsynth::codec
