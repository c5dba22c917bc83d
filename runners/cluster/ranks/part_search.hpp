#pragma once
// The search of a range of chunks of a task by one rank. The rank reads no other chunks, and
// searches these as if they were all the data.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "results/documents/document.hpp"
#include "runners/cluster/ranks/job.hpp"
#include "runners/data/input.hpp"
#include "runners/search/transformed_input.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::cluster {

/// The bytes of a task's chunks `range`, in its precision, without the gaps that sampling leaves.
/// `input` is the data in that precision, or as they are stored.
std::vector<std::byte> bytes_of(const data::Input& input, const Job& job, std::size_t task,
                                const results::ChunkRange& range);

/// XXH3 of them: the leader compares it with that of its own file.
std::uint64_t checksum_of(const data::Input& stored, const Job& job, std::size_t task,
                          const results::ChunkRange& range);

/// A task as one rank sees it. Opens the data, and with preludes transforms them all.
class PartSearch {
 public:
  /// `preludes`: those that are searched, the empty one among them; none for a search without.
  /// Throws what opening the data throws.
  PartSearch(const Job& job, std::size_t task, std::vector<synth::Prelude> preludes);

  /// Searches chunks behind every prelude. Only the sums of the result are set: chunk_ranges, which
  /// lacks chunks if options.stop was set, payload_bytes, failed, sampled_bytes and those of `run`.
  /// options: as for search(), but its part, sample and verification are set here. Throws Error.
  results::Document search(const results::ChunkRange& range, search::SearchOptions options);

  std::size_t task() const { return task_; }
  /// The data as they are stored.
  const data::Input& stored() const { return stored_; }

 private:
  data::Input transformed(std::size_t prelude, const search::SearchOptions& options);

  const Job& job_;
  std::size_t task_;
  std::vector<synth::Prelude> preludes_;
  data::Input stored_;
  std::vector<std::optional<data::Input>> kept_;  ///< by prelude
};

}  // namespace fpsynth::cluster
