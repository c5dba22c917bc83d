#pragma once
// The container that `compress` writes, byte for byte: FORMAT.md beside this file.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "components/stage_table.hpp"
#include "runners/codec/format/wire.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::codec {

/// Chunk lengths, in words, that a reader accepts. Writers write synth::kChunkWords.
inline constexpr std::uint32_t kMaxChunkWords = 65536;

/// What the front of a file says. Words are `word_bytes` bytes long; the trailing bytes that fill
/// no word belong to no chunk.
struct Header {
  synth::Pipeline pipeline;
  std::size_t word_bytes = 8;
  std::uint32_t chunk_words = synth::kChunkWords;
  std::uint64_t original_bytes = 0;
  std::uint64_t checksum = 0;  ///< XXH3-64 of the original bytes

  std::size_t tail_bytes() const { return original_bytes % word_bytes; }
  std::uint64_t words() const { return original_bytes / word_bytes; }
  std::uint64_t chunks() const {
    return words() / chunk_words + (words() % chunk_words != 0 ? 1 : 0);
  }
  /// Words in a chunk: `chunk_words`, or what is left for the last one.
  std::size_t words_of(std::uint64_t chunk) const {
    const std::uint64_t left = words() - chunk * chunk_words;
    return left < chunk_words ? static_cast<std::size_t>(left) : chunk_words;
  }
};

/// Bytes of the header alone; they depend on the number of stages only.
std::size_t header_bytes(const synth::Pipeline& pipeline);

/// Bytes of a file that are neither frames nor blocks: the header and the trailing bytes of an
/// input of `original_bytes` bytes. What the search reports beside the payload.
std::size_t overhead_bytes(const synth::Pipeline& pipeline, std::uint64_t original_bytes,
                           std::size_t word_bytes);

/// Where in a file the checksum stands, so that it can be filled in last.
std::size_t checksum_offset(const synth::Pipeline& pipeline);

/// The checksum's eight bytes.
std::vector<std::byte> checksum_bytes(std::uint64_t checksum);

/// The header's bytes. Throws Error where a reader would not accept them: a pipeline of no or more
/// than eight stages or without ZE or RLE at its end, an unknown word size, an empty original.
std::vector<std::byte> serialize(const Header& header);

/// Reads the header at the front of `file`, whose bytes may be anything. Throws Error, which starts
/// with `name` and says what is wrong. Does not look behind the header.
Header parse_header(std::span<const std::byte> file, std::string_view name);

/// How the frame of a chunk is laid out: one length for each ZE stage, two for each RLE stage, 16
/// bits each, or 32 where a stage's worst case needs it.
class FrameLayout {
 public:
  FrameLayout(const synth::Pipeline& pipeline, std::size_t word_bytes, std::size_t chunk_words);

  std::size_t bytes() const { return bytes_; }
  bool wide() const { return wide_; }

  /// Writes one chunk's frame to out[0..bytes()).
  void write(std::span<const components::Extent> extents, std::byte* out) const;

  /// Reads the frame of a chunk of `words` words (1..chunk length) and completes it with the stages
  /// that keep their input's length: one extent per stage. The lengths are as the file has them,
  /// unchecked; a length that does not fit 32 bits is given as the largest, which no check passes.
  void read(const std::byte* frame, std::size_t words, std::span<components::Extent> extents) const;

 private:
  struct Stage {
    std::uint8_t fields;
    std::uint8_t rescale;  ///< words of this stage per word of the one before
  };
  std::vector<Stage> stages_;
  std::size_t bytes_;
  bool wide_;
};

/// Checks a chunk's lengths as far as they can be without looking at the blocks: every stage's
/// output is between one word and the stage's worst case, stages without a frame keep their input's
/// length, and value words are within the block. Returns the number of the first offending stage,
/// or the number of stages if all is well.
std::size_t check_extents(const synth::Pipeline& pipeline, std::size_t word_bytes,
                          std::size_t words, std::span<const components::Extent> extents);

}  // namespace fpsynth::codec
