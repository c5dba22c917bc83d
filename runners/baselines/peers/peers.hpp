#pragma once
// The general-purpose peers: other projects' compressors, called through their libraries. Those of
// library <x> are in <x>.cpp, which is a module of that name (runners/modules/module.hpp).

#include <cstddef>
#include <functional>
#include <span>
#include <string>
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

/// The calls of a library, each on a block of whole words. It decompresses only what it has
/// compressed itself, in the same process, and which is compared with the original.
struct PeerCalls {
  /// The most bytes of what encode() makes of so many.
  std::function<std::size_t(std::size_t bytes)> bound;
  /// Compresses a block and returns the size, or 0 if it does not shrink. Throws Error.
  std::function<std::size_t(std::span<const std::byte> block, std::span<std::byte> out)> encode;
  /// Restores a block, which `out` fills. Returns false if that fails.
  std::function<bool(std::span<const std::byte> block, std::span<std::byte> out)> decode;
  /// The bytes of a block: most libraries count in 32 bits.
  std::size_t block = std::size_t{1} << 30;
};

/// A compressor on one thread, whose files have the size of each block (8 bytes) in front of it,
/// and at the end the bytes behind the last whole word of 8. A block that does not shrink is
/// stored.
Compressor peer(std::string name, std::string version,
                std::function<PeerCalls(synth::Precision)> calls_for);
/// Of a library to which all words are bytes.
inline Compressor peer(std::string name, std::string version, PeerCalls calls) {
  return peer(std::move(name), std::move(version),
              [calls = std::move(calls)](synth::Precision) { return calls; });
}

/// The size. Throws Error unless the library has succeeded.
std::size_t size_if(bool succeeded, std::size_t size);

}  // namespace fpsynth::baselines
