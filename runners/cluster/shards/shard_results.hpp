#pragma once
// The results of the shards of a study, each in a directory of its own, which
// `fpsynth search --shard` wrote: which of them are there, and their sum, the documents of an
// undivided search.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "results/documents/document.hpp"
#include "results/documents/study.hpp"
#include "runners/cluster/shards/shard.hpp"

namespace fpsynth::cluster {

/// A list of numbers in ascending order as `sbatch --array` takes it: "3,7,9-12"; "" for none.
std::string array_text(std::span<const std::uint64_t> numbers);

class ShardResults {
 public:
  /// Finds the shards in `places`: directories that hold directories "shard-K-of-N", or such
  /// directories themselves. Throws Error, which names the directories and what is wrong, if there
  /// are none, if two hold the same shard or parts of different studies or divisions, and for an
  /// undivided search.
  explicit ShardResults(std::span<const std::filesystem::path> places);

  /// The number of shards into which the study was divided.
  std::uint64_t count() const { return count_; }
  /// The study, as that of an undivided search.
  results::StudyIdentity study() const;
  /// The documents of the study.
  const std::vector<results::PlannedDocument>& documents() const { return study_.documents; }

  /// Numbers of shards of which there is nothing, or that are not finished; ascending.
  const std::vector<std::uint64_t>& absent() const { return absent_; }
  const std::vector<std::uint64_t>& unfinished() const { return unfinished_; }

  /// True if a directory is that of a shard, or holds such a directory.
  bool are_in(const std::filesystem::path& directory) const;

  /// The document of all chunks. Its shards, of which none may be missing, are read one after the
  /// other; `reading`, if given, is called before each and may throw. Throws Error, which names the
  /// file, if one is damaged, holds other chunks than those of its shard, or is of other data (by
  /// the checksum), another search or another version of the program.
  results::Document merged(const results::PlannedDocument& document,
                           const std::function<void(const Shard&)>& reading = nullptr) const;

 private:
  struct Directory {
    std::filesystem::path path;
    Shard shard;
    bool finished = false;
  };
  void add(const std::filesystem::path& directory);
  bool has_its_documents(const Directory& directory) const;

  std::vector<Directory> directories_;  ///< by the shard's number
  results::StudyIdentity study_;        ///< of the first directory
  std::uint64_t count_ = 0;
  std::vector<std::uint64_t> absent_, unfinished_;
};

}  // namespace fpsynth::cluster
