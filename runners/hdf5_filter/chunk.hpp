#pragma once
// The steps that every HDF5 filter of ours has: which values a data set has for it, how many bytes
// its chunks have, and how a chunk's new bytes take the place of the old ones.

#include <cstddef>
#include <cstdint>

#include "runners/hdf5_filter/host.hpp"

namespace fpsynth::hdf5 {

/// A filter in the list of a data set's.
struct Listed {
  unsigned flags = 0;
  unsigned values[192] = {};  ///< the first ones; no filter of ours has as many
  std::size_t count = 0;
  bool resized = false;  ///< a filter before it may change how many bytes a chunk has
};

/// Finds filter `id`; returns false if HDF5 does not.
inline bool find(const Host& host, Id properties, int id, Listed& listed) {
  for (unsigned i = 0;; ++i) {
    unsigned config = 0;
    listed.count = sizeof listed.values / sizeof listed.values[0];
    const int found = host.get_filter(properties, i, &listed.flags, &listed.count, listed.values, 0,
                                      nullptr, &config);
    if (found < 0 || found == id) return found == id;
    listed.resized = listed.resized || found != kShuffle;
  }
}

/// The most bytes that the filters before ours make of a chunk. Those that The HDF Group lists make
/// incompressible data a few per cent larger, and add a header.
inline std::uint64_t most_resized(std::uint64_t chunk_bytes) { return 2 * chunk_bytes + 65536; }

/// The most bytes that `stored` bytes may claim to have been in a data set that does not note the
/// size of its chunks. Only chunks of a single value pack better than this, and large ones of them
/// alone are refused.
inline std::uint64_t most_unnoted(std::uint64_t stored) {
  return stored < 65536 ? std::uint64_t{1} << 26 : stored * 1024;
}

/// The bytes of a data set's chunk, whose extent HDF5 passes as `space`. 0 if there are none.
inline std::uint64_t chunk_bytes(const Host& host, Id type, Id space) {
  const std::int64_t elements = host.points(space);
  return elements > 0 ? static_cast<std::uint64_t>(elements) * host.type_size(type) : 0;
}

/// Memory of the calling HDF5, freed unless it becomes a chunk.
class ChunkMemory {
 public:
  ChunkMemory(const Host& host, std::size_t bytes)
      : host_(host), bytes_(bytes), memory_(bytes ? host.allocate(bytes) : nullptr) {}
  ChunkMemory(const ChunkMemory&) = delete;
  ChunkMemory& operator=(const ChunkMemory&) = delete;
  ~ChunkMemory() {
    if (memory_) host_.release(memory_);
  }
  void* get() const { return memory_; }  ///< null without memory
  /// Replaces HDF5's buffer, and returns `written`, the result of the filter.
  std::size_t replace(void** buffer, std::size_t* buffer_bytes, std::size_t written) {
    host_.release(*buffer);
    *buffer = memory_;
    *buffer_bytes = bytes_;
    memory_ = nullptr;
    return written;
  }

 private:
  const Host& host_;
  std::size_t bytes_;
  void* memory_;
};

}  // namespace fpsynth::hdf5
