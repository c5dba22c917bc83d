#pragma once
// The chunks of an array of Zarr: the files in its directory.

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runners/data/formats/zarr_metadata.hpp"
#include "synth/common/mapped_file.hpp"

namespace fpsynth::data {

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

/// Throws Error, whose text is that of modules::loaded(), if the decoder of chunks is missing.
void check_decoder(std::string_view name);

}  // namespace fpsynth::data
