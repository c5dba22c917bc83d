#include "runners/cli/commands.hpp"
#include "runners/data/formats/reading_process.hpp"

int main(int argc, char** argv) {
  if (const auto status = fpsynth::data::read_in_processes(argc, argv)) return *status;
  return fpsynth::cli::run_program(argc, argv, nullptr);
}
