#pragma once
// Shards, and the results of those of a study, each in a directory of its own, which
// `fpsynth search --shard` wrote: which of them are there, and their sum, the documents of an
// undivided search.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/document.hpp"
#include "results/documents/study.hpp"

namespace fpsynth::cluster {

/// A fixed share of the chunks of every data set and precision of a study. The shards of a study
/// are searched by programs that know nothing of one another, an array job of a scheduler for
/// example.
struct Shard {
  std::uint64_t index = 1;  ///< from 1 to `count`
  std::uint64_t count = 1;

  /// A study is divided into so many at most: more than array jobs have tasks.
  static constexpr std::uint64_t kMost = 1'000'000;

  /// "3/64", or "auto/64", which takes the number from the environment variable
  /// SLURM_ARRAY_TASK_ID. Throws UsageError.
  static Shard parse(std::string_view text);
  /// "3/64".
  std::string text() const;
  /// The name of the directory of its results: "shard-03-of-64".
  std::string directory_name() const;

  /// The shard's share of so many chunks; empty if there are fewer chunks than shards and it has
  /// none of them. Shares of the same number of chunks differ by one chunk at most.
  results::ChunkRange share(std::uint64_t chunks) const;

  friend bool operator==(const Shard&, const Shard&) = default;
};

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
