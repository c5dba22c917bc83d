#pragma once
// One function per library, each in its peer_<library>.cpp, which is compiled only where the
// library is there. They append the compressors made of it, and what this copy of it cannot do to
// `missing`.

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

/// Appends a compressor per level, named "<tool> -<level>", of a library that takes any bytes.
/// compress(input, level, name) and decompress(file, original_bytes, name) are its functions.
template <class Compress, class Decompress>
void add_levels(Peers& peers, std::string_view tool, std::initializer_list<int> levels,
                const std::string& version, Compress compress, Decompress decompress) {
  for (const int level : levels) {
    const std::string name = std::string(tool) + " -" + std::to_string(level);
    peers.present.push_back(
        {.name = name,
         .version = version,
         .threads = 1,
         .precisions = {synth::Precision::Double, synth::Precision::Single},
         .compress = [=](std::span<const std::byte> input,
                         synth::Precision) { return compress(input, level, name); },
         .decompress =
             [=](std::span<const std::byte> file, synth::Precision, std::size_t original_bytes) {
               return decompress(file, original_bytes, name);
             }});
  }
}

void add_bzip2(Peers& peers);
void add_zlib(Peers& peers);
void add_lzo(Peers& peers);
void add_zstd(Peers& peers);
void add_lz4(Peers& peers);
void add_fpzip(Peers& peers);
void add_blosc(Peers& peers);

}  // namespace fpsynth::baselines
