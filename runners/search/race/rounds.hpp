#pragma once
// The rounds of a race: all pipelines of a space on a few chunks drawn at random, then those that
// may be the best on more and more of them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "results/documents/document.hpp"
#include "runners/search/race/entrants.hpp"
#include "runners/search/race/race.hpp"
#include "synth/common/clock.hpp"

namespace fpsynth::search {

/// In the first round, the pipelines behind one prefix are a unit of work: the prefix is run on
/// each drawn chunk, and its tail plan is walked on the blocks that this gives. Units are done in
/// waves, those of shorter prefixes first. After a wave, the pipelines that have stayed are tested
/// against the best so far; those of the next wave are tested against it, too. In later rounds,
/// some thousand entrants are a unit. Memory: the entrants that stay, at most options.most_kept,
/// and some hundred MB. The survivors depend on the data, the space and the options, but not on
/// processes, threads, devices and interruptions.
class Rounds {
 public:
  /// `inputs`: the data behind each prelude of the race, the empty one first; all have words of the
  /// same size. They, the space and the options must outlive it. `identity`: race_identity(), which
  /// a saved state must have, too.
  Rounds(const std::vector<TransformedInput>& inputs, const synth::Space& space,
         std::string identity, const RaceOptions& race, const SearchOptions& options);

  /// Runs the rest of the race. Returns false if it was stopped; options.save then has the state.
  /// Throws what engines throw.
  bool run();

  /// Continues from a state that was saved. Throws Error if it is damaged or of another race.
  void resume(std::span<const std::uint8_t> state);

  /// The pipelines that may be the best, sorted.
  const Entrants& survivors() const { return kept_; }
  const results::Race& race() const { return race_; }
  /// True if all chunks were drawn.
  bool has_drawn_all() const { return drawn_.counts() == drawn_.population; }

 private:
  /// Sizes that are measured at once: 256 MiB.
  static constexpr std::size_t kMostSizes = std::size_t{64} << 20;
  /// Prefixes begin..end-1, all units of which are one wave.
  struct Wave {
    std::uint64_t begin = 0, end = 0;
  };
  /// The sums that a process adds to the race's in a wave.
  struct Sums {
    std::uint64_t lost = 0;  ///< times LeavingTest::kOne
    std::uint64_t merged = 0, dropped = 0, evaluations = 0;

    /// Calls field(name, number) for each, as it is called in messages, behind `prefix`.
    static void list(auto field, auto& sums, const std::string& prefix = {}) {
      field(prefix + "lost", sums.lost);
      field(prefix + "merged", sums.merged);
      field(prefix + "let_go", sums.dropped);
      field(prefix + "evaluations", sums.evaluations);
    }
  };
  /// Units whose blocks wait for being measured. All have the same tail.
  struct Batch {
    std::vector<std::uint64_t> prefixes;
    std::vector<std::uint32_t> preludes;
    std::vector<std::byte> bytes;      ///< of all blocks, one after the other
    std::vector<std::size_t> lengths;  ///< of a block; for each unit, one for every chunk
    std::size_t tail = 0;
    /// Sums over all units since the batch before, also over those that are not in this one.
    std::uint64_t merged = 0, evaluations = 0;
  };

  std::size_t preludes() const { return inputs_.size(); }
  std::size_t processes() const { return race_options_.peers ? race_options_.peers->count() : 1; }
  bool is_own(std::uint64_t unit) const {
    return unit % processes() == (race_options_.peers ? race_options_.peers->rank() : 0);
  }
  /// Draws chunks until `chunks` of each part, or all of it, are drawn.
  void draw(std::uint64_t chunks);
  /// Chunks `begin`..`end`-1 of the drawn ones, behind a prelude.
  std::vector<std::span<const std::byte>> chunks(std::uint32_t prelude, std::size_t begin,
                                                 std::size_t end) const;
  LeavingTest test() const;
  /// Entrants of this race, from bytes of another process or an earlier one. Throws Error.
  Entrants entrants_from(std::span<const std::uint8_t> bytes) const;
  /// Chunks of a part in the next round; 0 if there is none.
  std::uint64_t next_chunks() const;

  /// Entrants that are kept at most while they have sizes on so many chunks.
  std::size_t most_kept(std::uint64_t chunks) const;
  /// Draws the chunks of the next round. False if there is none.
  bool begins_round();
  bool first_round();
  bool wave(const Wave& wave);
  /// Share of the first round that is done with so many units of a wave.
  double share_of_round(const Wave& wave, std::uint64_t units) const;
  /// Runs a unit's prefix on the drawn chunks, and adds the blocks to the batch unless those of an
  /// earlier unit with the same tail were equal.
  bool is_new(std::uint64_t unit, const Wave& wave, Batch& batch);
  /// Remembers the blocks of a wave's first units.
  void look_at(const Wave& wave, std::uint64_t units);
  bool is_full(const Batch& batch) const;
  bool measure(const Batch& batch);
  /// Bytes of a frame, for every leaf behind a prefix.
  std::vector<std::uint32_t> frames(std::uint64_t prefix, std::size_t tail);
  void end_wave();

  bool later_round();
  bool measure_piece(std::size_t begin, std::size_t end);
  void end_later_round();

  /// Exchanges the bytes of a step with the other processes; returns those of all, by rank.
  std::vector<std::vector<std::uint8_t>> exchanged(const std::string& step,
                                                   std::vector<std::uint8_t> own);
  void report(double done);
  void save(bool now);
  std::vector<std::uint8_t> state() const;
  /// Calls field(name, number) for each number of the saved state.
  static void list(auto field, auto& rounds);

  const std::vector<TransformedInput>& inputs_;
  std::string identity_;
  const RaceOptions& race_options_;
  const SearchOptions& options_;
  std::size_t word_bytes_;
  Division division_;
  PrefixBlocks blocks_;
  std::vector<double> overheads_;      ///< bytes in front of the chunks, by prelude
  Drawn drawn_;                        ///< in the rounds so far
  std::vector<RandomChunks> random_;   ///< by part
  std::vector<std::uint64_t> chunks_;  ///< that were drawn, by number
  std::vector<Wave> waves_;
  std::vector<std::unique_ptr<Engine>> engines_;  ///< by tail, made when needed
  std::vector<std::vector<std::uint32_t>>
      frames_of_leaves_;                                    ///< by tail; empty if they may be wide
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;  ///< hashes of the units so far

  // The state that is saved.
  results::Race race_;
  std::size_t wave_ = 0;
  std::uint64_t units_done_ = 0;      ///< of the wave or of the later round
  Entrants kept_;                     ///< of what was exchanged
  Entrants stayed_;                   ///< of this wave, of this process
  std::vector<std::uint32_t> added_;  ///< sizes of this later round, of this process
  results::RaceRound round_;
  std::uint64_t lost_ = 0;  ///< times LeavingTest::kOne
  Sums own_;                ///< of this wave, of this process

  Clock::time_point start_ = Clock::now(), saved_ = start_, reported_ = start_;
  std::size_t timed_round_ = 0;  ///< whose share of done_before_ was done at round_start_
  Clock::time_point round_start_ = start_;
  double done_before_ = 0;
  double done_bytes_ = 0;  ///< pipelines times bytes, for the rate
};

}  // namespace fpsynth::search
