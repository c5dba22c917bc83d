#pragma once
// How a search is divided for devices: chunks into batches, and the walk of a batch into launches
// of a limited duration.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

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
  /// time, but not less than `at_once`, the number of chunks that it walks in parallel, if its
  /// share of all chunks has that many.
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
  /// Whether to abandon the work in progress: the search stops, or a device has failed.
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

/// Divides the walk of a batch into launches of about kSeconds, according to the times of earlier
/// launches. Watchdogs of displays and Windows kill longer launches, and an interrupted search
/// waits for a launch to end.
class LaunchPace {
 public:
  static constexpr double kSeconds = 1;

  LaunchPace() = default;
  /// `cuts`: the edges at which a launch may end (exclusive), ascending; the last one is the number
  /// of all edges.
  explicit LaunchPace(std::vector<std::uint32_t> cuts) : cuts_(std::move(cuts)) {}

  /// The end of the launch that begins at edge `begin`, which is 0 or one of the cuts. `rounds`:
  /// the number of chunks that every thread block walks, one after the other.
  std::uint32_t end(std::uint32_t begin, std::size_t rounds) const {
    const auto next = std::upper_bound(cuts_.begin(), cuts_.end(), begin);
    if (seconds_per_edge_ < 0) return *next;  // nothing is known yet
    auto last = next;
    while (last + 1 != cuts_.end() &&
           double(*(last + 1) - begin) * double(rounds) * seconds_per_edge_ <= kSeconds) {
      ++last;
    }
    return *last;
  }
  /// Records the duration of a launch of so many edges. The slowest launch counts, because edges
  /// differ, but its weight decreases, because the first one may have waited for other work.
  void took(std::uint32_t edges, std::size_t rounds, double seconds) {
    constexpr double kForgotten = 0.9;
    seconds_per_edge_ =
        std::max(seconds / (double(edges) * double(rounds)), kForgotten * seconds_per_edge_);
  }

 private:
  std::vector<std::uint32_t> cuts_;
  double seconds_per_edge_ = -1;
};

}  // namespace fpsynth::search
