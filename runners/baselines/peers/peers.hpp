#pragma once
// The general-purpose peers: other projects' compressors, called through their libraries. Those of
// library <x> are in <x>.cpp, which is a module of that name (runners/modules/module.hpp).

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/throughput/throughput.hpp"
#include "runners/baselines/compressor.hpp"

namespace fpsynth::baselines {

/// In the order of the tables.
struct Peers {
  std::vector<Compressor> present;
  std::vector<results::Missing> missing;  ///< with how to get them
};
Peers all_peers();

/// Each module defines this. It appends its library's compressors to `present`, and to `missing`
/// those that this copy of the library lacks.
extern "C" void fpsynth_add_peers(Peers& peers);

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
         .compress = [=, level = level](
                         std::span<const std::byte> input, synth::Precision,
                         std::vector<std::byte>& file) { compress(input, level, name, file); },
         .decompress = [=](std::span<const std::byte> file, synth::Precision,
                           std::span<std::byte> original) { decompress(file, original, name); }});
  }
}

}  // namespace fpsynth::baselines
