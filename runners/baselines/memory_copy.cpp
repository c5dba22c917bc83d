#include "runners/baselines/memory_copy.hpp"

#include "runners/baselines/wire.hpp"
#include "runners/codec/cpu/parallel.hpp"

namespace fpsynth::baselines {

Compressor memory_copy(int threads) {
  return {.name = "memcpy",
          .version = "",
          .threads = threads,
          .precisions = {synth::Precision::Double, synth::Precision::Single},
          .compress =
              [threads](std::span<const std::byte> input, synth::Precision,
                        std::vector<std::byte>& file) {
                file.resize(input.size());
                codec::copy_in_parallel(file.data(), input, threads);
              },
          .decompress =
              [threads](std::span<const std::byte> file, synth::Precision,
                        std::span<std::byte> original) {
                expect_original_bytes("memcpy", file.size(), original.size());
                codec::copy_in_parallel(original.data(), file, threads);
              }};
}

}  // namespace fpsynth::baselines
