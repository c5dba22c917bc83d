#include "runners/cli/commands.hpp"

int main(int argc, char** argv) { return fpsynth::cli::run_program(argc, argv, nullptr); }
