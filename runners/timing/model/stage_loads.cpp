#include "runners/timing/model/fit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "components/scratch.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/codec/cpu/stage_load.hpp"
#include "runners/timing/measure.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::timing {

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

using codec::StageLoadMean;

/// Adds one encoded chunk to the loads of all stages.
void add(std::vector<StageLoadMean>& loads, const codec::ChunkCoder& coder, std::size_t chunk_bytes,
         std::span<const components::Extent> extents) {
  std::size_t in = chunk_bytes;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t word = coder.pipeline().stage_word_bytes(i, coder.word_bytes());
    loads[i].add(in, extents[i], word);
    in = extents[i].words * word;
  }
}

std::vector<StageLoad> means(const std::vector<StageLoadMean>& loads) {
  std::vector<StageLoad> means;
  for (const StageLoadMean& load : loads) means.push_back(load.mean());
  return means;
}

struct EncodedChunk {
  std::vector<std::byte> block;
  std::vector<components::Extent> extents;
};

}  // namespace

std::vector<StageLoad> stage_loads(codec::ChunkCoder& coder, const Chunks& chunks) {
  std::vector<StageLoadMean> loads(coder.pipeline().stages.size());
  for (const auto chunk : chunks) add(loads, coder, chunk.size(), coder.encode(chunk).extents);
  return means(loads);
}

TimedStages time_stages(const synth::Pipeline& pipeline, std::size_t word_bytes,
                        const Chunks& chunks, int repetitions) {
  codec::ChunkCoder coder(pipeline, word_bytes, chunks.front().size() / word_bytes);
  TimedStages timed{.pipeline = pipeline, .loads = {}};
  std::vector<StageLoadMean> loads(pipeline.stages.size());
  std::vector<EncodedChunk> encoded;
  for (const auto chunk : chunks) {
    const auto [block, extents] = coder.encode(chunk);
    encoded.push_back({{block.begin(), block.end()}, {extents.begin(), extents.end()}});
    add(loads, coder, chunk.size(), extents);
  }
  timed.loads = means(loads);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const auto decoded =
        coder.decode(encoded[i].block, encoded[i].extents, chunks[i].size() / word_bytes);
    if (!decoded || !std::ranges::equal(*decoded, chunks[i])) {
      throw RoundTripError(fmt::format("{} does not restore a chunk, so it is not timed",
                                       synth::to_string(pipeline)));
    }
  }
  // As in the codec, blocks are copied out of the coder, and decoded from memory outside it.
  std::vector<std::byte> original(chunks.front().size());
  std::vector<double> encoding, decoding;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    encoding.push_back(wall_seconds([&] {
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        const auto block = coder.encode(chunks[i]).block;
        std::memcpy(encoded[i].block.data(), block.data(), block.size());
      }
    }));
    decoding.push_back(wall_seconds([&] {
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        const auto decoded =
            coder.decode(encoded[i].block, encoded[i].extents, chunks[i].size() / word_bytes);
        std::memcpy(original.data(), decoded->data(), decoded->size());
      }
    }));
  }
  const double nanoseconds = 1e9 / static_cast<double>(chunks.size());
  timed.compress_ns = nanoseconds * results::median(std::move(encoding));
  timed.decompress_ns = nanoseconds * results::median(std::move(decoding));
  return timed;
}

}  // namespace fpsynth::timing
