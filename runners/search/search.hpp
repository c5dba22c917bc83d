#pragma once
// The exhaustive search of one data set in one precision. Chunks are processed in parallel: a
// thread of the CPU walks each through the plan, thread blocks of a GPU take parts of the plan on
// chunks.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "results/documents/document.hpp"
#include "runners/data/input.hpp"
#include "runners/search/options.hpp"
#include "synth/plan.hpp"

namespace fpsynth::search {

/// Searches the chunks that `done`, the state of an earlier search of the same data, lacks, and
/// returns the results of both: complete, or incomplete if `stop` was set or only a part was to be
/// searched. `input` is already in the precision to be searched. Throws Error if `done` is of other
/// data or options, or if the input has no whole word; device::DeviceError if a device fails, after
/// a last checkpoint with the results so far.
results::Document search(const data::Input& input, const synth::Plan& plan,
                         const SearchOptions& options, const results::Document* done = nullptr);

/// The document of a search that has searched nothing yet, without how and on what it runs.
results::Document empty_document(results::DataSet data, const synth::Space& space,
                                 const SearchOptions& options);

/// Chunk number `index` of those that a search with `sample` searches.
std::span<const std::byte> chunk_of(const data::Input& input, std::size_t chunk_words,
                                    std::uint64_t sample, std::uint64_t index);

/// The chunks that a search with `sample` searches, concatenated, and the tail: the file whose
/// compressed size the search predicts.
std::vector<std::byte> sampled(const data::Input& input, std::uint64_t sample,
                               std::size_t chunk_words = synth::kChunkWords);

}  // namespace fpsynth::search
