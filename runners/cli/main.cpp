#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "runners/cli/commands.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"
#include "synth/common/version.hpp"

namespace {

int complain(const char* message, int status) {
  fmt::print(stderr, "fpsynth: {}\n", message);
  return status;
}

/// CLI11 says of an unknown command only that one is required.
void refuse_unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::string known;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (command->get_name() == argv[1]) return;
    known += " " + command->get_name();
  }
  throw fpsynth::UsageError(
      fmt::format("unknown command '{}'; the commands are{}", argv[1], known));
}

int run(int argc, char** argv) {
  CLI::App app{"fpsynth: lossless floating-point compressors, synthesized by exhaustive search"};
  app.name("fpsynth");
  app.set_version_flag("--version", fpsynth::synth::kVersion);
  app.require_subcommand(1);
  app.footer("fpsynth COMMAND --help explains a command and shows examples.");
  for (auto add : {fpsynth::cli::add_search, fpsynth::cli::add_query, fpsynth::cli::add_compress,
                   fpsynth::cli::add_decompress, fpsynth::cli::add_inspect, fpsynth::cli::add_data,
                   fpsynth::cli::add_baseline, fpsynth::cli::add_compare,
                   fpsynth::cli::add_generate, fpsynth::cli::add_bench}) {
    add(app);
  }
  try {
    refuse_unknown_command(app, argc, argv);
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
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
