#pragma once
// Compression and decompression of whole inputs, parallel over chunks.
//
// Threads process slices of 128 KiB (or one chunk, if a chunk is longer). Each thread may have
// eight slices in progress, so memory use does not grow with the input. The output depends neither
// on the number of threads nor on the stage table.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "components/stage_table.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/codec/streams.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::codec {

struct CodecOptions {
  /// Number of threads; 0: as many as OpenMP would use.
  int threads = 0;
  /// The functions that run the stages; null: components::default_stages().
  const components::StageTable* stages = nullptr;
  /// Compression: the words of a chunk, 1 to kMaxChunkWords.
  std::size_t chunk_words = synth::kChunkWords;
  /// Decompression: originals of more bytes are refused before anything is decoded.
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
};

/// XXH3-64 (seed 0), by the fastest implementation for this processor in libxxhash, where this is a
/// shared library; XXH3_64bits() itself is limited to what every processor has.
std::uint64_t fastest_xxh3(std::span<const std::byte> bytes);

/// Throws Error if the original is longer than the limit.
void refuse_over_limit(const Header& header, std::string_view name, const CodecOptions& options);

/// Compresses `input`, called `name` and possibly empty, as words of `word_bytes` (8 or 4) bytes;
/// trailing bytes that do not fill a word are stored verbatim. Writes the container to `sink` and
/// returns its length in bytes. The caller finishes the sink. Throws Error if the container cannot
/// hold the pipeline or the chunk length, and whatever the sink throws.
std::uint64_t compress(std::span<const std::byte> input, std::string_view name,
                       const synth::Pipeline& pipeline, std::size_t word_bytes, PatchableSink& sink,
                       const CodecOptions& options = {});

/// The same, in memory.
std::vector<std::byte> compress(std::span<const std::byte> input, const synth::Pipeline& pipeline,
                                std::size_t word_bytes, const CodecOptions& options = {});

/// Restores the original of a container to `sink` and returns its length. `file` may hold any
/// bytes. The structure is checked before the first byte is written, the checksum after the last
/// one. If this throws, what was written must be discarded; a sink that is never finished does that
/// itself, unless it is a pipe. Throws Error, which starts with `name`.
std::uint64_t decompress(std::span<const std::byte> file, std::string_view name, Sink& sink,
                         const CodecOptions& options = {});

/// The same, in memory. The vector grows as data are decoded, by steps of at most 64 times the
/// file's size or the vector's own size, so a forged header cannot make it allocate much more than
/// that.
std::vector<std::byte> decompress(std::span<const std::byte> file, const CodecOptions& options = {},
                                  std::string_view name = "compressed data");

/// The same, to the caller's memory, which must have exactly the original's size (parse_header()
/// reads it); otherwise throws Error.
void decompress_into(std::span<const std::byte> file, std::span<std::byte> out,
                     const CodecOptions& options = {}, std::string_view name = "compressed data");

}  // namespace fpsynth::codec
