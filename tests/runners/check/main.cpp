// The command line of `gpu check` on an emulated device, with --fault PART:FAULT.

#include <memory>
#include <string>

#include "runners/cli/gpu/gpu.hpp"
#include "synth/common/standard_streams.hpp"
#include "tests/runners/check/emulated_target.hpp"

int main(int argc, char** argv) {
  using namespace fpsynth;
  std::string fault;
  cli::Program program("emulated_check", "fpsynth gpu check on an emulated device",
                       [] { return std::string("emulated_check"); });
  cli::add_gpu_check(program.command(), [&](unsigned) {
    if (fault.empty()) return check::emulated_target();
    const auto [part, kind] = check::parse_fault(fault);
    return check::emulated_target(part, kind);
  }).add_option("--fault", fault, "Part and kind of a fault, such as engines:flips");
  try {
    return program.run(argc, argv);
  } catch (const Error& error) {
    print_error("fpsynth: {}\n", error.what());
    return error.status();
  }
}
