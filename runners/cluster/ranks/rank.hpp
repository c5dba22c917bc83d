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
/// set on any rank, saves and ends the work.
RankResult run_rank(const Job& job, Transport& transport, const LeaderCallbacks& callbacks,
                    const std::atomic<bool>& stop);

/// For a rank other than 0 that cannot work because of `what`: tells the leader, and returns when
/// that has ended the work of all ranks.
void refuse_to_run(Transport& transport, const std::string& what);

/// For rank 0 if it cannot lead: all other ranks' run_rank() and refuse_to_run() return.
void send_home(Transport& transport);

}  // namespace fpsynth::cluster
