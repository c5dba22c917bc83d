#pragma once
// The interface of everything that `compare` and the sweeps time: our compressors and other
// projects' ("peers").

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "synth/common/precision.hpp"

namespace fpsynth::baselines {

/// A compressor with its parameters set. One thread at a time may call the functions, any number of
/// times; they use `threads` threads themselves. They throw fpsynth::Error for data that the format
/// cannot hold and for files in other formats.
struct Compressor {
  std::string name;     ///< as in the papers' tables: "bzip2 --best", "pFPC -1M", "GFC", "MPC"
  std::string version;  ///< of the library, or of fpsynth
  int threads = 1;      ///< number that compress and decompress use
  std::vector<synth::Precision> precisions;  ///< those it can compress
  /// Replaces the contents of `file` by the whole compressed file of `input` (little-endian words
  /// of a precision). Callers that compress repeatedly pass the same vector, so that its memory is
  /// reused.
  std::function<void(std::span<const std::byte> input, synth::Precision,
                     std::vector<std::byte>& file)>
      compress;
  /// Restores the input to `original`, which has the input's size. Throws for anything that is not
  /// a file of an input of that size.
  std::function<void(std::span<const std::byte> file, synth::Precision,
                     std::span<std::byte> original)>
      decompress;

  bool supports(synth::Precision precision) const {
    return std::ranges::find(precisions, precision) != precisions.end();
  }
};

/// A peer that this build or this machine lacks, and the reason.
struct Missing {
  std::string name, reason;
};

}  // namespace fpsynth::baselines
