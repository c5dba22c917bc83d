#pragma once
// The general-purpose peers: other projects' compressors, called through their libraries. Function
// add_<x>(Peers&) is in <x>.cpp, which is compiled only if the library is installed. The build
// lists the libraries (runners/CMakeLists.txt).

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/baselines/compressor.hpp"

namespace fpsynth::baselines {

/// A peer that this build or this machine lacks, the reason, and how to get it.
struct Missing {
  std::string name, reason;
};

/// In the order of the tables. Function add_<x>() appends its library's compressors to `present`,
/// and to `missing` those that this copy of the library lacks.
struct Peers {
  std::vector<Compressor> present;
  std::vector<Missing> missing;
};
Peers all_peers();

struct PeerLibrary {
  const char* peers;    ///< the peers that need it
  const char* package;  ///< of Debian and Ubuntu
  void (*add)(Peers&);  ///< null if this build does not have the library
};
extern const std::span<const PeerLibrary> kPeerLibraries;

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
