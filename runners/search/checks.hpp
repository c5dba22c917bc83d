#pragma once
// Checks of every search: its data stay what they were, an earlier result is a part of the same
// search, and the best pipelines decode.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "results/documents/document.hpp"
#include "runners/data/input.hpp"
#include "runners/device/device.hpp"
#include "runners/search/options.hpp"
#include "runners/search/parts.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::search {

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

/// False for survivors of a race of which no search has got so far as to know what their preludes
/// put in front of the chunks. Such a document cannot be written.
bool is_prepared(const results::Document& document);

/// True if the search that made `done`, with the same options, has nothing left to do: neither
/// chunks of its part nor, if these are all chunks, the verification of the best.
bool is_finished(const results::Document& done, const SearchOptions& options);

/// The error of a device, with what is saved of a search that it ended.
device::DeviceError with_rest_saved(const device::DeviceError& error, std::uint64_t chunks_done,
                                    std::uint64_t chunks_total);

/// True if the codec makes files of exactly `file_bytes` in all from parts of data, each cut into
/// chunks of `chunk_words`, and restores the parts from these files.
bool decodes(std::span<const Part> parts, const synth::Method& method, std::size_t word_bytes,
             std::size_t chunk_words, std::uint64_t file_bytes, const SearchOptions& options);

/// Calls good(id) for the best of a complete document, as many as options.verification says, and
/// ranks again without those for which it is false. If the search is stopped meanwhile, the
/// document is incomplete.
void verify_top(results::Document& document, const SearchOptions& options,
                const std::function<bool(std::uint64_t id)>& good);

}  // namespace fpsynth::search
