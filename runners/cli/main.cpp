#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "runners/cli/arguments.hpp"
#include "runners/cli/commands.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"
#include "synth/common/version.hpp"

namespace {

int complain(const char* message, int status) {
  fmt::print(stderr, "fpsynth: {}\n", message);
  return status;
}

int run(int argc, char** argv) {
  fpsynth::cli::Program program(
      "fpsynth", "fpsynth: lossless floating-point compressors, synthesized by exhaustive search",
      fpsynth::synth::kVersion);
  fpsynth::cli::Command app = program.command();
  app.require_subcommand();
  app.footer("fpsynth COMMAND --help explains a command and shows examples.");
  for (auto add : {fpsynth::cli::add_search, fpsynth::cli::add_query, fpsynth::cli::add_compress,
                   fpsynth::cli::add_decompress, fpsynth::cli::add_inspect, fpsynth::cli::add_data,
                   fpsynth::cli::add_baseline, fpsynth::cli::add_compare,
                   fpsynth::cli::add_generate, fpsynth::cli::add_bench}) {
    add(app);
  }
  try {
    return program.run(argc, argv);
  } catch (const fpsynth::Error& error) {
    return complain(error.what(), error.status());
  } catch (const std::exception& error) {
    return complain(error.what(), 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  fpsynth::remove_temporary_files_on_signals();
  const int status = run(argc, argv);
  // What was printed may not have arrived: a full disk shows at the last flush.
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    return complain(
        fmt::format("cannot write to standard output: {}", std::strerror(errno)).c_str(), 1);
  }
  return status;
}
