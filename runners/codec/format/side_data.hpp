#pragma once
// What steps of preludes keep besides the words.

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

}  // namespace fpsynth::codec
