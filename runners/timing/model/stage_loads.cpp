#include "runners/timing/model/stage_loads.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "components/scratch.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/timing/measure.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::throughput {

using results::StageLoad;

Chunks sample_chunks(std::span<const std::byte> data, std::size_t word_bytes, std::size_t count) {
  const std::size_t chunk = synth::kChunkWords * word_bytes;
  const std::size_t whole = data.size() / chunk;
  if (whole == 0) {
    const std::size_t bytes = data.size() / word_bytes * word_bytes;
    if (bytes == 0) throw Error(fmt::format("no whole word of {} bytes to time", word_bytes));
    return {data.first(bytes)};
  }
  count = std::min(count, whole);
  Chunks chunks;
  for (std::size_t i = 0; i < count; ++i) {
    chunks.push_back(data.subspan(i * whole / count * chunk, chunk));
  }
  return chunks;
}

namespace {

/// Adds up the loads of one encoded chunk.
void add(std::vector<StageLoad>& loads, const codec::ChunkCoder& chain, std::size_t chunk_bytes,
         std::span<const components::Extent> extents) {
  std::size_t in = chunk_bytes;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t word = chain.pipeline().stage_word_bytes(i, chain.word_bytes());
    const std::size_t out = extents[i].words * word;
    loads[i].in_bytes += static_cast<double>(in);
    loads[i].out_bytes += static_cast<double>(out);
    loads[i].ragged += in % components::kBlockAlignment != 0;
    if (extents[i].values > 0) {
      loads[i].control += std::sqrt(static_cast<double>(out - extents[i].values * word));
    }
    in = out;
  }
}

void divide(std::vector<StageLoad>& loads, std::size_t chunks) {
  const auto count = static_cast<double>(chunks);
  for (StageLoad& load : loads) {
    load = {load.in_bytes / count, load.out_bytes / count, load.ragged / count,
            load.control / count};
  }
}

template <class Work>
double nanoseconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  return passed.count() * 1e9;
}

struct EncodedChunk {
  std::vector<std::byte> block;
  std::vector<components::Extent> extents;
};

}  // namespace

std::vector<StageLoad> stage_loads(codec::ChunkCoder& chain, const Chunks& chunks) {
  std::vector<StageLoad> loads(chain.pipeline().stages.size());
  for (const auto chunk : chunks) add(loads, chain, chunk.size(), chain.encode(chunk).extents);
  divide(loads, chunks.size());
  return loads;
}

TimedChain time_chain(const synth::Pipeline& pipeline, std::size_t word_bytes, const Chunks& chunks,
                      int repetitions) {
  codec::ChunkCoder chain(pipeline, word_bytes, chunks.front().size() / word_bytes);
  TimedChain timed{.pipeline = pipeline, .loads = {}};
  timed.loads.resize(pipeline.stages.size());
  std::vector<EncodedChunk> encoded;
  for (const auto chunk : chunks) {
    const auto [block, extents] = chain.encode(chunk);
    encoded.push_back({{block.begin(), block.end()}, {extents.begin(), extents.end()}});
    add(timed.loads, chain, chunk.size(), extents);
  }
  divide(timed.loads, chunks.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const auto back =
        chain.decode(encoded[i].block, encoded[i].extents, chunks[i].size() / word_bytes);
    if (!back || !std::ranges::equal(*back, chunks[i])) {
      throw baselines::RoundTripError(fmt::format(
          "{} does not give a chunk back; nothing is worth timing", synth::to_string(pipeline)));
    }
  }
  // As in the codec, blocks leave the chain, and come from memory that is not its own.
  std::vector<std::byte> room(chunks.front().size());
  std::vector<double> encoding, decoding;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    encoding.push_back(nanoseconds_of([&] {
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        const auto block = chain.encode(chunks[i]).block;
        std::memcpy(encoded[i].block.data(), block.data(), block.size());
      }
    }));
    decoding.push_back(nanoseconds_of([&] {
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        const auto back =
            chain.decode(encoded[i].block, encoded[i].extents, chunks[i].size() / word_bytes);
        std::memcpy(room.data(), back->data(), back->size());
      }
    }));
  }
  const auto count = static_cast<double>(chunks.size());
  timed.compress_ns = results::median(std::move(encoding)) / count;
  timed.decompress_ns = results::median(std::move(decoding)) / count;
  return timed;
}

}  // namespace fpsynth::throughput
