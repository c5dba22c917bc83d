#pragma once
// Processes that search a document together.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "synth/common/error.hpp"

namespace fpsynth::search {

/// Ranks of a cluster, or shards that race together. Every process does its share of a step and
/// learns the findings of the others. One thread of each process calls, in the same order in all.
class Peers {
 public:
  using Bytes = std::vector<std::uint8_t>;

  virtual ~Peers() = default;

  virtual std::size_t rank() const = 0;   ///< of this process, from 0
  virtual std::size_t count() const = 0;  ///< of processes
  /// Gives this process's bytes of a step and waits for those of all others. Returns all, by rank.
  /// Throws Error if a process does not give them, and PeersStopped.
  virtual std::vector<Bytes> exchange(std::string_view step, Bytes own) = 0;
  /// The same, but rank 0 alone gets the bytes; the others return at once with none.
  virtual std::vector<Bytes> gather(std::string_view step, Bytes own) {
    return exchange(step, std::move(own));
  }
};

/// Another process was asked to end, so that the step stays undone in all.
class PeersStopped : public Error {
 public:
  PeersStopped() : Error("another process was asked to end") {}
};

}  // namespace fpsynth::search
