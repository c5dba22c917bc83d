#include "runners/baselines/mpc/compressor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/codec/cpu/chunk_coder.hpp"
#include "runners/codec/cpu/parallel.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/version.hpp"
#include "synth/stage_list.hpp"

namespace fpsynth::baselines {

using synth::Precision;

synth::Pipeline mpc_pipeline(unsigned dimensionality) {
  expect_allowed("MPC with dimensionality {}", dimensionality, 1, kMaxMpcDimensionality);
  return synth::parse_pipeline(fmt::format("LNV{}s BIT LNV1s ZE", dimensionality));
}

std::array<std::uint64_t, kMaxMpcDimensionality> mpc_sizes(std::span<const std::byte> input,
                                                           Precision precision, int threads) {
  const std::size_t word_bytes = synth::word_bytes(precision);
  codec::Header header;
  header.pipeline = mpc_pipeline(1);
  header.word_bytes = word_bytes;
  header.original_bytes = input.size();
  codec::serialize(header);  // refuses words of another size
  const std::uint64_t chunks = header.chunks();
  const std::size_t chunk_bytes = header.chunk_words * word_bytes;
  const auto words = input.first(input.size() - header.tail_bytes());

  // Working memory is allocated here, because the threads' work must not throw.
  const auto threads_used = static_cast<std::size_t>(codec::threads_for(threads, chunks));
  std::vector<std::vector<codec::ChunkCoder>> coders(threads_used);
  for (auto& own : coders) {
    for (unsigned d = 1; d <= kMaxMpcDimensionality; ++d) {
      own.emplace_back(mpc_pipeline(d), word_bytes, header.chunk_words);
    }
  }
  std::vector<std::array<std::uint64_t, kMaxMpcDimensionality>> blocks(threads_used);
  constexpr std::uint64_t kChunksAtATime = 16;
  std::atomic<std::uint64_t> next = 0;
  codec::on_threads(threads_used, [&](std::size_t thread) {
    std::array<std::uint64_t, kMaxMpcDimensionality> sums{};
    for (std::uint64_t first; (first = next.fetch_add(kChunksAtATime)) < chunks;) {
      // Encodes a chunk with all dimensionalities before the next chunk, so that the data are read
      // once.
      for (std::uint64_t chunk = first; chunk < std::min(chunks, first + kChunksAtATime); ++chunk) {
        const std::size_t at = chunk * chunk_bytes;
        const auto data = words.subspan(at, std::min(chunk_bytes, words.size() - at));
        for (std::size_t i = 0; i < sums.size(); ++i) {
          sums[i] += coders[thread][i].encode(data).block.size();
        }
      }
    }
    blocks[thread] = sums;
  });
  // Header, tail and frames have the same length for every dimensionality.
  std::array<std::uint64_t, kMaxMpcDimensionality> sizes;
  sizes.fill(codec::overhead_bytes(header.pipeline, input.size(), word_bytes) +
             chunks * synth::frame_bytes(header.pipeline, word_bytes, header.chunk_words));
  for (const auto& sums : blocks) {
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] += sums[i];
  }
  return sizes;
}

void check_mpc(const codec::Header& header, std::string_view name) {
  const unsigned dimensionality = header.pipeline.stages.front().parameter;
  if (dimensionality < 1 || header.pipeline != mpc_pipeline(dimensionality)) {
    raise("{}: its pipeline is {}, which is not MPC's; use fpsynth decompress", name,
          synth::to_string(header.pipeline));
  }
}

unsigned mpc_best(const std::array<std::uint64_t, kMaxMpcDimensionality>& sizes) {
  return static_cast<unsigned>(std::ranges::min_element(sizes) - sizes.begin()) + 1;
}

Compressor mpc(unsigned dimensionality) {
  Compressor mpc = timing::pipeline_compressor({{}, mpc_pipeline(dimensionality)}, "MPC");
  mpc.version = synth::kVersion;
  mpc.precisions = {Precision::Double, Precision::Single};
  mpc.decompress = [](std::span<const std::byte> file, Precision precision,
                      std::span<std::byte> original) {
    const codec::Header header = codec::parse_header(file, "MPC file");
    check_mpc(header, "MPC file");
    if (header.word_bytes != synth::word_bytes(precision)) {
      raise("MPC file: words of {} bytes, not {} precision; use the other precision",
            header.word_bytes, synth::to_string(precision));
    }
    codec::decompress_into(file, original, {}, "MPC file");
  };
  return mpc;
}

namespace {

class Mpc final : public Baseline {
 public:
  Description description() const override {
    return {.name = "mpc",
            .title = "MPC",
            .help = "MPC: the pipeline LNVds BIT LNV1s ZE",
            .example = "plasma.f64 plasma.fps --dim auto",
            .ending = "fps",
            .singles = true,
            .checksum = true,
            .compress_threads = true,
            .decompress_threads = true,
            .check = codec::parse_header};
  }
  std::vector<Parameter> parameters() override {
    return {{.names = "--dim",
             .help = "Dimensionality, 1 to 64, or auto: measure all 64, use the best, report it",
             .value = &dimensionality_,
             .least = 1,
             .most = kMaxMpcDimensionality,
             .word = "auto"}};
  }
  std::uint64_t compress(const Work& work, codec::PatchableSink& sink) override {
    unsigned dimensionality = 0;
    if (dimensionality_ == "auto") {
      const auto sizes = mpc_sizes(work.bytes, work.precision, work.threads);
      dimensionality = mpc_best(sizes);
      const auto ratio = [&](unsigned d) {
        return static_cast<double>(work.bytes.size()) / static_cast<double>(sizes[d - 1]);
      };
      work.report(fmt::format("dimensionality {}: ratio {:.4f}, the best of 1 to {}; 1 has {:.4f}",
                              dimensionality, ratio(dimensionality), kMaxMpcDimensionality,
                              ratio(1)));
    } else {
      dimensionality = static_cast<unsigned>(std::stoul(dimensionality_));
    }
    return codec::compress(work.bytes, work.name, mpc_pipeline(dimensionality),
                           synth::word_bytes(work.precision), sink, {.threads = work.threads});
  }
  std::uint64_t decompress(const Work& work, codec::PatchableSink& sink) override {
    check_mpc(codec::parse_header(work.bytes, work.name), work.name);
    return codec::decompress(work.bytes, work.name, sink, {.threads = work.threads});
  }
  Compressor compressor(unsigned dimensionality) override { return mpc(dimensionality); }

 private:
  unsigned most_dimensionality() const override { return kMaxMpcDimensionality; }
  unsigned best_dimensionality(std::span<const std::byte> input,
                               Precision precision) const override {
    return mpc_best(mpc_sizes(input, precision));
  }

  std::string dimensionality_ = "auto";
};

}  // namespace

std::unique_ptr<Baseline> mpc_baseline() { return std::make_unique<Mpc>(); }

}  // namespace fpsynth::baselines
