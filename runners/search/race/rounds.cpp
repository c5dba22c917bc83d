#include "runners/search/race/rounds.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "components/stage_table.hpp"
#include "runners/search/race/statistics/leaving_test.hpp"
#include "synth/common/error.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::search {
namespace {

/// Most memory of the entrants with their sizes, of which several copies exist while processes
/// exchange them. Races with very many chunks keep kFewest even if these take more.
constexpr std::uint64_t kMostKeptBytes = std::uint64_t{64} << 20, kFewest = 1024;
constexpr double kReportSeconds = 0.2;

/// The number of words at the beginning that the lags of a prelude transform otherwise than all
/// later words.
std::uint64_t unchanged_words(const synth::Prelude& prelude) {
  std::uint64_t words = 0;
  for (const synth::PreludeStep& step : prelude.steps) {
    const bool lag = synth::prelude_traits(step.kind).shape == preludes::Shape::Lagged;
    if (lag) words += step.parameter;
  }
  return words;
}

}  // namespace

Rounds::Rounds(const std::vector<TransformedInput>& inputs, const synth::Space& space,
               std::string identity, const RaceOptions& race, const SearchOptions& options)
    : inputs_(inputs),
      identity_(std::move(identity)),
      race_options_(race),
      options_(options),
      word_bytes_(synth::word_bytes(inputs.front().input.native())),
      division_(space, word_bytes_, race.most_leaves),
      blocks_(options.stage_table(), word_bytes_, division_.longest_block()) {
  const data::Input& input = inputs_.front().input;
  const results::Cutting cutting = input.cutting(space.chunk_words);
  const std::uint64_t population = cutting.chunks(options.sample), all = cutting.chunks();
  std::uint64_t unchanged = 0;  // words at the beginning
  for (std::size_t prelude = 0; prelude < inputs_.size(); ++prelude) {
    // A sample has its share of the bytes in front of the chunks.
    overheads_.push_back(double(inputs_[prelude].overhead_bytes) * double(population) /
                         double(all));
    // HDF5 chunks have such words each, in chunks that are drawn like others.
    if (cutting.parts > 1) continue;
    unchanged = std::max(unchanged, unchanged_words(space.preludes[prelude]));
  }
  const std::uint64_t chunk_words = space.chunk_words * options.sample;
  drawn_.population[0] = std::min(population / 2, (unchanged + chunk_words - 1) / chunk_words);
  drawn_.population[1] = population - drawn_.population[0];
  for (const std::uint64_t part : drawn_.population) random_.emplace_back(part, race.seed);

  waves_.push_back({0, 1});
  for (const PrefixGroup& group : division_.groups()) {
    const unsigned stages = group.words + group.bytes;
    const PrefixGroup& before = division_.group_of(waves_.back().end - 1);
    const std::uint64_t end = group.first + group.count;
    if (waves_.back().end > 1 && before.words + before.bytes == stages) {
      waves_.back().end = end;
    } else if (end > waves_.back().end) {
      waves_.push_back({waves_.back().end, end});
    }
  }
  engines_.resize(division_.tails().size());
  frames_of_leaves_.resize(division_.tails().size());

  race_.margin = race.margin;
  race_.risk = race.risk;
  race_.seed = race.seed;
  race_.pipelines = space.pipelines() * preludes();
  race_.distinct = division_.pipelines() * preludes();
}

std::uint64_t Rounds::next_chunks() const {
  // With fewer than two rounds, all are drawn, and the race is an exhaustive search.
  const std::uint64_t all = drawn_.population[1], first = race_options_.first_chunks;
  if (drawn_.chunks() == 0) return all <= 2 * first ? all : first;
  const std::uint64_t next = 2 * drawn_.counts()[1];
  return next <= all / 2 ? next : 0;
}

