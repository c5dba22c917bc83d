#pragma once
// A search whose chunks the ranks of a cluster share.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/documents/study.hpp"
#include "runners/cluster/ranks/job.hpp"
#include "runners/cluster/transport.hpp"
#include "runners/data/study.hpp"
#include "runners/device/device_info.hpp"
#include "runners/search/prelude_search.hpp"
#include "runners/search/search.hpp"
#include "synth/plan.hpp"

namespace fpsynth::cli {

struct ClusterSearch {
  const data::Study& study;
  const synth::Plan& plan;
  const results::StudyIdentity& identity;
  const search::PreludeOptions& preludes;
  const search::SearchOptions& options;  ///< engine, threads, verification and sample
  const std::filesystem::path& directory;
  bool resume, json;
  const std::atomic<bool>& stop;
};

struct RankedSearch {
  bool complete = true;        ///< false if `stop` was set on a rank
  std::uint64_t failures = 0;  ///< checks that failed
};

/// The data sets of a study in each of its precisions; notes what is unlike what was published, and
/// tails. The study must outlive them.
std::vector<cluster::Task> tasks_of(const data::Study& study);

/// What ranks that work together must agree on.
std::string identity_text(const results::StudyIdentity& identity,
                          const std::vector<cluster::Task>& tasks);

/// Where the documents of a job go.
struct RankedDocuments {
  const std::filesystem::path& directory;
  bool resume, json;
  const std::atomic<bool>& stop;
  /// What a task without a document begins with; may be null, and may return none.
  std::function<std::optional<results::Document>(std::size_t task)> begin_with;
};

/// Searches a job with all ranks, each of which calls this. The rest is as for search_on_ranks().
RankedSearch search_job(cluster::Transport& transport, const cluster::Job& job,
                        const RankedDocuments& documents);

/// Searches the study with all ranks, each of which calls this. Rank 0 reads and writes the
/// documents in the directory, which it has prepared and locked, and prints a row for each; it
/// alone gets the result. Throws Error if the work ended early for another reason than `stop`.
RankedSearch search_on_ranks(cluster::Transport& transport, const ClusterSearch& search);

/// Threads for a rank, or for a process that runs alone without `transport`, if nobody says how
/// many: what Slurm gave it (SLURM_CPUS_PER_TASK), or the processors that a rank has for itself; 0
/// for those of the machine.
int threads_by_default(const cluster::Transport* transport);

/// Those of a node's devices that are for this rank: an equal share, or one that it shares with
/// other ranks of the node if there are more of these.
std::vector<device::DeviceInfo> devices_of_rank(const std::vector<device::DeviceInfo>& devices,
                                                const cluster::Place& place);

/// Throws UsageError if a launcher (srun, mpirun) started this program several times, which would
/// make all of them search the same.
void refuse_other_ranks();

}  // namespace fpsynth::cli
