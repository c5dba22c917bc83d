#pragma once
// Finds the pipelines behind the prefixes of a race that are fast enough.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "components/stage_table.hpp"
#include "runners/search/race/prefixes/division.hpp"
#include "runners/search/race/speed/speed_limit.hpp"

namespace fpsynth::search {

/// Runs prefixes on a sample of chunks, and the stages that may follow them along the tail plans
/// (SpeedWalker). Used by one thread at a time. Its results do not depend on the number of threads.
class FastPipelines {
 public:
  /// Walks with `threads` threads. All must outlive it. Throws Error if the limit's model has no
  /// costs of a component of the space.
  FastPipelines(const SpeedLimit& limit, const Division& division,
                const components::StageTable& stages, int threads);

  /// By leaf of the tail plan behind a prefix, 1 if the whole pipeline is predicted to be fast
  /// enough, else 0, on `chunks`, at least one. Empty if none is.
  std::vector<std::uint8_t> behind(std::uint64_t prefix,
                                   std::span<const std::span<const std::byte>> chunks);

 private:
  const SpeedLimit& limit_;
  const Division& division_;
  const components::StageTable& stages_;
  int threads_;
  PrefixBlocks blocks_;
  std::vector<std::unique_ptr<SpeedWalker>> walkers_;  ///< by tail, made when needed
};

}  // namespace fpsynth::search
