#include "runners/baselines/registry.hpp"

#include <omp.h>

#include <utility>

#include "runners/baselines/baselines.hpp"
#include "runners/baselines/gfc/gfc.hpp"
#include "runners/baselines/peers/peers.hpp"
#include "runners/codec/codec.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::baselines {

std::vector<Compressor> all_compressors(unsigned dimensionality) {
  std::vector<Compressor> all = {memory_copy()};
  for (Compressor& peer : peers()) all.push_back(std::move(peer));
  all.push_back(fpc(kPfpcTableBits));
  all.push_back(pfpc(kPfpcTableBits, kPfpcThreads, kPfpcChunk));
  all.push_back(gfc(kGfcChunks, dimensionality <= kMaxGfcDimensionality ? dimensionality : 1));
  all.push_back(holt());
  all.push_back(mpc(dimensionality));
  return all;
}

Compressor pipeline_compressor(const synth::Pipeline& pipeline, std::string name) {
  return {.name = std::move(name),
          .version = std::string("fpsynth ") + synth::kVersion,
          .threads = omp_get_max_threads(),
          .precisions = {synth::Precision::Double, synth::Precision::Single},
          .compress =
              [pipeline](std::span<const std::byte> input, synth::Precision precision) {
                return codec::compress(input, pipeline, synth::word_bytes(precision));
              },
          .decompress =
              [](std::span<const std::byte> file, synth::Precision, std::size_t original_bytes) {
                return codec::decompress(file, {.limit = original_bytes});
              }};
}

}  // namespace fpsynth::baselines
