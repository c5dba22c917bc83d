#pragma once
// What `compare` and the sweeps time: any compressor, ours or a peer, behind one interface.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "synth/common/precision.hpp"

namespace fpsynth::baselines {

/// A compressor with its parameters set. The functions may be called again and again, by one thread
/// at a time; they use `threads` threads inside. They throw fpsynth::Error.
struct Compressor {
  std::string name;     ///< as in the papers' tables: "bzip2 --best", "pFPC -1M", "GFC", "MPC"
  std::string version;  ///< of the library, or of fpsynth
  int threads = 1;      ///< that compress and decompress use
  std::vector<synth::Precision> precisions;  ///< which it can compress
  /// The whole compressed file of `input` (little-endian words of a precision).
  std::function<std::vector<std::byte>(std::span<const std::byte> input, synth::Precision)>
      compress;
  /// The input again; `original_bytes` is its size, for formats that do not keep it. Refuses
  /// anything that is not such a file.
  std::function<std::vector<std::byte>(std::span<const std::byte> file, synth::Precision,
                                       std::size_t original_bytes)>
      decompress;
};

/// A peer that this build or this machine does not have, and why.
struct Missing {
  std::string name, reason;
};

}  // namespace fpsynth::baselines
