#include "runners/codec/cpu/chunk_coder.hpp"

#include <cstring>
#include <utility>

#include "runners/codec/format/layout.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::codec {
namespace {

using components::BlockBuffer;

const synth::Pipeline& checked(const synth::Pipeline& pipeline) {
  const std::size_t count = pipeline.stages.size();
  if (count == 0 || count > synth::kMaxStages || pipeline.cut > count) {
    raise(
        "a pipeline of {} stages with its cut at {}; a pipeline has 1 to {} stages and a cut among "
        "them",
        count, pipeline.cut, synth::kMaxStages);
  }
  return pipeline;
}

BlockBuffer block_buffer(const synth::PipelineStages& stages, std::size_t chunk_words) {
  return BlockBuffer(components::longest_block(stages, chunk_words));
}

/// Scratch memory is counted in a stage's items: in bytes if any stage runs on bytes.
components::ScratchBuffer scratch_buffer(const synth::PipelineStages& stages,
                                         std::size_t chunk_words) {
  const std::size_t narrowest = stages[stages.size() - 1].word_bytes();
  return components::ScratchBuffer(components::longest_block(stages, chunk_words) / narrowest);
}

}  // namespace

ChunkCoder::ChunkCoder(const synth::Pipeline& pipeline, std::size_t word_bytes,
                       std::size_t chunk_words, const components::StageTable& stages)
    : pipeline_(checked(pipeline)),
      listed_(pipeline, word_bytes),
      word_bytes_(word_bytes),
      chunk_words_(chunk_words),
      extents_(pipeline.stages.size()),
      blocks_{block_buffer(listed_, chunk_words), block_buffer(listed_, chunk_words)},
      scratch_(scratch_buffer(listed_, chunk_words)) {
  listed_.for_each([&](std::size_t, const synth::PipelineStage& stage) {
    const auto [family, parameter] = stage.component();
    stages_.push_back({&stages.at(family, stage.word_bytes()), stage.word_bytes(), parameter,
                       stage.traits().identity});
    return true;
  });
}

ChunkCoder::Encoded ChunkCoder::encode(std::span<const std::byte> chunk) {
  refuse_size(chunk.size());
  // Stages need aligned blocks with slack around them, so the chunk is first copied, into L1.
  std::memcpy(blocks_[0].data(), chunk.data(), chunk.size());
  return encode_in_place({blocks_[0].data(), chunk.size()});
}

void ChunkCoder::refuse_size(std::size_t bytes) const {
  if (bytes == 0 || bytes % word_bytes_ != 0 || bytes > chunk_words_ * word_bytes_) {
    raise("a chunk of {} bytes; a chunk has 1 to {} words of {} bytes", bytes, chunk_words_,
          word_bytes_);
  }
}

ChunkCoder::Encoded ChunkCoder::encode_in_place(std::span<const std::byte> chunk) {
  refuse_size(chunk.size());
  const std::byte* in = chunk.data();
  std::byte* out = blocks_[1].data();
  std::byte* next = blocks_[0].data();
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
    in = out;
    std::swap(out, next);
  }
  return {{in, bytes}, extents_};
}

std::optional<std::span<const std::byte>> ChunkCoder::decode(
    std::span<const std::byte> block, std::span<const components::Extent> extents,
    std::size_t words) {
  // These checks make the loop below safe: no length exceeds its stage's worst case for this chunk,
  // for which the buffers are sized, and each stage's input is the output of the stage before.
  if (words < 1 || words > chunk_words_ || extents.size() != stages_.size() ||
      check_extents(listed_, words, extents.data()) != kGoodFrame ||
      block.size() != extents.back().words * stages_.back().word_bytes) {
    return std::nullopt;
  }
  std::byte* in = blocks_[0].data();
  std::byte* out = blocks_[1].data();
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
