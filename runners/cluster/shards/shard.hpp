#pragma once
// A shard: a fixed share of the chunks of every data set and precision of a study. The shards of a
// study are searched by programs that know nothing of one another, an array job of a scheduler for
// example, and merged afterwards (shard_results.hpp).

#include <cstdint>
#include <string>
#include <string_view>

#include "results/documents/document.hpp"

namespace fpsynth::cluster {

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

}  // namespace fpsynth::cluster
