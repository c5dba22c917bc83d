#pragma once
// External peers: compressors that are programs, described in a JSON file. Anybody's compressor can
// so be compared without a library to link with.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runners/timing/timed_codec.hpp"
#include "synth/common/value_type.hpp"

namespace fpsynth::baselines {

/// A compressor that commands run, with "{here}" replaced by the folder of its description.
struct ExternalPeer {
  using Command = std::vector<std::string>;
  std::string name;
  std::string version;  ///< the first line that its version command prints
  std::string missing;  ///< the reason why that command does not run; else empty
  int threads = 1;
  double limit = 3600;  ///< seconds that a command may take
  std::vector<synth::Precision> precisions;
  bool integers = false;  ///< whether {type} may be that of integers
  Command compress, decompress;

  /// True if the commands report their seconds; if not, a lap is that of a whole command.
  bool times_itself() const;
};

/// Reads a description (configs/README.md) and asks each of its peers for its version. Throws Error
/// if the file is wrong.
std::vector<ExternalPeer> read_external_peers(const std::filesystem::path& path);

/// A codec that runs the commands on files in a temporary folder. Throws Error if a command fails,
/// with its status and the last line that it printed.
std::unique_ptr<timing::TimedCodec> timed_external(const ExternalPeer& peer, synth::ValueType type);

}  // namespace fpsynth::baselines
