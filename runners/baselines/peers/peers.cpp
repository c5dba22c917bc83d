// The list of peers. The build defines FPSYNTH_PEER_<LIBRARY> as the function that adds the peers
// of a library, or as nullptr if the library was not found (runners/CMakeLists.txt).

#include "runners/baselines/peers/peers.hpp"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "runners/baselines/peers/libraries.hpp"

namespace fpsynth::baselines {
namespace {

struct Library {
  const char* peers;    ///< the peers that need it
  const char* package;  ///< of Debian and Ubuntu
  void (*add)(Peers&);  ///< null if this build does not have the library
};

constexpr Library kLibraries[] = {
    {"bzip2", "libbz2-dev", FPSYNTH_PEER_BZIP2},   {"gzip", "zlib1g-dev", FPSYNTH_PEER_ZLIB},
    {"lzop", "liblzo2-dev", FPSYNTH_PEER_LZO},     {"zstd", "libzstd-dev", FPSYNTH_PEER_ZSTD},
    {"lz4", "liblz4-dev", FPSYNTH_PEER_LZ4},       {"xz", "liblzma-dev", FPSYNTH_PEER_XZ},
    {"fpzip", "libfpzip-dev", FPSYNTH_PEER_FPZIP}, {"zfp", "libzfp-dev", FPSYNTH_PEER_ZFP},
    {"blosc", "libblosc-dev", FPSYNTH_PEER_BLOSC},
};

Peers all() {
  Peers peers;
  for (const Library& library : kLibraries) {
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

}  // namespace

std::vector<Compressor> peers() { return all().present; }

std::vector<Missing> missing_peers() { return all().missing; }

}  // namespace fpsynth::baselines
