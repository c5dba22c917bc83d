// device_ranks: a rank of a search on emulated devices over MPI. Rank 0 compares every document
// with that of one process on the processor; exit status 1 if one differs. With an even number of
// ranks, those of odd number walk on the processor.

#include <fmt/core.h>

#include <cstdlib>

#include "components/stage_table.hpp"
#include "runners/cluster/mpi/mpi_ranks.hpp"
#include "tests/runners/search/support.hpp"

int main(int argc, char** argv) {
  using namespace fpsynth;
  cluster::MpiRanks ranks(&argc, &argv);
  search::SearchOptions alone, together;
  alone.engine = search::cpu_engine(1, components::default_stages(), true);
  const bool mixed = ranks.count() % 2 == 0 && ranks.rank() % 2 == 1;
  together.engine = mixed ? alone.engine : search::engine_on<device::EmulatedDevice>({{}});
  together.peers = &ranks;
  int status = EXIT_SUCCESS;
  for (const synth::Precision precision : {synth::Precision::Double, synth::Precision::Single}) {
    const data::Input input = search::several_chunks(precision);
    results::Document document = search::search(input, search::small_plan(), together);
    if (ranks.rank() > 0) continue;
    const results::Document expected = search::search(input, search::small_plan(), alone);
    const std::uint64_t verified = document.run.edges_verified;
    document.run = expected.run;
    if (verified != expected.run.edges_verified || document != expected) {
      fmt::print("with {} ranks, the document in {} precision is another\n", ranks.count(),
                 synth::to_string(precision));
      status = EXIT_FAILURE;
    }
  }
  ranks.end();
  if (ranks.rank() == 0 && status == EXIT_SUCCESS) {
    fmt::print("{} ranks: the same documents\n", ranks.count());
  }
  return status;
}
