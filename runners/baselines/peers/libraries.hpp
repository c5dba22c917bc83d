#pragma once
// One function per library. Each appends its library's compressors, and to `missing` those that
// this copy of the library lacks. Function add_x() is in x.cpp, which is compiled only if the
// library is installed: the build decides which of these declarations are used.

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/baselines/compressor.hpp"

namespace fpsynth::baselines {

struct Peers {
  std::vector<Compressor> present;
  std::vector<Missing> missing;
};

/// A level of a library, and how its tool's command line selects it.
struct Level {
  int level;
  const char* option;
};

/// Appends a compressor per level, named "<tool> <option>", for a library that takes any bytes. It
/// calls compress(input, level, name, file) and decompress(file, original, name).
template <class Compress, class Decompress>
void add_levels(Peers& peers, std::string_view tool, std::initializer_list<Level> levels,
                const std::string& version, Compress compress, Decompress decompress) {
  for (const auto [level, option] : levels) {
    const std::string name = std::string(tool) + " " + option;
    peers.present.push_back(
        {.name = name,
         .version = version,
         .threads = 1,
         .precisions = {synth::Precision::Double, synth::Precision::Single},
         .compress = [=, level = level](
                         std::span<const std::byte> input, synth::Precision,
                         std::vector<std::byte>& file) { compress(input, level, name, file); },
         .decompress = [=](std::span<const std::byte> file, synth::Precision,
                           std::span<std::byte> original) { decompress(file, original, name); }});
  }
}

void add_bzip2(Peers& peers);
void add_zlib(Peers& peers);
void add_lzo(Peers& peers);
void add_zstd(Peers& peers);
void add_lz4(Peers& peers);
void add_fpzip(Peers& peers);
void add_xz(Peers& peers);
void add_zfp(Peers& peers);
void add_blosc(Peers& peers);

}  // namespace fpsynth::baselines
