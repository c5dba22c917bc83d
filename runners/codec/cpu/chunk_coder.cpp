#include "runners/codec/cpu/chunk_coder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "runners/codec/format/container.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::codec {
namespace {

/// Longest block, in bytes, before or after any stage.
std::size_t longest_block(const synth::Pipeline& pipeline, std::size_t word_bytes,
                          std::size_t chunk_words) {
  const std::size_t count = pipeline.stages.size();
  if (count == 0 || count > synth::kMaxStages || pipeline.cut > count) {
    throw Error(
        fmt::format("a pipeline of {} stages with its cut at {}; it takes 1 to {} stages "
                    "and a cut within them",
                    count, pipeline.cut, synth::kMaxStages));
  }
  std::size_t longest = chunk_words * word_bytes;
  for (std::size_t i = 0; i < count; ++i) {
    longest = std::max(longest, synth::worst_case_bytes(pipeline, word_bytes, chunk_words, i));
  }
  return longest;
}

/// Scratch is counted in items of a stage: bytes once a stage runs on bytes.
std::size_t scratch_items(const synth::Pipeline& pipeline, std::size_t word_bytes,
                          std::size_t chunk_words) {
  const std::size_t narrowest = pipeline.cut < pipeline.stages.size() ? 1 : word_bytes;
  return longest_block(pipeline, word_bytes, chunk_words) / narrowest;
}

}  // namespace

ChunkCoder::ChunkCoder(const synth::Pipeline& pipeline, std::size_t word_bytes,
                       std::size_t chunk_words, const components::StageTable& stages)
    : pipeline_(pipeline),
      word_bytes_(word_bytes),
      chunk_words_(chunk_words),
      extents_(pipeline.stages.size()),
      front_(longest_block(pipeline, word_bytes, chunk_words)),
      back_(front_.size()),
      scratch_(scratch_items(pipeline, word_bytes, chunk_words)) {
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const auto [family, parameter] = pipeline.stages[i];
    const std::size_t own = pipeline.stage_word_bytes(i, word_bytes);
    stages_.push_back({&stages.at(family, own), own, parameter, synth::family(family).identity});
  }
}

ChunkCoder::Encoded ChunkCoder::encode(std::span<const std::byte> chunk) {
  if (chunk.empty() || chunk.size() % word_bytes_ != 0 ||
      chunk.size() > chunk_words_ * word_bytes_) {
    throw Error(fmt::format("a chunk of {} bytes; it takes 1 to {} words of {} bytes", chunk.size(),
                            chunk_words_, word_bytes_));
  }
  // Stages want aligned blocks with slack behind them, so the chunk is copied, into L1, first.
  std::byte* in = front_.data();
  std::byte* out = back_.data();
  std::memcpy(in, chunk.data(), chunk.size());
  std::size_t bytes = chunk.size();
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const Stage& stage = stages_[i];
    const std::size_t words = bytes / stage.word_bytes;
    if (stage.identity) {
      extents_[i] = {static_cast<std::uint32_t>(words), 0};
      continue;
    }
    extents_[i] = stage.ops->encode(in, words, out, stage.parameter, scratch_.view());
    bytes = extents_[i].words * stage.word_bytes;
    std::swap(in, out);
  }
  return {{in, bytes}, extents_};
}

std::optional<std::span<const std::byte>> ChunkCoder::decode(
    std::span<const std::byte> block, std::span<const components::Extent> extents,
    std::size_t words) {
  // The checks that make the loop below safe: no length passes its stage's worst case for this
  // chunk, for which the buffers are made, and each stage's input is the output of the one before.
  if (words < 1 || words > chunk_words_ || extents.size() != stages_.size() ||
      check_extents(pipeline_, word_bytes_, words, extents) != stages_.size() ||
      block.size() != extents.back().words * stages_.back().word_bytes) {
    return std::nullopt;
  }
  std::byte* in = front_.data();
  std::byte* out = back_.data();
  std::memmove(in, block.data(), block.size());
  for (std::size_t i = stages_.size(); i-- > 0;) {
    const Stage& stage = stages_[i];
    if (stage.identity) continue;
    const std::size_t bytes =
        i == 0 ? words * word_bytes_ : extents[i - 1].words * stages_[i - 1].word_bytes;
    if (!stage.ops->decode(in, extents[i], out, bytes / stage.word_bytes, stage.parameter,
                           scratch_.view())) {
      return std::nullopt;
    }
    std::swap(in, out);
  }
  return std::span<const std::byte>(in, words * word_bytes_);
}

}  // namespace fpsynth::codec
