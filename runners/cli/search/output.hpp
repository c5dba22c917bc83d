#pragma once
// What commands print of a search: its progress, and a row or a JSON object for each document.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "results/documents/document.hpp"
#include "runners/cluster/shards/shard.hpp"
#include "runners/search/search.hpp"
#include "synth/common/error.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth::cli {

/// A shard, and its share of a document's chunks.
struct ShardShare {
  cluster::Shard shard;
  results::ChunkRange chunks;
  std::uint64_t size() const { return chunks.end - chunks.begin; }
};

/// Shows percent, rate and time left; `work_done` is the share of the whole that this run has done.
std::string progress_text(const std::string& label, const search::Progress& progress,
                          double work_done);

/// Prints a document's best pipeline, and how it was searched. `width`: columns for the data set's
/// name; `share`: what was to be searched, if it was a shard's.
void print_result(const results::Document& document, bool json, std::size_t width,
                  const std::optional<ShardShare>& share = std::nullopt);

/// What is wrong with documents of which checks failed, and where it is listed.
std::string failures_message(std::uint64_t failures, const std::filesystem::path& directory);

/// The note that the last bytes of a data set are no whole word.
std::string tail_note(const std::string& name, synth::Precision precision, std::size_t tail);

/// The error of a search whose document is there.
Error exists_already(const std::filesystem::path& document);

}  // namespace fpsynth::cli
