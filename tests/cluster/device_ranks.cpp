// device_ranks: a rank of a search on emulated devices over MPI. Rank 0 compares every document
// with that of one process on the processor; exit status 1 if one differs. With an even number of
// ranks, those of odd number walk on the processor.

#include <fmt/core.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <optional>

#include "components/stage_table.hpp"
#include "runners/cluster/mpi/mpi_transport.hpp"
#include "runners/cluster/ranks/rank.hpp"
#include "tests/runners/search/support.hpp"

int main(int argc, char** argv) {
  using namespace fpsynth;
  cluster::MpiTransport transport(&argc, &argv);
  const search::EngineFactory on_cpu = search::cpu_engine(1, components::default_stages(), true);
  cluster::Job job;
  job.identity = "emulated devices";
  job.plan = &search::small_plan();
  const bool mixed = transport.ranks() % 2 == 0 && transport.rank() % 2 == 1;
  job.options.engine = mixed ? on_cpu : search::engine_on<device::EmulatedDevice>({{}});
  for (const synth::Precision precision : {synth::Precision::Double, synth::Precision::Single}) {
    job.tasks.push_back({"chunks", [precision] { return search::several_chunks(precision); },
                         precision, search::several_chunks(precision).view().words});
  }
  std::map<std::size_t, results::Document> saved;
  cluster::LeaderCallbacks callbacks;
  callbacks.earlier = [](std::size_t) { return std::nullopt; };
  callbacks.save = [&](std::size_t task, const results::Document& document) {
    saved.insert_or_assign(task, document);
  };
  callbacks.done = [](std::size_t, const results::Document&, bool) {};
  const std::atomic<bool> stop = false;
  const cluster::RankResult result = cluster::run_rank(job, transport, callbacks, stop);
  if (transport.rank() > 0) return EXIT_SUCCESS;
  if (!result.complete) {
    fmt::print("the search ended early: {}\n", result.error);
    return EXIT_FAILURE;
  }
  for (std::size_t task = 0; task < job.tasks.size(); ++task) {
    search::SearchOptions alone;
    alone.engine = on_cpu;
    const results::Document expected =
        search::search(search::several_chunks(job.tasks[task].precision), *job.plan, alone);
    results::Document document = saved.at(task);
    document.run = expected.run;
    if (saved.at(task).run.edges_verified != expected.run.edges_verified || document != expected) {
      fmt::print("with {} ranks, the document in {} precision is another\n", transport.ranks(),
                 synth::to_string(job.tasks[task].precision));
      return EXIT_FAILURE;
    }
  }
  fmt::print("{} ranks: the same documents\n", transport.ranks());
  return EXIT_SUCCESS;
}
