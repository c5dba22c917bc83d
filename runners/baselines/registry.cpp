// The lists of baselines, of peers and of all compressors.

#include <algorithm>
#include <iterator>

#include "runners/baselines/baseline.hpp"
#include "runners/baselines/fpc/compressor.hpp"
#include "runners/baselines/gfc/compressor.hpp"
#include "runners/baselines/holt/compressor.hpp"
#include "runners/baselines/mpc/compressor.hpp"
#include "runners/baselines/peers/peers.hpp"
#include "runners/modules/module.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::baselines {

std::vector<std::unique_ptr<Baseline>> all_baselines() {
  std::vector<std::unique_ptr<Baseline>> all;
  for (const auto make : {fpc_baseline, pfpc_baseline, gfc_baseline, holt_baseline, mpc_baseline}) {
    all.push_back(make());
  }
  return all;
}

Peers all_peers() {
  struct Library {
    const char *module, *peers;
  };
  static constexpr Library kLibraries[] = {
      {"bzip2", "bzip2"}, {"zlib", "gzip"},   {"lzo", "lzop"}, {"zstd", "zstd"},  {"lz4", "lz4"},
      {"xz", "xz"},       {"fpzip", "fpzip"}, {"zfp", "zfp"},  {"blosc", "blosc"}};
  Peers peers;
  for (const auto [module, names] : kLibraries) {
    try {
      modules::entry<decltype(fpsynth_add_peers)>(module, "fpsynth_add_peers")(peers);
    } catch (const Error& error) {
      peers.missing.push_back({names, error.what()});
    }
  }
  return peers;
}

std::vector<Compressor> all_compressors(const std::function<unsigned(const Baseline&)>& of) {
  std::vector<Compressor> all = {timing::memory_copy()};
  Peers peers = all_peers();
  std::ranges::move(peers.present, std::back_inserter(all));
  for (const auto& baseline : all_baselines()) all.push_back(baseline->compressor(of(*baseline)));
  return all;
}

}  // namespace fpsynth::baselines
