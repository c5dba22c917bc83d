#include "runners/search/race/state/state_file.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::search {

void write_state(const std::filesystem::path& path, const std::vector<std::uint8_t>& state) {
  const std::uint64_t checksum = XXH3_64bits(state.data(), state.size());
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(state)));
  file.write(std::as_bytes(std::span(&checksum, 1)));
  file.commit();
}

std::vector<std::uint8_t> read_state(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    throw Error(fmt::format("cannot read {}; check its permissions", path.string()));
  }
  std::uint64_t checksum = 0;
  if (bytes.size() >= sizeof checksum) {
    std::memcpy(&checksum, bytes.data() + bytes.size() - sizeof checksum, sizeof checksum);
    bytes.resize(bytes.size() - sizeof checksum);
    if (XXH3_64bits(bytes.data(), bytes.size()) == checksum) return bytes;
  }
  throw Error(fmt::format("{} is damaged: its checksum differs; remove it to race from the start",
                          path.string()));
}

}  // namespace fpsynth::search
