#pragma once
// The walk of an instance of pFPC through a group: its values are in every t-th chunk.

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "runners/data/fpc/fcm_predictor.hpp"

namespace fpsynth::baselines {

/// A group's values and how they are divided: chunk i belongs to instance i mod t.
struct PfpcDeal {
  std::size_t values, threads, chunk;

  /// Number of instances that get a value; they are the first ones.
  std::size_t active() const {
    return std::min(threads, values / chunk + (values % chunk != 0 ? 1 : 0));
  }
  /// Number of values that an instance gets.
  std::size_t of(std::size_t instance) const {
    const std::size_t whole = values / chunk, turn = whole % threads;
    const std::size_t chunks = whole / threads + (instance < turn ? 1 : 0);
    return chunks * chunk + (instance == turn ? values % chunk : 0);
  }
};

/// A position in the values of one instance, which advances in steps of a tile.
class PfpcCursor {
 public:
  PfpcCursor(const PfpcDeal& deal, std::size_t instance)
      : chunk_(deal.chunk), skip_((deal.threads - 1) * deal.chunk), at_(instance * deal.chunk) {}

  /// The address of the next `count` values if they are contiguous, else null.
  template <typename Byte>
  Byte* contiguous(Byte* group, std::size_t count) const {
    return count <= chunk_ - in_chunk_ ? group + 8 * at_ : nullptr;
  }
  void advance(std::size_t count) {
    at_ += count;
    in_chunk_ += count;
    if (in_chunk_ == chunk_) next_chunk();
  }
  /// Copies the next `count` values to `to`, and advances past them.
  void gather(const std::byte* group, std::size_t count, std::byte* to) {
    move(count, [=](std::size_t at, std::size_t done, std::size_t piece) {
      std::memcpy(to + 8 * done, group + 8 * at, 8 * piece);
    });
  }
  /// Copies `count` values to their positions in the group, and advances past them.
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
      // Copies one by one with a constant size. The cursor is a local copy, which no memcpy can
      // alias.
      PfpcCursor cursor = *this;
      for (std::size_t i = 0; i < count; ++i, cursor.advance(1)) copy(cursor.at_, i, 1);
      *this = cursor;
      return;
    }
    for (std::size_t done = 0; done < count;) {
      const std::size_t piece = std::min(count - done, chunk_ - in_chunk_);
      copy(at_, done, piece);
      advance(piece);
      done += piece;
    }
  }

  static constexpr std::size_t kShortChunk = 16;
  std::size_t chunk_, skip_, at_, in_chunk_ = 0;
};

}  // namespace fpsynth::baselines
