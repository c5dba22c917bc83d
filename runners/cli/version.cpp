// The text of fpsynth --version: all that a bug report should say about the program.

#include <fmt/format.h>
#include <xxhash.h>

#include <string>
#include <vector>

#include "components/stage_table.hpp"
#include "runners/baselines/peers/peers.hpp"
#include "runners/cli/commands.hpp"
#include "runners/data/formats/variables.hpp"
#include "runners/device/device.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::cli {
namespace {

/// A version number with dots: 90100 becomes 9.1.0.
std::string dotted(unsigned version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::vector<std::string> libraries() {
  std::vector<std::string> texts = {"fmt " + dotted(FMT_VERSION), json_library(),
                                    argument_library(), "xxHash " + dotted(XXH_versionNumber())};
  const baselines::Peers peers = baselines::all_peers();
  for (const auto& peer : peers.present) {  // several may share a library
    if (texts.back() != peer.version) texts.push_back(peer.version);
  }
  for (const auto& peer : peers.missing)
    texts.push_back(fmt::format("no {} ({})", peer.compressor, peer.reason));
  return texts;
}

/// The formats of files that can be read, and what is missing.
std::string formats() {
  std::vector<std::string> texts = {".npy"};
  for (const data::Reader& reader : data::readers()) {
    if (!reader.library) continue;
    try {
      texts.push_back(reader.functions().version());
    } catch (const Error& error) {
      texts.push_back(fmt::format("no {} ({})", reader.library, error.what()));
    }
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

std::string version_text() {
  std::string sets;
  for (const auto* table : components::built_stages()) sets += fmt::format("{}, ", table->name());
  return fmt::format(
      "fpsynth {}\n"
      "commit            {}\n"
      "compiler          {}\n"
      "instruction sets  {}serial; {} is used\n"
      "CUDA              {}\n"
      "libraries         {}\n"
      "file formats      {}",
      synth::kVersion, synth::kCommit, synth::kCompiler, sets, components::default_stages().name(),
      device::built_with_cuda() ? fmt::format("compiled with nvcc {}", synth::kCuda)
                                : "not in this program",
      fmt::join(libraries(), "; "), formats());
}

}  // namespace fpsynth::cli
