#pragma once
// A rank of a search or of a race, from its first message to its last.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runners/cluster/ranks/job.hpp"
#include "runners/cluster/ranks/leader.hpp"
#include "runners/cluster/transport.hpp"
#include "runners/search/race/race.hpp"

namespace fpsynth::cluster {

/// The end of the work of all ranks, on rank 0; on others always complete.
struct RankResult {
  bool complete = true;
  std::string error;  ///< why it ended early, if it was not stopped from outside
};

/// Runs this rank until the work has ended: a worker, and on rank 0 the leader beside it. `stop`,
/// set on any rank, saves and ends the work. Throws ShutDownEarly on another rank if rank 0 calls
/// shut_down() first.
RankResult run_rank(const Job& job, Transport& transport, const LeaderCallbacks& callbacks,
                    const std::atomic<bool>& stop);

/// The work of a rank in a race. `stop` becomes true when the ranks are to end early, and
/// exchange() of the peers then throws. Returns what it leaves to rank 0, also then: the state of
/// its race.
using RaceWork = std::function<std::vector<std::uint8_t>(search::RacePeers& peers,
                                                         const std::atomic<bool>& stop)>;

/// The end of the race of all ranks. Rank 0 also gets what all ranks have left, by rank; that of
/// one whose work threw is empty.
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

/// For a rank other than 0 that cannot work because of `what`: tells the leader, which ends the
/// work of all ranks. wait_for_shutdown() must follow.
void refuse_to_run(Transport& transport, const std::string& what);

/// The last that rank 0 does with the others, however its program ends: it shares no more work.
void shut_down(Transport& transport);

/// The last that another rank does, unless ShutDownEarly was thrown there: returns when rank 0
/// calls shut_down(). If rank 0 shares work that this rank was not started for, that work ends with
/// an error.
void wait_for_shutdown(Transport& transport);

}  // namespace fpsynth::cluster
