#pragma once
// The options of a race, and its progress.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runners/search/peers.hpp"

namespace fpsynth::search {

struct RaceProgress {
  std::size_t round = 0;                  ///< from 1
  std::uint64_t chunks = 0;               ///< that the round ends with
  std::uint64_t entered = 0, stayed = 0;  ///< pipelines; `stayed` so far
  double done = 0;                        ///< share of the round
  double seconds_left = 0;                ///< of the round; 0 if that is not known yet
  double pipeline_bytes_per_second = 0;
};

struct RaceOptions {
  /// A pipeline leaves when it cannot be better than the best so far by more than this share.
  double margin = 0.0001;
  /// The probability that one leaves although it is better by more, in all rounds together.
  double risk = 0.01;
  std::uint64_t seed = 1;          ///< of the chunks that are drawn
  std::uint64_t first_chunks = 8;  ///< of the first round; each later one has twice as many
  /// The race ends when at most so many pipelines are left: these are searched on all chunks.
  std::size_t few = 64;
  /// Most entrants that are kept, the smallest ones. Fewer are kept where they were tried on more
  /// than some ten chunks. The race counts those that it drops for want of memory.
  std::size_t most_kept = std::size_t{1} << 20;
  /// Leaves of the tail plans at most; less only for tests.
  std::uint64_t most_leaves = 300'000;
  Peers* peers = nullptr;  ///< null: this process alone
  /// Called now and then by the calling thread.
  std::function<void(const RaceProgress&)> progress;
  /// Called about every SearchOptions::checkpoint_seconds and when the race is stopped, with what
  /// `resumed` takes.
  std::function<void(const std::vector<std::uint8_t>& state)> save;

  /// Throws UsageError for a margin or a risk that is out of its range.
  void check() const;
  /// "race, margin 0.0001, risk 0.01, seed 1, first round 8 chunks": equal texts for equal races.
  std::string text() const;
};

}  // namespace fpsynth::search
