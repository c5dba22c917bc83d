// fpsynth-mpi: the program as one of the ranks that mpirun or srun starts.

#include "runners/cli/commands.hpp"
#include "runners/cluster/mpi/mpi_ranks.hpp"
#include "runners/data/formats/reading_process.hpp"
#include "synth/common/error.hpp"
#include "synth/common/standard_streams.hpp"

int main(int argc, char** argv) {
  if (const auto status = fpsynth::data::read_in_processes(argc, argv)) return *status;
  try {
    fpsynth::cluster::MpiRanks ranks(&argc, &argv);
    return fpsynth::cli::run_program(argc, argv, &ranks);
  } catch (const fpsynth::Error& error) {
    fpsynth::print_error("fpsynth: {}\n", error.what());
    return error.status();
  }
}
