#pragma once
// A rank of a search, from its first message to its last.

#include <atomic>
#include <string>

#include "runners/cluster/ranks/job.hpp"
#include "runners/cluster/ranks/leader.hpp"
#include "runners/cluster/transport.hpp"

namespace fpsynth::cluster {

/// How the work of all ranks ended, on rank 0; on others always complete.
struct RankResult {
  bool complete = true;
  std::string error;  ///< why it ended early, if it was not stopped from outside
};

/// Runs this rank until the work has ended: a worker, and on rank 0 the leader beside it. `stop`,
/// set on any rank, saves and ends the work. Throws ShutDownEarly on another rank if rank 0 calls
/// shut_down() first.
RankResult run_rank(const Job& job, Transport& transport, const LeaderCallbacks& callbacks,
                    const std::atomic<bool>& stop);

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
