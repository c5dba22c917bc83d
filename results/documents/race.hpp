#pragma once
// The course of a race: the pipelines that it has dropped, on how many chunks, and how surely.

#include <cstdint>
#include <string>
#include <vector>

namespace fpsynth::results {

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

}  // namespace fpsynth::results
