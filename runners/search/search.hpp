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

/// The document of a search that has searched nothing yet, without the engine that it runs on.
results::Document empty_document(results::DataSet data, const synth::Space& space,
                                 const SearchOptions& options);

/// Chunk number `index` of those that a search with `sample` searches.
std::span<const std::byte> chunk_of(const data::Input& input, std::size_t chunk_words,
                                    std::uint64_t sample, std::uint64_t index);

/// The chunks that a search with `sample` searches, concatenated, and the tail: the file whose
/// compressed size the search predicts.
std::vector<std::byte> sampled(const data::Input& input, std::uint64_t sample,
                               std::size_t chunk_words = synth::kChunkWords);

/// Throws Error if the input holds nothing to search.
void refuse_no_words(const data::Input& input);

/// Throws Error if the data no longer have the checksum that a document states. Hashing takes much
/// less time than a search.
void refuse_changed(const data::Input& input, const results::DataSet& searched);

/// Throws Error, in all processes, if one has other data than rank 0. `given`: by rank, the CBOR of
/// an object with the checksum of the data as its member "xxh3".
void refuse_other_data(const std::string& document, std::span<const Peers::Bytes> given);

/// Throws Error unless `done` is an earlier state of the search whose data and options `fresh` has.
void check_resumable(const results::Document& done, const results::Document& fresh);

/// False for survivors of a race while the bytes that their preludes put in front of the chunks are
/// not known. A document without these bytes cannot be written.
bool is_prepared(const results::Document& document);

/// True if the search that made `done`, with the same options, has nothing left to do: neither
/// chunks of its part nor, if these are all chunks, the verification of the best.
bool is_finished(const results::Document& done, const SearchOptions& options);

}  // namespace fpsynth::search
