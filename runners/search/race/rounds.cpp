#include "runners/search/race/rounds.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "components/stage_table.hpp"
#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"
#include "synth/stage_list.hpp"

namespace fpsynth::search {
namespace {

/// Most memory of the entrants with their sizes, of which several copies exist while processes
/// exchange them. Races with very many chunks keep kFewest even if these take more.
constexpr std::uint64_t kMostKeptBytes = std::uint64_t{64} << 20, kFewest = 1024;

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

/// Entrants of a unit of later rounds: the memory of a plan is some 100 bytes for each.
constexpr std::size_t kPiece = 32'768;

// The saved state.
constexpr const char* kSchema = "fpsynth-race";
constexpr int kVersion = 1;

nlohmann::json to_json(const results::RaceRound& round) {
  return {{"chunks", round.chunks},
          {"entered", round.entered},
          {"left", round.left},
          {"evaluations", round.chunk_evaluations}};
}

results::RaceRound round_from(const nlohmann::json& json) {
  return {json.at("chunks"), json.at("entered"), json.at("left"), json.at("evaluations")};
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
    // Each HDF5 chunk begins with unchanged words; these chunks are drawn like others.
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

bool Rounds::later_round() {
  round_.entered = kept_.size();
  const std::size_t more = round_.chunks - kept_.chunks();
  added_.resize(kept_.size() * more);
  // A unit is a piece of the entrants behind one prelude.
  std::uint64_t unit = 0;
  for (std::size_t begin = 0; begin < kept_.size(); ++unit) {
    std::size_t end = begin;
    while (end < kept_.size() && end - begin < kPiece &&
           kept_.who(end).prelude == kept_.who(begin).prelude) {
      ++end;
    }
    if (unit >= units_done_ && is_own(unit)) {
      if (options_.stopped() || !measure_piece(begin, end)) return false;
      report(double(end) / double(kept_.size()));
      save(false);
    }
    units_done_ = std::max(units_done_, unit + 1);
    begin = end;
  }
  end_later_round();
  return true;
}

bool Rounds::measure_piece(std::size_t begin, std::size_t end) {
  synth::Space space = division_.space();
  for (std::size_t i = begin; i < end; ++i) space.only.push_back(kept_.who(i).id);
  const synth::Plan plan(space);
  const std::unique_ptr<Engine> engine = options_.make_engine(plan, word_bytes_, Mode::Count);
  const auto added = chunks(kept_.who(begin).prelude, kept_.chunks(), round_.chunks);
  const std::size_t leaves = plan.leaves().size();
  const std::size_t at_once = std::max<std::size_t>(1, kMostSizes / leaves);
  std::vector<std::uint32_t> sizes;
  for (std::size_t first = 0; first < added.size(); first += at_once) {
    const std::size_t count = std::min(at_once, added.size() - first);
    sizes.resize(count * leaves);
    const auto some = std::span(added).subspan(first, count);
    if (!engine->measure(some, sizes, [this] { return options_.stopped(); })) return false;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t leaf = plan.leaf_of_id()[i - begin];
      const auto frame = static_cast<std::uint32_t>(
          synth::frame_bytes(space.at(i - begin), word_bytes_, space.chunk_words));
      for (std::size_t chunk = 0; chunk < count; ++chunk) {
        added_[i * added.size() + first + chunk] = sizes[chunk * leaves + leaf] + frame;
      }
    }
  }
  done_bytes_ += double(end - begin) * double(added.size() * space.chunk_words * word_bytes_);
  return true;
}

void Rounds::end_later_round() {
  const std::size_t more = round_.chunks - kept_.chunks();
  const auto* raw = reinterpret_cast<const std::uint8_t*>(added_.data());
  const auto all = exchanged(fmt::format("round {}", race_.rounds.size() + 1),
                             {raw, raw + added_.size() * sizeof added_[0]});
  // A process gives 0 where it did not measure; no size is 0.
  for (std::size_t process = 0; process < all.size(); ++process) {
    if (all[process].size() != added_.size() * sizeof added_[0]) {
      throw Error(
          "a process of this race has other survivors: it is of another version, or of "
          "other data");
    }
    for (std::size_t i = 0; i < added_.size(); ++i) {
      std::uint32_t size = 0;
      std::memcpy(&size, all[process].data() + i * sizeof size, sizeof size);
      if (size) added_[i] = size;
    }
  }
  round_.chunk_evaluations = added_.size();
  kept_.extend(added_, more);
  added_.clear();
  lost_ += kept_.drop(test(), overheads_);
}

void Rounds::save(bool now) {
  if (!race_options_.save || (!now && seconds_since(saved_) < options_.checkpoint_seconds)) return;
  inputs_.front().input.check_unchanged();
  race_options_.save(state());
  saved_ = Clock::now();
}

void Rounds::list(auto field, auto& rounds) {
  field("merged", rounds.race_.merged);
  field("let_go", rounds.race_.dropped);
  field("lost", rounds.lost_);
  field("wave", rounds.wave_);
  field("units_done", rounds.units_done_);
  Sums::list(field, rounds.own_, "own_");
}

std::vector<std::uint8_t> Rounds::state() const {
  const auto* raw = reinterpret_cast<const std::uint8_t*>(added_.data());
  nlohmann::json json = {
      {"schema", kSchema},
      {"version", kVersion},
      {"identity", identity_},
      {"rounds", nlohmann::json::array()},
      {"round", to_json(round_)},
      {"kept", nlohmann::json::binary(kept_.bytes())},
      {"stayed", nlohmann::json::binary(stayed_.bytes())},
      {"added", nlohmann::json::binary({raw, raw + added_.size() * sizeof added_[0]})}};
  for (const results::RaceRound& round : race_.rounds) json["rounds"].push_back(to_json(round));
  list([&](const std::string& name, const auto& number) { json[name] = number; }, *this);
  return to_cbor(json);
}

void Rounds::resume(std::span<const std::uint8_t> state) {
  try {
    const nlohmann::json json = from_cbor(state);
    if (json.at("schema") != kSchema || json.at("version") != kVersion) {
      throw Error("it is of another version of the program");
    }
    if (const std::string identity = json.at("identity"); identity != identity_) {
      raise("it is of another race: '{}', not '{}'", identity, identity_);
    }
    for (const nlohmann::json& round : json.at("rounds")) race_.rounds.push_back(round_from(round));
    list([&](const std::string& name, auto& number) { json.at(name).get_to(number); }, *this);
    round_ = round_from(json.at("round"));
    // The chunks of the rounds so far are drawn again, in the same order.
    while (drawn_.chunks() < (round_.chunks ? round_.chunks : race_.rounds.back().chunks))
      draw(next_chunks());
    kept_ = entrants_from(json.at("kept").get_binary());
    stayed_ = entrants_from(json.at("stayed").get_binary());
    const auto& added = json.at("added").get_binary();
    added_.resize(added.size() / sizeof added_[0]);
    if (!added_.empty()) std::memcpy(added_.data(), added.data(), added.size());
    race_.expected_lost = double(lost_) / LeavingTest::kOne;
  } catch (const nlohmann::json::exception& error) {
    raise("it is damaged ({})", error.what());
  }
}

}  // namespace fpsynth::search
