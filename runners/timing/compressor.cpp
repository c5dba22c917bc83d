#include "runners/timing/compressor.hpp"
#include "runners/codec/compact.hpp"

#include <utility>

#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "runners/codec/device_codec.hpp"
#include "runners/codec/streams.hpp"
#include "synth/common/raise.hpp"
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
  raise("{}: its original has {} bytes, but the output buffer has {}", name, original, buffer);
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

Compressor sections_compressor(std::vector<codec::Section> sections, std::string name, int threads,
                               const synth::Prelude& before, bool compact) {
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
                                     {.threads = threads}, {}, before);
            file = std::move(sink.bytes());
            if (compact) file = codec::compacted(std::move(file));
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

namespace {

class DeviceTimedCodec : public TimedCodec {
 public:
  explicit DeviceTimedCodec(std::unique_ptr<codec::DeviceCodec> codec) : codec_(std::move(codec)) {}

  Lap compress(std::span<const std::byte> input) override {
    reserve(input.size());
    return lap_of([&](double& transfers) {
      transfers += wall_seconds([&] { original_->write(input); });
      codec_->encode(original_->data(), size_, container_->data(), host_.size(), nullptr);
      written_ = codec_->finish_encode();
      transfers += wall_seconds([&] { container_->read_into(std::span(host_).first(written_)); });
    });
  }

  Lap decompress(std::span<std::byte> output) override {
    if (output.size() != size_) throw Error("the output has another size than the original");
    return lap_of([&](double& transfers) {
      transfers += wall_seconds([&] { container_->write(compressed()); });
      const codec::Header header = codec_->header(container_->data(), written_, nullptr);
      codec_->decode(container_->data(), written_, header, original_->data(), nullptr);
      codec_->finish_decode();
      transfers += wall_seconds([&] { original_->read_into(output); });
    });
  }

  std::span<const std::byte> compressed() override { return std::span(host_).first(written_); }

 private:
  void reserve(std::size_t bytes) {
    if (bytes == size_) return;
    original_.reset();
    container_.reset();
    size_ = written_ = 0;
    codec_->reserve(bytes);
    host_.resize(codec_->bound(bytes));
    original_ = codec_->buffer(bytes);
    container_ = codec_->buffer(host_.size());
    size_ = bytes;
  }

  template <class Work>
  Lap lap_of(Work work) {
    Lap lap;
    double transfers = 0;
    lap.seconds = wall_seconds([&] { work(transfers); });
    lap.kernel_seconds = codec_->seconds().codec;
    lap.transfer_seconds = transfers;
    return lap;
  }

  std::unique_ptr<codec::DeviceCodec> codec_;
  std::unique_ptr<codec::DeviceBuffer> original_, container_;  // destroyed before the codec
  std::vector<std::byte> host_;  ///< has the capacity for the largest container
  std::size_t size_ = 0, written_ = 0;
};

}  // namespace

std::unique_ptr<TimedCodec> timed_on_device(std::unique_ptr<codec::DeviceCodec> codec) {
  return std::make_unique<DeviceTimedCodec>(std::move(codec));
}

}  // namespace fpsynth::timing
