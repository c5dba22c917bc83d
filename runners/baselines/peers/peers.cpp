#include "runners/baselines/peers/peers.hpp"

#include <fmt/core.h>

namespace fpsynth::baselines {

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

}  // namespace fpsynth::baselines
