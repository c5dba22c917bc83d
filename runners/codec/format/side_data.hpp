#pragma once
// Side data: the values that steps of preludes keep beside the words.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "components/words/bits.hpp"

namespace fpsynth::codec {

/// The values that a step takes out of the words: the keys of DICT, ascending, or the exceptions of
/// DEC with their positions among the words, ascending. A view; SideMemory owns.
template <class W>
struct SideData {
  W* values = nullptr;
  std::uint64_t* positions = nullptr;  ///< null: there are none
  std::size_t count = 0;
};

/// Side data in memory that malloc() gives: code that is compiled for several instruction sets, and
/// generated code, can use neither vectors nor exceptions.
template <class W>
class SideMemory {
 public:
  SideMemory() = default;
  SideMemory(const SideMemory&) = delete;
  SideMemory& operator=(const SideMemory&) = delete;
  ~SideMemory() {
    std::free(data.values);
    std::free(data.positions);
  }
  SideData<W> data;
};

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
