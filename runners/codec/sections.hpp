#pragma once
// Compression of the parts of an input with a method each. codec.hpp restores them as all files.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/codec/streams.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::codec {

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
/// length. `one`: compresses each; null: compress() with `options`, but their chunk length. Throws
/// Error if there are no sections or more than kMostSections, if one has no words beside others, if
/// they have more or fewer than the input, and what compressing throws.
std::uint64_t compress_sections(std::span<const std::byte> input, std::string_view name,
                                std::span<const Section> sections, std::size_t word_bytes,
                                PatchableSink& sink, const CodecOptions& options = {},
                                const SectionCompressor& one = {});

/// The same, in memory.
std::vector<std::byte> compress_sections(std::span<const std::byte> input,
                                         std::span<const Section> sections, std::size_t word_bytes,
                                         const CodecOptions& options = {});

}  // namespace fpsynth::codec
