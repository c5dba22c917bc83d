#pragma once
// The results of a search on one data set in one precision.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/chunk_ranges.hpp"
#include "results/documents/data_set.hpp"
#include "synth/space.hpp"

namespace fpsynth::results {

/// The machine and the settings of a search, and its extent.
struct Run {
  std::string program_version;
  std::string commit;
  std::string compiler;
  std::string backend;  ///< "cpu", "cuda"
  std::string device;   ///< CPU model and instruction set, or GPU
  std::uint64_t threads = 1;
  std::string verification = "all";  ///< "all", "top=K" or "none"
  std::uint64_t edges_verified = 0;
  /// Counted blocks that were equal to an earlier one of their chunk, with equal stages behind
  /// them, so that those were not run. Not written if it is 0.
  std::uint64_t merged_states = 0;
  std::uint64_t failures = 0;  ///< checks that failed; 0 if and only if no pipeline failed
  double seconds = 0;
  double pipeline_bytes_per_second = 0;
  std::uint64_t sample = 1;        ///< one chunk in this many was searched; 1: every chunk
  std::uint64_t chunks_total = 0;  ///< chunks of the whole run, after sampling
  std::uint64_t chunks_done = 0;
  bool complete = false;  ///< false for the state of a shard or of an interrupted run

  static void list(auto& fields, auto& run) {
    fields("program_version", run.program_version, "commit", run.commit, "compiler", run.compiler,
           "backend", run.backend, "device", run.device, "threads", run.threads, "verification",
           run.verification, "edges_verified", run.edges_verified, "failures", run.failures,
           "seconds", run.seconds, "pipeline_bytes_per_second", run.pipeline_bytes_per_second,
           "sample", run.sample, "chunks_total", run.chunks_total, "chunks_done", run.chunks_done,
           "complete", run.complete);
    fields.optional("merged_states", run.merged_states);
  }
  friend bool operator==(const Run&, const Run&) = default;
};

// The course of a race: the pipelines that it has dropped, on how many chunks, and how surely.

/// All that entered a round were tried on the same chunks, drawn at random.
struct RaceRound {
  std::uint64_t chunks = 0;   ///< on which each has been tried so far
  std::uint64_t entered = 0;  ///< distinct pipelines, with their preludes
  std::uint64_t left = 0;     ///< of them that may be the best
  /// Sizes of a pipeline on a chunk that were computed in this round, equal ones included.
  std::uint64_t chunk_evaluations = 0;

  static void list(auto& fields, auto& round) {
    fields("chunks", round.chunks, "entered", round.entered, "left", round.left,
           "chunk_evaluations", round.chunk_evaluations);
  }
  friend bool operator==(const RaceRound&, const RaceRound&) = default;
};

/// The rounds in front of a search of what they left. Assumed is that a pipeline's differences to
/// the leader, on chunks drawn at random, are distributed normally.
struct Race {
  double margin = 0;  ///< share of the best's bytes by which a dropped one may be better
  double risk = 0;    ///< probability that a given better one was dropped, in all rounds together
  std::uint64_t seed = 0;       ///< of the chunks
  std::uint64_t pipelines = 0;  ///< of the space, times its preludes
  std::uint64_t distinct = 0;   ///< of them, without those that equal others by NUL
  std::vector<RaceRound> rounds;
  /// Those of the distinct ones behind stages that gave the same blocks as earlier ones on all
  /// chunks of the first round; they were dropped with these or for these.
  std::uint64_t merged = 0;
  std::uint64_t dropped = 0;  ///< dropped for want of memory although they might have been the best
  /// The sum, over all dropped ones, of the probability that it is better by more than the margin.
  double expected_lost = 0;

  static void list(auto& fields, auto& race) {
    fields("margin", race.margin, "risk", race.risk, "seed", race.seed, "pipelines", race.pipelines,
           "distinct", race.distinct, "rounds", race.rounds, "merged", race.merged, "let_go",
           race.dropped, "expected_lost", race.expected_lost);
    std::string least_speeds;  // of races of fpsynth 1.0.0 among the fast pipelines alone
    fields.optional("min_speed", least_speeds);
    if (least_speeds.empty()) return;
    fields.check("min_speed", [](const auto& json) {
      json.fail("no least speeds: this version races all pipelines, so race again");
    });
  }
  friend bool operator==(const Race&, const Race&) = default;
};

/// A prelude that a search tried on a sample of the chunks of the data that it had transformed.
struct PreludeCandidate {
  synth::Prelude prelude;
  std::string reason;                ///< what in the data speaks for it, or who asked for it
  bool finalist = false;             ///< among the preludes of the space, or of the race
  std::uint64_t sampled_chunks = 0;  ///< that all pipelines were tried on
  synth::Pipeline best;              ///< of the pipelines, on the sample
  double estimated_ratio = 0;        ///< of the whole data, with `best`, side data counted

