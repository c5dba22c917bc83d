#pragma once
// The container that `compress` writes, byte for byte: FORMAT.md beside this file.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "components/extent.hpp"
#include "runners/codec/format/layout.hpp"
#include "synth/pipeline.hpp"
#include "synth/stage_list.hpp"

namespace fpsynth::codec {

/// Chunk lengths, in words, that a reader accepts. Writers write synth::kChunkWords.
inline constexpr std::uint32_t kMaxChunkWords = 65536;

/// What the header of a file says. Words are `word_bytes` bytes long; the trailing bytes that fill
/// no word belong to no chunk.
struct Header {
  synth::Pipeline pipeline;
  std::size_t word_bytes = 8;
  std::uint32_t chunk_words = synth::kChunkWords;
  std::uint64_t original_bytes = 0;
  std::uint64_t checksum = 0;  ///< XXH3-64 of the original bytes

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
/// input of `original_bytes` bytes. What the search reports beside the payload.
std::size_t overhead_bytes(const synth::Pipeline& pipeline, std::uint64_t original_bytes,
                           std::size_t word_bytes);

/// The header's bytes. Throws Error where a reader would not accept them: a pipeline of no or more
/// than eight stages or without ZE or RLE at its end, an unknown word size, an empty original.
std::vector<std::byte> serialize(const Header& header);

/// Reads the header that begins `file`, whose bytes may be anything. Throws Error, which starts
/// with `name` and says what is wrong. Does not look behind the header.
Header parse_header(std::span<const std::byte> file, std::string_view name);

/// The frames and the layout of the containers of a pipeline that is known at run time. (frames.hpp
/// and layout.hpp define them; this keeps their instances in one place.)
class PipelineFrames {
 public:
  /// Of a header that serialize() or parse_header() has accepted: of its pipeline, its word size
  /// and its chunk length.
  explicit PipelineFrames(const Header& header);

  const synth::PipelineStages& stages() const { return stages_; }
  bool wide() const { return wide_; }
  /// Bytes of a frame.
  std::size_t bytes() const { return shape_.frame_bytes; }
  ContainerLayout layout(std::uint64_t original_bytes) const { return {shape_, original_bytes}; }

  /// Writes one chunk's frame, of one extent per stage, to out[0..bytes()).
  void write(std::span<const components::Extent> extents, std::byte* out) const;
  /// Reads the frame of a chunk of `words` words (1..chunk length) into one extent per stage:
  /// read_frame().
  std::uint32_t read(const std::byte* frame, std::size_t words,
                     std::span<components::Extent> extents) const;

 private:
  synth::PipelineStages stages_;
  ContainerShape shape_;
  bool wide_;
};

}  // namespace fpsynth::codec
