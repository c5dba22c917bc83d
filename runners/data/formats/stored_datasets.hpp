#pragma once
// HDF5 files as they are stored, for what writes them anew: the data sets with their chunks and
// filters, their values block by block, and whether two files are the same but for that. libhdf5
// stands behind it, in the module that also reads variables.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fpsynth::data {

using Extents = std::vector<std::uint64_t>;  ///< slowest first

/// The product of extents.
inline std::uint64_t volume(const Extents& extents) {
  std::uint64_t product = 1;
  for (const std::uint64_t extent : extents) product *= extent;
  return product;
}

struct StoredDataset {
  std::vector<std::string> names;  ///< of all its hard links, each "/group/name"
  std::string type;                ///< "float32", "int16", "compound"
  /// The size of its elements if they are IEEE floats or integers of 8 or 4 bytes; 0 otherwise.
  std::size_t word_bytes = 0;
  bool big_endian = false;
  Extents extents;         ///< of what is written; empty for one value
  Extents chunk;           ///< empty if it has no chunks
  std::string filters;     ///< "shuffle, deflate"; may be empty
  std::string refusal;     ///< why its values cannot be read; empty if they can
  bool elsewhere = false;  ///< whether other files hold values of it
  std::uint64_t stored_bytes = 0;

  const std::string& name() const { return names.front(); }
  std::uint64_t bytes() const { return volume(extents) * word_bytes; }
};

/// An open file. Its functions throw Error with the cause alone.
class StoredFile {
 public:
  virtual ~StoredFile() = default;
  /// All data sets, in the order in which the file lists them.
  virtual std::vector<StoredDataset> datasets() = 0;
  /// Reads a block of a data set of a word size, in the byte order of the file. The values of the
  /// block beyond the data set's extents are its fill value, as in a chunk of HDF5's.
  virtual void read(const StoredDataset& dataset, const Extents& origin, const Extents& extents,
                    std::span<std::byte> values) = 0;
};

/// The functions of the module.
struct StoredFunctions {
  std::unique_ptr<StoredFile> (*open)(const std::filesystem::path& file);
  /// The bytes that libhdf5 makes of values with its filters shuffle and deflate of a level, in
  /// chunks. The extents are whole chunks.
  std::uint64_t (*deflated_bytes)(std::span<const std::byte> values, std::size_t word_bytes,
                                  const Extents& extents, const Extents& chunk, unsigned level);
  /// Reads all of a file. Returns true if it has attributes that HDF5's first format has no room
  /// for. Throws Error, which names the first object or attribute that cannot be read, or that
  /// h5repack cannot copy.
  bool (*survey)(const std::filesystem::path& file);
  /// Makes the references in `other` lead to objects of the same names as those in `one`: h5repack
  /// leaves those within records. Then throws Error, which names the first difference, unless the
  /// files have the same groups, links, attributes, types and data sets, and these the same
  /// extents, fill values and, unless their name is among those `without_values`, which are sorted,
  /// values, all to the bit. Object and region references are the same if they lead to objects of
  /// the same name.
  void (*compare)(const std::filesystem::path& one, const std::filesystem::path& other,
                  std::span<const std::string> without_values);
  /// The folders in which libhdf5 looks for plugins, separated by colons.
  std::string (*plugin_path)();
};
extern "C" {
extern const StoredFunctions fpsynth_stored;
}

/// The module's functions. Throws Error, which says what to install, if the module is missing.
const StoredFunctions& stored_functions();

}  // namespace fpsynth::data
