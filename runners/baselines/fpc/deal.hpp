#pragma once
// How an instance of pFPC walks over a group: its values lie in every t-th chunk.

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "runners/data/fcm_predictor.hpp"

namespace fpsynth::baselines {

/// A group's values and how they are dealt out: chunk i belongs to instance i mod t.
struct PfpcDeal {
  std::size_t values, threads, chunk;

  /// Instances that get a value: the first ones.
  std::size_t active() const {
    return std::min(threads, values / chunk + (values % chunk != 0 ? 1 : 0));
  }
  /// Values that an instance gets.
  std::size_t of(std::size_t instance) const {
    const std::size_t whole = values / chunk, turn = whole % threads;
    const std::size_t chunks = whole / threads + (instance < turn ? 1 : 0);
    return chunks * chunk + (instance == turn ? values % chunk : 0);
  }
};

/// A place in the values of one instance, which goes forward in steps of a tile.
class PfpcPlace {
 public:
  PfpcPlace(const PfpcDeal& deal, std::size_t instance)
      : chunk_(deal.chunk), skip_((deal.threads - 1) * deal.chunk), at_(instance * deal.chunk) {}

  /// Where the next `count` values are if they lie in a row, else null.
  template <typename Byte>
  Byte* in_a_row(Byte* group, std::size_t count) const {
    return count <= chunk_ - in_chunk_ ? group + 8 * at_ : nullptr;
  }
  void pass(std::size_t count) {
    at_ += count;
    in_chunk_ += count;
    if (in_chunk_ == chunk_) next_chunk();
  }
  /// Copies the next `count` values to `to`, and passes them.
  void gather(const std::byte* group, std::size_t count, std::byte* to) {
    move(count, [=](std::size_t at, std::size_t done, std::size_t piece) {
      std::memcpy(to + 8 * done, group + 8 * at, 8 * piece);
    });
  }
  /// Copies `count` values to their places, and passes them.
  void scatter(const std::byte* from, std::size_t count, std::byte* group) {
    move(count, [=](std::size_t at, std::size_t done, std::size_t piece) {
      std::memcpy(group + 8 * at, from + 8 * done, 8 * piece);
    });
  }

 private:
  void next_chunk() {
    in_chunk_ = 0;
    at_ += skip_;
  }
  template <typename Copy>
  void move(std::size_t count, Copy copy) {
    if (chunk_ < kShortChunk) {
      // One by one, with copies of constant size, on a place that no copy can touch.
      PfpcPlace place = *this;
      for (std::size_t i = 0; i < count; ++i, place.pass(1)) copy(place.at_, i, 1);
      *this = place;
      return;
    }
    for (std::size_t done = 0; done < count;) {
      const std::size_t piece = std::min(count - done, chunk_ - in_chunk_);
      copy(at_, done, piece);
      pass(piece);
      done += piece;
    }
  }

  static constexpr std::size_t kShortChunk = 16;
  std::size_t chunk_, skip_, at_, in_chunk_ = 0;
};

}  // namespace fpsynth::baselines
