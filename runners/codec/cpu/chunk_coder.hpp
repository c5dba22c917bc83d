#pragma once
// Runs one pipeline on one chunk: stage after stage, between two buffers.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "components/scratch.hpp"
#include "components/stage_table.hpp"
#include "synth/pipeline.hpp"
#include "synth/stage_list.hpp"

namespace fpsynth::codec {

/// The stages of a pipeline on one team, with their working memory. Owns two block buffers, sized
/// for the worst case of every stage, and a scratch buffer; encode() and decode() allocate nothing.
/// Movable; used by one thread at a time.
class ChunkCoder {
 public:
  /// For chunks of 1..chunk_words words of `word_bytes` (8 or 4) bytes. Throws Error if the
  /// pipeline has no stage or more than eight, or a cut after its end.
  ChunkCoder(const synth::Pipeline& pipeline, std::size_t word_bytes,
             std::size_t chunk_words = synth::kChunkWords,
             const components::StageTable& stages = components::default_stages());

  /// The encoding of one chunk: the last stage's block, and the length of every stage's output in
  /// words of that stage. Both are views of the coder's memory and valid until its next call.
  struct Encoded {
    std::span<const std::byte> block;
    std::span<const components::Extent> extents;
  };

  /// Runs all stages on `chunk`, which consists of 1..chunk_words whole words and need not be
  /// aligned. Throws Error for any other size.
  Encoded encode(std::span<const std::byte> chunk);
  /// The same without a copy of the chunk, which must be aligned to kBlockAlignment, with
  /// kBlockSlack bytes before and after it that may be read, and must not change meanwhile.
  Encoded encode_in_place(std::span<const std::byte> chunk);

  /// Restores the `words` words that `block` and `extents` (one per stage) encode. Returns words *
  /// word_bytes bytes of the coder's memory, valid until its next call. All three arguments may be
  /// forged: returns nullopt if they are not the encoding of any chunk of that length. `block` may
  /// be a result of encode() on this coder.
  std::optional<std::span<const std::byte>> decode(std::span<const std::byte> block,
                                                   std::span<const components::Extent> extents,
                                                   std::size_t words);

  const synth::Pipeline& pipeline() const { return pipeline_; }
  std::size_t word_bytes() const { return word_bytes_; }
  std::size_t chunk_words() const { return chunk_words_; }

 private:
  struct Stage {
    const components::StageOps* ops;
    std::size_t word_bytes;
    unsigned parameter;
    bool identity;  ///< NUL: skipped, because its output is its input
  };

  /// Throws Error unless a chunk can have this many bytes.
  void refuse_size(std::size_t bytes) const;

  synth::Pipeline pipeline_;
  synth::PipelineStages listed_;
  std::size_t word_bytes_, chunk_words_;
  std::vector<Stage> stages_;
  std::vector<components::Extent> extents_;
  components::BlockBuffer blocks_[2];
  components::ScratchBuffer scratch_;
};

}  // namespace fpsynth::codec
