#include "runners/baselines/pipeline.hpp"

#include <utility>

#include "runners/codec/codec.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "runners/codec/streams.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::baselines {

void compress_with(const synth::Method& method, std::span<const std::byte> input,
                   synth::Precision precision, int threads, std::vector<std::byte>& file,
                   std::size_t chunk_words) {
  codec::MemorySink sink;
  sink.bytes() = std::move(file);
  sink.bytes().clear();  // keeps its memory
  codec::compress(input, "the input", method, synth::word_bytes(precision), sink,
                  {.threads = threads, .chunk_words = chunk_words});
  file = std::move(sink.bytes());
}

Compressor pipeline_compressor(const synth::Method& method, std::string name, int threads,
                               std::size_t chunk_words) {
  return {
      .name = std::move(name),
      .version = std::string("fpsynth ") + synth::kVersion,
      .threads = codec::threads_for(threads, UINT64_MAX),
      .precisions = {synth::Precision::Double, synth::Precision::Single},
      .compress =
          [=](std::span<const std::byte> input, synth::Precision precision,
              std::vector<std::byte>& file) {
            compress_with(method, input, precision, threads, file, chunk_words);
          },
      .decompress =
          [=](std::span<const std::byte> file, synth::Precision, std::span<std::byte> original) {
            codec::decompress_into(file, original, {.threads = threads});
          }};
}

}  // namespace fpsynth::baselines
