#pragma once
// One function per library, each in its peer_<library>.cpp, which is compiled only where the
// library is there. They append the compressors made of it, and what this copy of it cannot do to
// `missing`.

#include <vector>

#include "runners/baselines/compressor.hpp"

namespace fpsynth::baselines {

struct Peers {
  std::vector<Compressor> present;
  std::vector<Missing> missing;
};

void add_bzip2(Peers& peers);
void add_zlib(Peers& peers);
void add_lzo(Peers& peers);
void add_zstd(Peers& peers);
void add_lz4(Peers& peers);
void add_fpzip(Peers& peers);
void add_blosc(Peers& peers);

}  // namespace fpsynth::baselines
