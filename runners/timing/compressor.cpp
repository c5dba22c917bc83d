#include "runners/timing/compressor.hpp"

#include <fmt/core.h>

#include <utility>

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

Compressor sections_compressor(std::vector<codec::Section> sections, std::string name,
                               int threads) {
  return {
      .name = std::move(name),
      .version = std::string("fpsynth ") + synth::kVersion,
      .threads = codec::threads_for(threads, UINT64_MAX),
      .compress =
          [=](std::span<const std::byte> input, synth::Precision precision,
              std::vector<std::byte>& file) {
            const std::size_t word_bytes = synth::word_bytes(precision);
            std::uint64_t left = input.size() / word_bytes;
            std::vector<codec::Section> own;
            for (const codec::Section& section : sections) {
              if (left == 0 && !own.empty()) break;
              own.push_back(section);
              if (own.size() == sections.size() || section.words > left) own.back().words = left;
              left -= own.back().words;
            }
            codec::MemorySink sink;
            sink.bytes() = std::move(file);
            sink.bytes().clear();  // keeps its memory
            codec::compress_sections(input, "the input", own, word_bytes, sink,
                                     {.threads = threads});
            file = std::move(sink.bytes());
          },
      .decompress =
          [=](std::span<const std::byte> file, synth::Precision, std::span<std::byte> original) {
            codec::decompress_into(file, original, {.threads = threads});
          }};
}

Compressor pipeline_compressor(const synth::Method& method, std::string name, int threads,
                               std::size_t chunk_words) {
  return sections_compressor({{0, method, chunk_words}}, std::move(name), threads);
}

std::unique_ptr<TimedCodec> timed_compressor(Compressor compressor, synth::Precision precision) {
  return std::make_unique<TimedCompressor>(std::move(compressor), precision);
}

}  // namespace fpsynth::timing
