#include "runners/baselines/registry.hpp"

#include <utility>

#include "runners/baselines/fpc/compressor.hpp"
#include "runners/baselines/gfc/compressor.hpp"
#include "runners/baselines/holt/compressor.hpp"
#include "runners/baselines/memory_copy.hpp"
#include "runners/baselines/mpc/compressor.hpp"
#include "runners/baselines/peers/peers.hpp"

namespace fpsynth::baselines {

std::vector<Compressor> all_compressors(unsigned dimensionality) {
  std::vector<Compressor> all = {memory_copy()};
  for (Compressor& peer : peers()) all.push_back(std::move(peer));
  all.push_back(fpc(kPfpcTableBits));
  all.push_back(pfpc({kPfpcTableBits, kPfpcThreads, kPfpcChunk}));
  all.push_back(gfc(kGfcChunks, dimensionality <= kMaxGfcDimensionality ? dimensionality : 1));
  all.push_back(holt());
  all.push_back(mpc(dimensionality));
  return all;
}

}  // namespace fpsynth::baselines
