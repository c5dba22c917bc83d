#pragma once
// What `compare` and the sweeps time: any compressor, ours or a peer, behind one interface.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "synth/common/precision.hpp"

namespace fpsynth::baselines {

/// A compressor with its parameters set. The functions may be called again and again, by one thread
/// at a time; they use `threads` threads inside. They throw fpsynth::Error for data that the format
/// cannot hold and for files that are none of theirs.
struct Compressor {
  std::string name;     ///< as in the papers' tables: "bzip2 --best", "pFPC -1M", "GFC", "MPC"
  std::string version;  ///< of the library, or of fpsynth
  int threads = 1;      ///< that compress and decompress use
  std::vector<synth::Precision> precisions;  ///< which it can compress
  /// Replaces what `file` holds by the whole compressed file of `input` (little-endian words of a
  /// precision). Who compresses repeatedly passes the same vector: its memory is used again.
  std::function<void(std::span<const std::byte> input, synth::Precision,
                     std::vector<std::byte>& file)>
      compress;
  /// Restores the input to `original`, whose size is that of the input. Refuses anything that is
  /// not a file of an input of that size.
  std::function<void(std::span<const std::byte> file, synth::Precision,
                     std::span<std::byte> original)>
      decompress;

  bool supports(synth::Precision precision) const {
    return std::ranges::find(precisions, precision) != precisions.end();
  }
};

/// A peer that this build or this machine does not have, and why.
struct Missing {
  std::string name, reason;
};

}  // namespace fpsynth::baselines
