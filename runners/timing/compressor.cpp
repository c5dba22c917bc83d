#include "runners/timing/compressor.hpp"

#include <fmt/core.h>

#include <utility>

#include "runners/codec/codec.hpp"
#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "runners/codec/streams.hpp"
#include "synth/common/error.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::timing {
namespace {

class TimedCompressor : public TimedCodec {
 public:
  TimedCompressor(Compressor compressor, synth::Precision precision)
      : compressor_(std::move(compressor)), precision_(precision) {}

  Lap compress(std::span<const std::byte> input) override {
    return {wall_seconds([&] { compressor_.compress(input, precision_, file_); })};
  }
  Lap decompress(std::span<std::byte> output) override {
    return {wall_seconds([&] { compressor_.decompress(file_, precision_, output); })};
  }
  std::span<const std::byte> compressed() override { return file_; }

 private:
  Compressor compressor_;
  synth::Precision precision_;
  std::vector<std::byte> file_;
};

}  // namespace

void expect_original_bytes(std::string_view name, std::size_t original, std::size_t buffer) {
  if (original == buffer) return;
  throw Error(fmt::format("{}: its original has {} bytes, but the output buffer has {}", name,
                          original, buffer));
}

Compressor memory_copy(int threads) {
  return {.name = "memcpy",
          .version = "",
          .threads = threads,
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

std::unique_ptr<TimedCodec> timed_compressor(Compressor compressor, synth::Precision precision) {
  return std::make_unique<TimedCompressor>(std::move(compressor), precision);
}

}  // namespace fpsynth::timing
