// Metadata of Zarr, versions 2 and 3: any bytes give an array whose variable can be listed, a
// group, or an Error. The first byte says under which name the others stand.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "runners/data/formats/zarr_metadata.hpp"
#include "synth/common/error.hpp"

namespace {

/// A directory of this process, in memory where the system has such a place.
std::filesystem::path directory() {
  const std::filesystem::path memory = "/dev/shm";
  const auto parent =
      std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
  std::string name = (parent / "fpsynth_zarr_XXXXXX").string();
  if (!mkdtemp(name.data())) std::abort();
  return name;
}

struct Folder {
  const std::filesystem::path path = directory();
  ~Folder() { std::filesystem::remove_all(path); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  if (size == 0) return 0;
  constexpr const char* kNames[] = {".zarray", "zarr.json"};
  const auto metadata = folder.path / kNames[data[0] % 2];
  std::ofstream(metadata, std::ios::binary)
      .write(reinterpret_cast<const char*>(data + 1), std::streamsize(size - 1));
  try {
    const auto array = fpsynth::data::zarr_array(metadata);
    if (array) {
      if (array->chunk.size() != array->shape.size()) std::abort();
      if (array->held && array->codecs.order.size() != array->shape.size()) std::abort();
      const std::string chunk = array->file_of(array->shape);
      if (chunk.empty() || chunk.find("..") != chunk.npos) std::abort();
    }
  } catch (const fpsynth::Error&) {
  }
  std::filesystem::remove(metadata);
  return 0;
}
