#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "components/stage_table.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/streams.hpp"
#include "runners/device/cpu_name.hpp"
#include "runners/timing/backend.hpp"
#include "runners/timing/timing.hpp"
#include "synth/common/error.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::throughput {
namespace {

template <class Work>
Lap lap_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  return {.seconds = passed.count(), .kernel_seconds = {}, .transfer_seconds = {}};
}

class LibraryCodec : public TimedCodec {
 public:
  LibraryCodec(synth::Pipeline pipeline, synth::Precision precision, std::uint64_t threads)
      : pipeline_(std::move(pipeline)), word_bytes_(synth::word_bytes(precision)) {
    options_.threads = static_cast<int>(threads);
  }

  Lap compress(std::span<const std::byte> input) override {
    sink_.bytes().clear();  // keeps the memory of the run before
    return lap_of(
        [&] { codec::compress(input, "the input", pipeline_, word_bytes_, sink_, options_); });
  }

  Lap decompress(std::span<std::byte> output) override {
    return lap_of([&] { codec::decompress_into(sink_.bytes(), output, options_); });
  }

  std::span<const std::byte> compressed() override { return sink_.bytes(); }

 private:
  synth::Pipeline pipeline_;
  std::size_t word_bytes_;
  codec::CodecOptions options_;
  codec::MemorySink sink_;
};

class CopyCodec : public TimedCodec {
 public:
  explicit CopyCodec(std::uint64_t threads) : threads_(static_cast<int>(threads)) {}

  Lap compress(std::span<const std::byte> input) override {
    copy_.resize(input.size());
    return lap_of([&] { copy(input.data(), copy_.data()); });
  }

  Lap decompress(std::span<std::byte> output) override {
    if (output.size() != copy_.size()) throw Error("a copy of another size was asked for");
    return lap_of([&] { copy(copy_.data(), output.data()); });
  }

  std::span<const std::byte> compressed() override { return copy_; }

 private:
  void copy(const std::byte* from, std::byte* to) const {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    const std::size_t pieces = (copy_.size() + kPiece - 1) / kPiece;
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const std::size_t at = piece * kPiece;
      std::memcpy(to + at, from + at, std::min(kPiece, copy_.size() - at));
    }
  }

  int threads_;
  std::vector<std::byte> copy_;
};

Way library_way(std::uint64_t threads) {
  return {.how = "library",
          .version = std::string("fpsynth ") + synth::kVersion,
          .threads = threads,
          .make = [threads](const synth::Pipeline& pipeline, synth::Precision precision) {
            return std::make_unique<LibraryCodec>(pipeline, precision, threads);
          }};
}

}  // namespace

Backend cpu_backend(int threads) {
  Backend backend;
  backend.name = "cpu";
  backend.device = search::cpu_name();
  backend.instruction_set = components::default_stages().name();
  backend.threads = static_cast<std::uint64_t>(threads > 0 ? threads : omp_get_max_threads());
  backend.cache_bytes = last_level_cache_bytes();
  backend.copy_name = "memcpy";
  backend.copy = memory_copy;
  backend.ways = {library_way(1)};
  if (backend.threads > 1) backend.ways.push_back(library_way(backend.threads));
  return backend;
}

std::unique_ptr<TimedCodec> memory_copy(std::uint64_t threads) {
  return std::make_unique<CopyCodec>(threads);
}

}  // namespace fpsynth::throughput
