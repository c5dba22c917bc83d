#pragma once
// Compression and decompression of whole inputs, parallel over chunks.
//
// Inputs are worked on in slices of 128 KiB (or one chunk, if that is longer), of which each thread
// may have eight under way, so memory use does not grow with the input. The bytes written depend
// neither on the number of threads nor on the stage table.

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
  /// OpenMP threads; 0: as many as OpenMP would use.
  int threads = 0;
  /// What runs the stages; null: components::default_stages().
  const components::StageTable* stages = nullptr;
  /// Decompression: originals of more bytes are refused before anything is decoded.
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
};

/// Throw Error: an input of no bytes; an original of more than the limit.
void refuse_empty(std::span<const std::byte> input, std::string_view name);
void refuse_over_limit(const Header& header, std::string_view name, const CodecOptions& options);

/// Compresses `input` (at least one byte) as words of `word_bytes` (8 or 4) bytes; trailing bytes
/// that fill no word are kept verbatim. Writes the container to `sink` and returns its length in
/// bytes; finishing the sink is left to the caller. Throws Error: an empty input (`name` in the
/// message), a pipeline that the container cannot hold, whatever the sink throws.
std::uint64_t compress(std::span<const std::byte> input, std::string_view name,
                       const synth::Pipeline& pipeline, std::size_t word_bytes, PatchableSink& sink,
                       const CodecOptions& options = {});

/// The same, in memory.
std::vector<std::byte> compress(std::span<const std::byte> input, const synth::Pipeline& pipeline,
                                std::size_t word_bytes, const CodecOptions& options = {});

/// Restores the original of a container, which may be any bytes, to `sink` and returns its length.
/// The structure is checked before the first byte is written, the checksum after the last: if this
/// throws, what was written is to be thrown away, which a sink that is never finished does by
/// itself unless it is a pipe. Throws Error, which starts with `name`.
std::uint64_t decompress(std::span<const std::byte> file, std::string_view name, Sink& sink,
                         const CodecOptions& options = {});

/// The same, in memory. The vector grows with what is decoded, never ahead of it by more than 64
/// times the file's size or its own.
std::vector<std::byte> decompress(std::span<const std::byte> file, const CodecOptions& options = {},
                                  std::string_view name = "compressed data");

/// The same, to memory of the caller's, which must have the original's size (parse_header() tells
/// it). Throws Error if it has not.
void decompress_into(std::span<const std::byte> file, std::span<std::byte> out,
                     const CodecOptions& options = {}, std::string_view name = "compressed data");

}  // namespace fpsynth::codec
