#pragma once
// A race that the ranks of a cluster run together, each in the same steps.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runners/cluster/ranks/rank.hpp"
#include "runners/cluster/transport.hpp"
#include "runners/search/race/race.hpp"

namespace fpsynth::cluster {

/// What a rank does. `stop` becomes true when the ranks are to end early, and exchange() of the
/// peers then throws. Returns what it leaves to rank 0, also then: the state of its race.
using RaceWork = std::function<std::vector<std::uint8_t>(search::RacePeers& peers,
                                                         const std::atomic<bool>& stop)>;

/// How the race of all ranks ended. Rank 0 also gets what all ranks have left, by rank; that of one
/// whose work threw is empty.
struct RaceResult : RankResult {
  std::vector<std::vector<std::uint8_t>> left;
};

/// Runs `work` on this rank, in a thread of its own, beside that of all other ranks, which call
/// this with the same `identity`: it names the race and its data. Returns when all ranks have
/// ended. If `stop` is set on any rank, or one fails, all end early, and the result is not complete
/// on any; rank 0 alone gets the error, which names the rank. A rank that calls refuse_to_run() in
/// place of this does the same to the others. Throws ShutDownEarly as run_rank() does.
RaceResult race_on_ranks(const std::string& identity, Transport& transport,
                         const std::atomic<bool>& stop, const RaceWork& work);

}  // namespace fpsynth::cluster
