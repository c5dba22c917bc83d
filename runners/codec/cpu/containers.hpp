#pragma once
// Containers of pipelines (version 2) on the CPU, parallel over chunks.
//
// Threads process slices of 128 KiB (or one chunk, if a chunk is longer). Each thread may have
// eight slices in progress, so memory use does not grow with the input. The output depends neither
// on the number of threads nor on the stage table.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "components/stage_table.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/codec/streams.hpp"
#include "synth/common/memory.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::codec {

/// The original's bytes for one of the file that are believed before they are decoded.
inline constexpr std::uint64_t kMostJustified = 64;

struct CodecOptions {
  /// Number of threads; 0: as many as OpenMP would use.
  int threads = 0;
  /// The functions that run the stages; null: components::default_stages().
  const components::StageTable* stages = nullptr;
  /// Compression: the words of a chunk, 1 to kMaxChunkWords.
  std::size_t chunk_words = synth::kChunkWords;
  /// Decompression: originals of more bytes are refused before anything is decoded.
  std::uint64_t limit = usable_memory();
  /// The limit's meaning and the way out, for the Error.
  std::string_view limit_is = "the limit; raise it";
};

/// Throws Error if the original is longer than the limit.
void refuse_over_limit(const Header& header, std::string_view name, const CodecOptions& options);
/// Throws Error unless the original has the size of an output.
void refuse_other_size(const Header& header, std::string_view name, std::size_t size);

// compress() and decompress() for containers without a prelude, with the promises of codec.hpp.

std::uint64_t compress_container(std::span<const std::byte> input, const synth::Pipeline& pipeline,
                                 std::size_t word_bytes, PatchableSink& sink,
                                 const CodecOptions& options);
std::uint64_t decompress_container(std::span<const std::byte> file, std::string_view name,
                                   Sink& sink, const CodecOptions& options);
void decompress_container_into(std::span<const std::byte> file, std::string_view name,
                               std::span<std::byte> out, const CodecOptions& options);

}  // namespace fpsynth::codec
