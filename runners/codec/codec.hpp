#pragma once
// Compression and decompression of whole inputs with a method: a prelude on all words, and a
// pipeline on chunks of them. A pipeline alone is a method without a prelude.
//
// All functions work in parallel (cpu/containers.hpp). Without a prelude, the memory used does not
// grow with the input.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "runners/codec/cpu/containers.hpp"
#include "runners/codec/streams.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::codec {

/// Compresses `input`, called `name` and possibly empty, as words of `word_bytes` (8 or 4) bytes;
/// trailing bytes that do not fill a word are stored verbatim. Writes the container, of version 3
/// if the method has a prelude, to `sink` and returns its length in bytes. The caller finishes the
/// sink. With a prelude, uses as much memory as the input, and DICT's tables. Throws Error if the
/// container cannot hold the method or the chunk length, if the prelude does not suit the words,
/// and if memory is insufficient; and whatever the sink throws.
std::uint64_t compress(std::span<const std::byte> input, std::string_view name,
                       const synth::Method& method, std::size_t word_bytes, PatchableSink& sink,
                       const CodecOptions& options = {});

/// The same, in memory.
std::vector<std::byte> compress(std::span<const std::byte> input, const synth::Method& method,
                                std::size_t word_bytes, const CodecOptions& options = {});

/// The most bytes that compress() makes of `bytes` bytes, whatever they are; 0 if no memory is that
/// large. Throws Error for a method, words and chunks that compress() refuses.
std::size_t bound(std::size_t bytes, const synth::Method& method, std::size_t word_bytes,
                  std::size_t chunk_words = synth::kChunkWords);

/// A run of the words of an input, and what it is compressed with.
struct Section {
  std::uint64_t words = 0;
  synth::Method method;
  std::size_t chunk_words = synth::kChunkWords;
};

/// Compresses a section's bytes to the sink, as compress() does, on whatever device, and returns
/// the container's length.
using SectionCompressor =
    std::function<std::uint64_t(std::span<const std::byte>, const Section&, PatchableSink&)>;

/// Compresses sections, which are all words of `input`, one after the other; the last one has its
/// trailing bytes, too. Writes a file of sections, of one the container alone, and returns its
/// length. `one`: compresses each; null: compress() with `options`, but their chunk length.
/// `before`: a prelude of several sections together, which are those of the words behind it. Throws
/// Error if there are no sections or more than kMostSections, if one has no words beside others, if
/// they have more or fewer than the input, and what compressing throws.
std::uint64_t compress_sections(std::span<const std::byte> input, std::string_view name,
                                std::span<const Section> sections, std::size_t word_bytes,
                                PatchableSink& sink, const CodecOptions& options = {},
                                const SectionCompressor& one = {},
                                const synth::Prelude& before = {});

/// The same, in memory.
std::vector<std::byte> compress_sections(std::span<const std::byte> input,
                                         std::span<const Section> sections, std::size_t word_bytes,
                                         const CodecOptions& options = {},
                                         const synth::Prelude& before = {});

/// The bytes of the original of a file, which may hold any bytes; of one with a description, of its
/// words. Throws Error, which starts with `name`, if what says so is damaged.
std::uint64_t original_bytes(std::span<const std::byte> file, std::string_view name);

/// Restores the original of a container, of one with a description its words, to `sink` and returns
/// its length. `file` may hold any bytes. The structure is checked before the first byte is
/// written, the checksum after the last one. If this throws, what was written must be discarded; a
/// sink that is never finished does that itself, unless it is a pipe. Throws Error, which starts
/// with `name`.
std::uint64_t decompress(std::span<const std::byte> file, std::string_view name, Sink& sink,
                         const CodecOptions& options = {});

/// The same, in memory, of at most `options.limit` bytes. The vector grows as data are decoded, by
/// steps of at most 64 times the file's size or the vector's own size, so a forged header cannot
/// make it allocate much more than that.
std::vector<std::byte> decompress(std::span<const std::byte> file, const CodecOptions& options = {},
                                  std::string_view name = "compressed data");

/// The same, to the caller's memory, which must have exactly the original's size (parse_header()
/// reads it); otherwise throws Error.
void decompress_into(std::span<const std::byte> file, std::span<std::byte> out,
                     const CodecOptions& options = {}, std::string_view name = "compressed data");

// Preludes alone.

/// An input after a prelude.
struct Transformed {
  /// As many bytes as the input: its words after all steps, then its tail unchanged.
  std::vector<std::byte> bytes;
  /// The side data of each step, as the file holds them; empty for steps that have none.
  std::vector<std::vector<std::byte>> side;

  /// Bytes of a file in front of the container of `bytes`: the header with the prelude, and the
  /// side data. 0 for the empty prelude.
  std::uint64_t overhead_bytes() const;
};

/// Applies a prelude to all words of `input`, which may have any length. The result does not depend
/// on the number of threads. The memory used is the input's size, and DICT's tables. Throws Error
/// if the prelude does not suit words of `word_bytes` (8 or 4) bytes, and if memory is
/// insufficient.
Transformed transform(std::span<const std::byte> input, const synth::Prelude& prelude,
                      std::size_t word_bytes, const CodecOptions& options = {},
                      std::string_view name = "the input");

/// Restores the input of transform() in place. `bytes` and `side` may hold anything; throws Error,
/// which starts with `name`, if transform() cannot have given them, and if memory is insufficient.
/// The values of DICT and DEC are decoded to no more bytes than `bytes` (and its positions) has.
void restore(std::span<std::byte> bytes, const synth::Prelude& prelude, std::size_t word_bytes,
             std::span<const std::span<const std::byte>> side, std::string_view name,
             const CodecOptions& options = {});

}  // namespace fpsynth::codec
