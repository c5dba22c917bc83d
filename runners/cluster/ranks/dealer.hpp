#pragma once
// Deals out the chunks of a study to ranks that ask for work: large ranges at first, small ones at
// the end (guided self-scheduling), across the boundaries of data sets. It only keeps books.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "results/documents/document.hpp"

namespace fpsynth::cluster {

/// Adjoining chunks of a task, which is a data set in one precision.
struct Piece {
  std::size_t task = 0;
  results::ChunkRange chunks;
  double cost = 1;  ///< of one chunk, relative to those of other tasks

  std::uint64_t size() const { return chunks.size(); }
  static void list(auto& fields, auto& piece) {
    fields("task", piece.task, "chunks", piece.chunks, "cost", piece.cost);
  }
  friend bool operator==(const Piece&, const Piece&) = default;
};

class Dealer {
 public:
  /// A piece is to take about `most_seconds` at most, once a rank's speed is known: what a rank has
  /// not sent back is lost if it dies.
  explicit Dealer(std::size_t ranks, double most_seconds = 20);

  /// Says that `chunks` keep a rank busy: its threads, or what fills its devices. 1 if not called.
  void set_at_once(std::size_t rank, std::uint64_t chunks);

  /// Adds the ranges of a task that are to be walked, behind those that are there.
  void add(std::size_t task, std::span<const results::ChunkRange> missing, double cost = 1);

  /// The next piece for a rank; nothing if all that was added is dealt.
  std::optional<Piece> next(std::size_t rank);

  /// Says that a rank walked a piece in so many seconds, so that its speed is known.
  void walked(std::size_t rank, const Piece& piece, double seconds);

  /// Work that is not dealt yet: chunks times their cost.
  double left() const { return left_; }
  /// True if chunks of a task are still to be dealt.
  bool has(std::size_t task) const;

 private:
  struct Rank {
    std::uint64_t at_once = 1;
    double speed = 0;  ///< work per second; 0: unknown
  };
  /// The work of a rank in a second. A rank of unknown speed gets the mean of the known ones,
  /// weighted by the chunks that each walks at once.
  double speed_of(const Rank& rank) const;

  std::vector<Rank> ranks_;
  double most_seconds_;
  std::deque<Piece> waiting_;
  double left_ = 0;
  double known_speed_ = 0;                         ///< of the ranks whose speed is known
  std::uint64_t known_at_once_ = 0, at_once_ = 0;  ///< of those, and of all
};

}  // namespace fpsynth::cluster
