#pragma once
// The values (cd_values) of the HDF5 filter for all methods: how a method is packed into them.
// runners/codec/format/FORMAT.md defines every bit, under "In HDF5".

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "synth/prelude.hpp"

namespace fpsynth::hdf5 {

/// The filter's number, from those that The HDF Group leaves for private use.
inline constexpr int kFilterId = 63824;

/// Values that a user gives.
struct Options {
  synth::Method method;
  std::size_t word_bytes = 0;  ///< 8, 4, 2, 1, or 0: as the data set's elements
  std::size_t chunk_words = synth::kChunkWords;
};

/// A data set's chunks, which the filter adds behind the user's values when it is created.
struct Chunks {
  std::size_t word_bytes = 0;
  /// Big-endian elements are turned before they are packed, this many bytes at a time; 0: not.
  std::size_t turned = 0;
  bool resized = false;     ///< a filter before this one may change how many bytes a chunk has
  std::uint64_t bytes = 0;  ///< of each chunk; 0: not known
};

/// The values of options, 14 at most. Throws Error if a file could not hold them.
std::vector<unsigned> pack(const Options& options);

/// Options, from values that may be anything, and the values behind them. Throws Error.
Options unpack(std::span<const unsigned> values, std::span<const unsigned>& behind);

/// Adds chunks, and a checksum of all values, to the values of options.
void append(std::vector<unsigned>& values, const Chunks& chunks);
/// The chunks in all values, of which some are `behind` those of options. Throws Error.
Chunks unpack_chunks(std::span<const unsigned> values, std::span<const unsigned> behind);

}  // namespace fpsynth::hdf5
