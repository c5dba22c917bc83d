#pragma once
// The parts of an input that are compressed each by itself: all of it, or the HDF5 chunks in which
// its words are.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/data/input.hpp"
#include "runners/search/options.hpp"

namespace fpsynth::search {

using Part = std::span<const std::byte>;

/// All bytes, or those of each HDF5 chunk.
std::vector<Part> parts_of(const data::Input& input);

/// The parts of a sample, from which the sizes that a search counts can be checked: for one chunk
/// in `sample`, the chunks and the tail as one part, or each chunk of those within HDF5 chunks.
struct SampledParts {
  SampledParts(const data::Input& input, std::size_t chunk_words, std::uint64_t sample);

  std::vector<std::byte> bytes;  ///< of the parts, if the input has not got them in one piece
  std::vector<Part> parts;
};

/// The sum of work(part, number of the part, options of the codec for it) over all parts, on
/// options.threads threads. Throws what `work` throws.
std::uint64_t sum_over(
    std::span<const Part> parts, const SearchOptions& options,
    const std::function<std::uint64_t(Part, std::size_t, const codec::CodecOptions&)>& work);

/// Bytes of the containers of the parts that are neither frames nor blocks.
std::uint64_t overhead_of(std::span<const Part> parts, const synth::Pipeline& pipeline,
                          std::size_t word_bytes);

}  // namespace fpsynth::search
