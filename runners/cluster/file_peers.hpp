#pragma once
// A race whose processes are the shards of a study, which know of one another by files alone.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runners/cluster/shards.hpp"
#include "runners/search/race/race.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::cluster {

/// Thrown while other shards have not given their results of a step of a race.
class ShardsMissing : public Error {
 public:
  explicit ShardsMissing(const std::string& message) : Error(message) {}
};

class FilePeers final : public search::Peers {
 public:
  /// Shards that race together have the same `identity`, which names the race and its data. The
  /// `directory`, which is made when it is needed, is this race's alone.
  FilePeers(std::filesystem::path directory, const Shard& shard, std::string identity);

  /// Tells if a shard is running, so that it is worth waiting for. If null, none is.
  std::function<bool(const Shard& shard)> is_running;
  /// Ends the waiting; may be null.
  const std::atomic<bool>* stop = nullptr;
  /// Called once for a step that other shards are waited for, if given.
  std::function<void(std::string_view step, const std::string& shards)> waiting;

  std::size_t rank() const override { return shard_.index - 1; }
  std::size_t count() const override { return shard_.count; }
  /// Writes the shard's file, then waits for those of shards that are running. Throws
  /// ShardsMissing, which names the others, if it is stopped or one that is missing does not run:
  /// when their files are there, the step can be asked for again. Throws Error, which names the
  /// file, if one cannot be written, or read, or is of another race.
  std::vector<std::vector<std::uint8_t>> exchange(std::string_view step,
                                                  std::vector<std::uint8_t> own) override;

 private:
  std::filesystem::path path_of(std::string_view step, const Shard& shard) const;
  void write(std::string_view step, const std::vector<std::uint8_t>& own) const;
  std::vector<std::uint8_t> read(std::string_view step, const Shard& shard) const;
  void wait_for_all(std::string_view step) const;

  std::filesystem::path directory_;
  Shard shard_;
  std::string identity_;
};

}  // namespace fpsynth::cluster
