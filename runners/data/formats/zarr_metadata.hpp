#pragma once
// The metadata of Zarr, versions 2 and 3 of its format: JSON files in a tree of directories, of
// which each is a group or an array; and the chunks of an array, which are files in its directory.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/data/formats/variables.hpp"

namespace fpsynth {
class MappedFile;
}

namespace fpsynth::data {

struct ZarrShard;

/// The codecs by which the values of a chunk become its bytes.
struct ZarrCodecs {
  std::vector<std::size_t> order;  ///< the axes in the bytes, slowest first
  bool big_endian = false;
  std::shared_ptr<const ZarrShard> shard;  ///< null, or how smaller chunks make the bytes
  /// Those that the bytes then go through: kCrc32c, or the names of decoders (decoders/).
  std::vector<std::string> packed;
};
inline constexpr std::string_view kCrc32c = "crc32c";  ///< a checksum behind the bytes

/// Smaller chunks in the bytes of a chunk, and an index of where they lie.
struct ZarrShard {
  std::vector<std::uint64_t> chunk;  ///< their extents, in the order of the shard's axes
  ZarrCodecs codecs, index;          ///< the index has a size that follows from theirs
  bool index_first = false;          ///< in front of the chunks, not behind them
};

/// An array, and how its values lie in the files of its chunks.
struct ZarrArray {
  std::string type;               ///< "float64"
  std::optional<ValueType> held;  ///< nothing for types that are not read
  std::string refusal;            ///< why its chunks cannot be read, where that is not the type
  std::vector<std::uint64_t> shape, chunk;
  ZarrCodecs codecs;
  std::optional<std::uint64_t> fill;  ///< bits of the values of chunks without a file; may be null
  std::string fill_text;              ///< the value, as a note calls it
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

/// The arrays of which the metadata of a group have copies (consolidated metadata), by their paths
/// in the group, which need not be there. `metadata`: as above. Throws Error for metadata that are
/// damaged; the functions, for copies that are.
using ZarrCopies = std::map<std::string, std::function<ZarrArray()>>;
ZarrCopies zarr_copies(const std::filesystem::path& metadata);

/// The file of a chunk by its name in an array's folder; null if it, or a folder that it would be
/// in, is not there. Throws Error, which names the path, for all else in their places: the values
/// behind a link that leads nowhere are not known, and no fill values.
std::shared_ptr<const MappedFile> chunk_file(const std::filesystem::path& array,
                                             const std::string& name);
/// True if a folder below another one is there, and all those between them. Throws Error likewise.
bool is_folder_in(const std::filesystem::path& folder, const std::filesystem::path& below);

/// Reads all values, little-endian, of an array whose type is read into memory of their size, and
/// returns what is to be said of chunks that are not there. Throws Error, which names the chunk.
std::string read_chunks(const ZarrArray& array, const std::filesystem::path& folder,
                        std::span<std::byte> values);

}  // namespace fpsynth::data
