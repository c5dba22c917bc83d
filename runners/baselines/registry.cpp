// The lists of baselines, of peers and of all compressors.

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "runners/baselines/baseline.hpp"
#include "runners/baselines/fpc/compressor.hpp"
#include "runners/baselines/gfc/compressor.hpp"
#include "runners/baselines/holt/compressor.hpp"
#include "runners/baselines/mpc/compressor.hpp"
#include "runners/baselines/peers/peers.hpp"

namespace fpsynth::baselines {

std::vector<std::unique_ptr<Baseline>> all_baselines() {
  std::vector<std::unique_ptr<Baseline>> all;
  for (const auto make : {fpc_baseline, pfpc_baseline, gfc_baseline, holt_baseline, mpc_baseline}) {
    all.push_back(make());
  }
  return all;
}

Peers all_peers() {
  Peers peers;
  for (const PeerLibrary& library : kPeerLibraries) {
    if (library.add) {
      library.add(peers);
    } else {
      peers.missing.push_back(
          {library.peers,
           fmt::format("this build does not have its library; install {} and build again",
                       library.package)});
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
