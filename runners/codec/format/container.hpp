#pragma once
// The container that `compress` writes. FORMAT.md in this directory defines every byte.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "components/family.hpp"
#include "runners/codec/format/layout.hpp"
#include "synth/pipeline.hpp"
#include "synth/stage_list.hpp"

namespace fpsynth::codec {

class PatchableSink;

/// The longest chunks, in words, that a reader accepts. Writers write synth::kChunkWords unless
/// they are told another length.
inline constexpr std::uint32_t kMaxChunkWords = 65536;

/// The contents of a file's header. Words are `word_bytes` bytes long; no chunk contains the
/// trailing bytes that do not fill a word.
struct Header {
  synth::Pipeline pipeline;
  std::size_t word_bytes = 8;
  std::uint32_t chunk_words = synth::kChunkWords;
  std::uint64_t original_bytes = 0;
  std::uint64_t checksum = 0;  ///< of the original bytes (header.hpp)

  std::size_t tail_bytes() const { return original_bytes % word_bytes; }
  std::uint64_t words() const { return original_bytes / word_bytes; }
  std::uint64_t chunks() const { return chunk_count(words(), chunk_words); }
  /// Words in a chunk: `chunk_words`, or what is left for the last one.
  std::size_t words_of(std::uint64_t chunk) const {
    return words_in_chunk(words(), chunk_words, chunk);
  }
  std::size_t chunk_bytes() const { return chunk_words * word_bytes; }
};

/// Bytes of the header alone; they depend on the number of stages only.
std::size_t header_bytes(const synth::Pipeline& pipeline);

/// Bytes of a file that are neither frames nor blocks: the header and the trailing bytes of an
/// input of `original_bytes` bytes. The search reports them beside the payload.
std::size_t overhead_bytes(const synth::Pipeline& pipeline, std::uint64_t original_bytes,
                           std::size_t word_bytes);

/// The header's bytes. Throws Error if a reader would not accept them: a pipeline without stages,
/// with more than eight stages or without a reducer at its end, an unknown word size.
std::vector<std::byte> serialize(const Header& header);

/// A header without a checksum. Throws Error as serialize() does, before anything relies on it.
Header header_of(const synth::Pipeline& pipeline, std::size_t word_bytes, std::size_t chunk_words,
                 std::uint64_t original_bytes);

/// Reads the header at the start of `file`, whose bytes may be anything, and nothing after it.
/// Throws Error, which starts with `name` and says what is wrong. A header is at most
/// Input::kChecked bytes long.
Header parse_header(std::span<const std::byte> file, std::string_view name);

/// The frames and the layout of the containers of a pipeline that is known at run time.
/// (layout.hpp defines both; this class keeps its template instances in one place.)
class PipelineFrames {
 public:
  /// For the pipeline, word size and chunk length of a header that serialize() or parse_header()
  /// has accepted.
  explicit PipelineFrames(const Header& header);

  const synth::PipelineStages& stages() const { return stages_; }
  bool wide() const { return wide_; }
  /// Bytes of a frame.
  std::size_t bytes() const { return shape_.frame_bytes; }
  ContainerLayout layout(std::uint64_t original_bytes) const { return {shape_, original_bytes}; }

  /// Writes one chunk's frame, given one extent per stage, to out[0..bytes()).
  void write(std::span<const components::Extent> extents, std::byte* out) const;
  /// Reads the frame of a chunk of `words` words (1..chunk length) into one extent per stage, like
  /// read_frame().
  std::uint32_t read(const std::byte* frame, std::size_t words,
                     std::span<components::Extent> extents) const;

 private:
  synth::PipelineStages stages_;
  ContainerShape shape_;
  bool wide_;
};

/// Writes a container to a sink; the chunks are encoded elsewhere. Writes the header and the tail
/// immediately and reserves space for the frames. Appends blocks as they come, and writes frames
/// into the reserved space. Throws what the sink throws.
class ContainerWriter {
 public:
  /// `tail`: the trailing bytes of the original, which fill no word.
  ContainerWriter(const Header& header, std::span<const std::byte> tail, PatchableSink& sink);

  /// Add the frames and the blocks of the next chunks. A chunk's frame and block may come in
  /// separate calls.
  void add_frames(std::span<const std::byte> frames);
  void add_blocks(std::span<const std::byte> blocks);
  /// Writes the remaining frames and the checksum and returns the container's length. Does not
  /// finish the sink.
  std::uint64_t finish(std::uint64_t checksum);

 private:
  /// Frames are collected up to this many bytes between patches.
  static constexpr std::size_t kPatchBytes = std::size_t{256} << 10;

  void put(std::span<const std::byte> bytes);
  void patch_frames();

  PatchableSink& sink_;
  std::uint64_t checksum_at_, written_ = 0, frames_at_ = 0;
  std::vector<std::byte> frames_;  ///< not written yet; they go to frames_at_
};

// Errors of the codecs that throw, made from a status or a fault.

/// Throws Error: `what` is wrong with the file.
[[noreturn]] void refuse_damaged(std::string_view name, std::string_view what);
/// Throws Error unless the container of `size` bytes is long enough for all its frames.
void refuse_truncated(std::string_view name, const Header& header, const ContainerLayout& layout,
                      std::uint64_t size);
/// Throws Error that says what is wrong in the container `name`. `frame`: the chunk's frame if that
/// is what is wrong; otherwise ignored.
[[noreturn]] void refuse_fault(std::string_view name, const Header& header, const Fault& fault,
                               const std::byte* frame = nullptr);
/// Throws Error unless the checksum of the decoded data equals the header's.
void refuse_wrong_sum(std::string_view name, const Header& header, std::uint64_t found);

/// Throws Error: the container has `needed` bytes or more, but the output holds only `capacity`.
[[noreturn]] void refuse_capacity(std::size_t capacity, std::size_t needed, std::size_t bound);
/// Throws Error unless both have the same pipeline, word size and chunk length.
void refuse_other_format(const Header& container, const Header& codec);

}  // namespace fpsynth::codec