void Rounds::draw(std::uint64_t chunks) {
  const std::array<std::uint64_t, 2> before = drawn_.counts();
  const bool all = chunks == drawn_.population[1];
  for (const std::uint8_t part : {0, 1}) {
    const std::uint64_t most = drawn_.population[part];
    for (std::uint64_t drawn = before[part]; drawn < (all ? most : std::min(chunks, most));
         ++drawn) {
      chunks_.push_back((part ? drawn_.population[0] : 0) + random_[part].next());
      drawn_.part.push_back(part);
    }
  }
}

std::size_t Rounds::most_kept(std::uint64_t chunks) const {
  const std::uint64_t each = sizeof(Entrant) + chunks * sizeof(std::uint32_t);
  return std::min<std::size_t>(race_options_.most_kept, std::max(kMostKeptBytes / each, kFewest));
}

bool Rounds::begins_round() {
  if (round_.chunks > 0) return true;  // it was interrupted
  const std::uint64_t chunks = next_chunks();
  if (chunks == 0 || (!race_.rounds.empty() && kept_.size() <= race_options_.few)) return false;
  if (!race_.rounds.empty()) {
    // Each will have sizes on twice as many chunks.
    race_.dropped += kept_.shrink_to(most_kept(2 * drawn_.chunks()), test(), overheads_);
    kept_.sort();
  }
  draw(chunks);
  round_.chunks = drawn_.chunks();
  return true;
}

bool Rounds::run() {
  while (begins_round()) {
    if (race_.rounds.empty() ? !first_round() : !later_round()) {
      save(true);
      return false;
    }
    round_.left = kept_.size();
    race_.rounds.push_back(std::exchange(round_, {}));
    race_.expected_lost = double(lost_) / LeavingTest::kOne;
    units_done_ = 0;
    save(false);
  }
  save(true);
  return true;
}

std::vector<std::span<const std::byte>> Rounds::chunks(std::uint32_t prelude, std::size_t begin,
                                                       std::size_t end) const {
  std::vector<std::span<const std::byte>> some;
  for (std::size_t i = begin; i < end; ++i) {
    some.push_back(chunk_of(inputs_[prelude].input, division_.space().chunk_words, options_.sample,
                            chunks_[i]));
  }
  return some;
}

Entrants Rounds::entrants_from(std::span<const std::uint8_t> bytes) const {
  return Entrants::from(bytes, preludes(), division_.space().pipelines());
}

LeavingTest Rounds::test() const {
  // Each test that may take place has an equal part of the risk.
  const double most = double(drawn_.population[1]) / 2 / double(race_options_.first_chunks);
  const double rounds = 1 + std::floor(std::log2(std::max(1.0, most)));
  // In the first round, an entrant is tested in its wave, and at the end of that wave and of later
  // ones.
  const double tests = rounds + double(waves_.size());
  return {drawn_, race_options_.risk / tests, race_options_.margin};
}

std::vector<std::vector<std::uint8_t>> Rounds::exchanged(const std::string& step,
                                                         std::vector<std::uint8_t> own) {
  if (!race_options_.peers) return {std::move(own)};
  inputs_.front().input.check_unchanged();
  save(true);  // other processes may be missing, which ends the race
  return race_options_.peers->exchange(step, std::move(own));
}

void Rounds::report(double done) {
  if (!race_options_.progress || seconds_since(reported_) < kReportSeconds) return;
  reported_ = Clock::now();
  if (race_.rounds.size() + 1 != timed_round_) {
    timed_round_ = race_.rounds.size() + 1;
    round_start_ = reported_;
    done_before_ = done;
  }
  const double seconds = seconds_since(start_), new_share = done - done_before_;
  const double left = new_share > 0 ? seconds_since(round_start_) / new_share * (1 - done) : 0;
  race_options_.progress({race_.rounds.size() + 1, round_.chunks, round_.entered,
                          race_.rounds.empty() ? kept_.size() + stayed_.size() : kept_.size(), done,
                          left, done_bytes_ / std::max(seconds, 1e-9)});
}

}  // namespace fpsynth::search
