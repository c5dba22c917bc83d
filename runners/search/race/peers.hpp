#pragma once
// Other processes that race together: ranks of a cluster, or shards.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fpsynth::search {

/// Every process computes its share of a step, and learns what the others computed. Called by one
/// thread of each process, in the same order in all.
class RacePeers {
 public:
  virtual ~RacePeers() = default;

  virtual std::size_t rank() const = 0;   ///< of this process, from 0
  virtual std::size_t count() const = 0;  ///< of processes
  /// Gives this process's bytes of a step and waits for those of all others. Returns all, by rank.
  /// Throws Error if a process does not give them.
  virtual std::vector<std::vector<std::uint8_t>> exchange(std::string_view step,
                                                          std::vector<std::uint8_t> own) = 0;
};

}  // namespace fpsynth::search
