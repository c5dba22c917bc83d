#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "runners/cli/commands.hpp"
#include "synth/error.hpp"
#include "synth/version.hpp"

int main(int argc, char** argv) {
  CLI::App app{"fpsynth: lossless floating-point compressors, synthesized by exhaustive search"};
  app.name("fpsynth");
  app.set_version_flag("--version", fpsynth::synth::kVersion);
  app.require_subcommand(1);
  app.footer("fpsynth COMMAND --help explains a command and shows examples.");
  for (auto add : {fpsynth::cli::add_search, fpsynth::cli::add_query, fpsynth::cli::add_compress,
                   fpsynth::cli::add_decompress, fpsynth::cli::add_inspect, fpsynth::cli::add_data,
                   fpsynth::cli::add_bench}) {
    add(app);
  }
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const fpsynth::Error& error) {
    fmt::print(stderr, "fpsynth: {}\n", error.what());
    return error.status();
  } catch (const std::exception& error) {
    fmt::print(stderr, "fpsynth: {}\n", error.what());
    return 1;
  }
}
