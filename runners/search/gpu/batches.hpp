#pragma once
// The division of a search among devices: chunks into batches, and the work items of a batch
// (work_items.hpp) into launches of a limited duration.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "runners/search/engine.hpp"

namespace fpsynth::search {

/// The chunks of a call of Engine::walk that are not yet walked, shared by the devices. Any thread
/// may call its members.
class Batches {
 public:
  using Chunks = std::span<const std::span<const std::byte>>;
  struct Batch {
    std::size_t first = 0, count = 0;
  };

  Batches(Chunks chunks, std::span<std::uint8_t> finished, const WalkCallbacks& callbacks,
          std::size_t devices)
      : chunks_(chunks),
        finished_(finished),
        callbacks_(callbacks),
        devices_(devices),
        share_((chunks.size() + devices - 1) / devices) {}

  /// Returns the next chunks, at most `most`; none at the end or if the search shall stop. A device
  /// gets half of its share of the remaining chunks, so that all devices end at about the same
  /// time, but not less than `at_once`, the number of chunks that keep it busy, if its share of all
  /// chunks has that many.
  Batch take(std::size_t most, std::size_t at_once) {
    const std::lock_guard lock(mutex_);
    if (ended_ || callbacks_.stopped()) return {};
    const std::size_t first = taken_;
    const std::size_t left = chunks_.size() - first;
    const std::size_t half = (left + 2 * devices_ - 1) / (2 * devices_);
    taken_ += std::min({most, left, std::max(half, std::min(at_once, share_))});
    return {first, taken_ - first};
  }
  void done(Batch batch) {
    const std::lock_guard lock(mutex_);
    std::fill_n(finished_.begin() + std::ptrdiff_t(batch.first), batch.count, 1);
    callbacks_.walked(batch.count);
  }
  /// True if the work in progress is to be abandoned: the search stops, or a device has failed.
  bool stopped() {
    const std::lock_guard lock(mutex_);
    return ended_ || callbacks_.stopped();
  }
  /// Called if a device has failed: there are no more batches.
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  Chunks chunks() const { return chunks_; }

 private:
  Chunks chunks_;
  std::span<std::uint8_t> finished_;
  const WalkCallbacks& callbacks_;
  std::size_t devices_, share_;
  std::mutex mutex_;
  std::size_t taken_ = 0;
  bool ended_ = false;
};

/// Divides the work items of a batch into launches of at most about kSeconds, according to the
/// times of earlier launches. Watchdogs of displays and Windows kill long launches, and an
/// interrupted search waits for two of them, one of each slot, to end.
class LaunchPace {
 public:
  static constexpr double kSeconds = 0.25;

  /// The number of items for the next launch, of `left`, which have `edges` edges each: one for
  /// each of `blocks` thread blocks, or as many more as earlier launches allow.
  std::size_t items(std::size_t left, std::size_t blocks, double edges) const {
    if (seconds_per_edge_ < 0) return std::min(left, blocks);  // nothing is known yet
    const double rounds = kSeconds / (edges * seconds_per_edge_);
    if (rounds * double(blocks) >= double(left)) return left;
    return std::min(left, blocks * std::max<std::size_t>(1, static_cast<std::size_t>(rounds)));
  }
  /// Records the duration of a launch. The slowest launch counts, because items differ, but its
  /// weight decreases, because the first one may have waited for other work.
  void took(std::size_t items, std::size_t blocks, double edges, double seconds) {
    constexpr double kForgotten = 0.9;
    const std::size_t rounds = (items + blocks - 1) / blocks;
    seconds_per_edge_ =
        std::max(seconds / (double(rounds) * edges), kForgotten * seconds_per_edge_);
  }

 private:
  double seconds_per_edge_ = -1;  ///< of a thread block
};

}  // namespace fpsynth::search
