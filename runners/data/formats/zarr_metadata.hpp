#pragma once
// The metadata of Zarr, versions 2 and 3 of its format: JSON files in a tree of directories, of
// which each is a group or an array.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runners/data/formats/variables.hpp"

namespace fpsynth::data {

/// An array, and how its values lie in the files of its chunks.
struct ZarrArray {
  std::string type;               ///< "float64"
  std::optional<ValueType> held;  ///< nothing for types that are not read
  std::string refusal;            ///< why its chunks cannot be read, where that is not the type
  std::vector<std::uint64_t> shape, chunk;
  std::vector<std::size_t> order;  ///< the axes in a chunk's bytes, slowest first
  bool big_endian = false;
  std::string decoder;                ///< of runners/data/formats/decoders/; empty: chunks are raw
  std::optional<std::uint64_t> fill;  ///< bits of the values of chunks without a file; may be null
  std::string key;                    ///< what the names of all chunks begin with: "", or "c"
  char separator = '.';               ///< between the numbers of a chunk
  std::vector<Attribute> attributes;

  /// The file of a chunk, relative to the array's directory, by its place in the grid of chunks.
  std::string file_of(const std::vector<std::uint64_t>& place) const;
};

/// The array of a directory; nothing for a group. `metadata`: what zarr_metadata() finds there.
/// Throws Error, which names the file in the directory, for metadata that are damaged or have a
/// version other than 2 and 3.
std::optional<ZarrArray> zarr_array(const std::filesystem::path& metadata);

}  // namespace fpsynth::data
