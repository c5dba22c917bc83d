#pragma once
// h5repack, what it takes, and how it is run.

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "runners/repack/repack.hpp"
#include "synth/common/child_program.hpp"

namespace fpsynth::repack {

/// h5repack has room for names of fewer bytes.
inline constexpr std::size_t kMostNameBytes = 256;
/// The most bytes of an option, without the names.
inline constexpr std::size_t kMostOptionBytes = 512;

/// True if the options for a data set cannot stand in a file, where a blank ends each of them and
/// 1023 bytes is the most, so that they stand in the command line.
bool on_command_line(const data::StoredDataset& dataset);

/// Throws Error, which names `target`, if the disk of `path` has no room for so many bytes, or none
/// at all.
void refuse_full_disk(const std::filesystem::path& path, const std::filesystem::path& target,
                      std::uint64_t bytes = 0);

/// h5repack, and the folder of its options and its output. Throws Error, which says what to
/// install or to set, if one of them is missing.
class Copier {
 public:
  Copier();
  /// Writes `file` anew to a path that exists, as planned. Throws Error, which has the last words
  /// of h5repack, or says that the disk is full.
  void write(const std::filesystem::path& file, const std::filesystem::path& out, const Plan& plan,
             const Options& options);

 private:
  TemporaryFolder folder_{"options", "log"};
};

}  // namespace fpsynth::repack