  static void list(auto& fields, auto& candidate) {
    fields("prelude", candidate.prelude, "reason", candidate.reason, "finalist", candidate.finalist,
           "sampled_chunks", candidate.sampled_chunks, "best_pipeline", candidate.best,
           "estimated_ratio", candidate.estimated_ratio);
  }
  friend bool operator==(const PreludeCandidate&, const PreludeCandidate&) = default;
};

struct Document {
  DataSet data;
  synth::Space space;
  Run run;
  std::vector<ChunkRange> chunk_ranges;  ///< done; ascending, disjoint, not adjoining
  /// Original bytes whose compression the payloads count: those of the chunks done, and the tail if
  /// the last chunk is among them. The ratios of sampled and partial documents refer to these
  /// bytes.
  std::uint64_t sampled_bytes = 0;
  std::uint64_t overhead_bytes = 0;  ///< header and tail of the compressed file, without a prelude
  /// The same behind each prelude of the space, with the prelude's own header and side data (in
  /// sampled runs, the sample's share of these). Empty if the space has no preludes.
  std::vector<std::uint64_t> prelude_overhead_bytes;
  /// The best first. Empty if the search was not to look for preludes.
  std::vector<PreludeCandidate> prelude_candidates;
  /// The race that chose the pipelines of a space that is a list, if one did.
  std::optional<Race> race;
  std::vector<std::uint64_t> payload_bytes;  ///< frames and blocks of every pipeline, by id
  std::vector<std::uint64_t> failed;         ///< ids that did not decode; ascending, not ranked
  std::vector<std::uint64_t> ranking;        ///< ids, best first, ties by id

  std::uint64_t overhead_of(std::uint64_t id) const {
    return prelude_overhead_bytes.empty()
               ? overhead_bytes
               : prelude_overhead_bytes[id /
                                        (payload_bytes.size() / prelude_overhead_bytes.size())];
  }
  std::uint64_t compressed_bytes(std::uint64_t id) const {
    return payload_bytes[id] + overhead_of(id);
  }
  double ratio(std::uint64_t id) const;
  /// The text of a pipeline with its prelude.
  std::string text_at(std::uint64_t id) const { return to_string(space.method_at(id)); }
  bool sampled() const { return run.sample > 1; }

  /// Without the sizes and the ranking, for which a document may name a file.
  static void list(auto& fields, auto& document) {
    fields("dataset", document.data, "space", document.space, "run", document.run, "chunk_ranges",
           document.chunk_ranges, "sampled_bytes", document.sampled_bytes, "overhead_bytes",
           document.overhead_bytes);
    fields.optional("prelude_overhead_bytes", document.prelude_overhead_bytes);
    fields.optional("prelude_candidates", document.prelude_candidates);
    fields.optional("race", document.race);
    fields("failed", document.failed);
  }
  friend bool operator==(const Document&, const Document&) = default;
};

inline std::string label(const Document& document) { return label(document.data); }

/// Original bytes of ranges of chunks of `chunk_words` words, of an unsampled run. The last chunk
/// includes the tail.
std::uint64_t covered_bytes(const DataSet& data, const std::vector<ChunkRange>& ranges,
                            std::size_t chunk_words = synth::kChunkWords);

/// Original bytes / compressed bytes; 0 if there are no compressed bytes.
double ratio(std::uint64_t original_bytes, std::uint64_t compressed_bytes);

/// Ids by ascending bytes, ties by id, without the failed ones. `failed` may be in any order.
/// Throws Error if it contains an id beyond the sizes.
std::vector<std::uint64_t> rank(std::span<const std::uint64_t> bytes,
                                std::span<const std::uint64_t> failed);

/// Sets the ranking, which follows from the sizes and the pipelines that failed. Throws Error if
/// one of these is not in the space.
void set_ranking(Document& document);

/// Computes the derived fields: sorts `failed` and `chunk_ranges`; sets run.chunks_total,
/// chunks_done, complete and pipeline_bytes_per_second, the ranking and, in unsampled runs,
/// sampled_bytes. Needs data, space, run.sample, run.seconds, chunk_ranges and payload_bytes.
void finish(Document& document);

/// Throws Error, which names the field, if a field is inconsistent, alone, with the space or with
/// another field.
void validate(const Document& document);

/// True for "all", "none" and "top=K" with K from 1.
bool is_verification(std::string_view text);

}  // namespace fpsynth::results
