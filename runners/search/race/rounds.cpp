#include "runners/search/race/rounds.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "components/stage_table.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "runners/search/race/random_chunks.hpp"
#include "synth/common/error.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::search {
namespace {

/// Sizes that are measured at once: 256 MiB.
constexpr std::size_t kMostSizes = std::size_t{64} << 20;
/// Blocks at once, for each that the engine needs to be busy.
constexpr std::size_t kBlocksEach = 4;
/// Entrants of a unit of later rounds: the memory of a plan is some 100 bytes for each.
constexpr std::size_t kPiece = 32'768;
constexpr double kReportSeconds = 0.2;
/// Chunks of the first round on which speeds are predicted: the model's own errors are larger than
/// what more of them would change.
constexpr std::size_t kTimedChunks = 4;
/// Bytes that put a pipeline out of the race with certainty, and whose squares can be summed up.
constexpr std::uint32_t kOut = 1u << 26;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

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

nlohmann::json binary(const std::vector<std::uint8_t>& bytes) {
  return nlohmann::json::binary(bytes);
}

/// How many words at the beginning lags do not change as they change the others.
std::uint64_t unchanged_words(const synth::Prelude& prelude) {
  std::uint64_t words = 0;
  for (const synth::PreludeStep& step : prelude.steps) {
    const bool lag = synth::prelude_traits(step.kind).shape == preludes::Shape::Lagged;
    if (lag) words += step.parameter;
  }
  return words;
}

std::uint64_t chunks_in(const data::Input& input, std::size_t chunk_words, std::uint64_t sample) {
  const std::uint64_t all = (input.view().words + chunk_words - 1) / chunk_words;
  return (all + sample - 1) / sample;
}

}  // namespace

Rounds::Rounds(const std::vector<Behind>& inputs, const synth::Space& space, std::string identity,
               const RaceOptions& race, const SearchOptions& options)
    : inputs_(inputs),
      identity_(std::move(identity)),
      race_options_(race),
      options_(options),
      word_bytes_(synth::word_bytes(inputs.front().input.native())),
      division_(space, word_bytes_, race.most_leaves),
      blocks_(options.stages ? *options.stages : components::default_stages(), word_bytes_,
              division_.longest_block()) {
  if (race.speed_limit) {
    fast_pipelines_.emplace(*race.speed_limit, division_,
                            options.stages ? *options.stages : components::default_stages(),
                            codec::threads_for(options.threads, UINT64_MAX));
  }
  const data::Input& input = inputs_.front().input;
  const std::uint64_t population = chunks_in(input, space.chunk_words, options.sample);
  const std::uint64_t all = chunks_in(input, space.chunk_words, 1);
  std::uint64_t unchanged = 0;  // words at the beginning
  for (std::size_t prelude = 0; prelude < inputs_.size(); ++prelude) {
    // In a sample, its share of what is in front of the chunks.
    overheads_.push_back(double(inputs_[prelude].overhead_bytes) * double(population) /
                         double(all));
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
  race_.min_speed = race.min_speed.text();
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

bool Rounds::begins_round() {
  if (round_.chunks > 0) return true;  // it was interrupted
  const std::uint64_t chunks = next_chunks();
  if (chunks == 0 || (!race_.rounds.empty() && kept_.size() <= race_options_.few)) return false;
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
    some.push_back(chunk_of(inputs_[prelude].input.view(), division_.space().chunk_words,
                            word_bytes_, options_.sample, chunks_[i]));
  }
  return some;
}

LeavingTest Rounds::test() const {
  // Of the rounds that there may be, each has an equal part of the risk.
  const double most = double(drawn_.population[1]) / 2 / double(race_options_.first_chunks);
  const double rounds = 1 + std::floor(std::log2(std::max(1.0, most)));
  return {drawn_, race_options_.risk / rounds, race_options_.margin};
}

std::unique_ptr<Engine> Rounds::engine_for(const synth::Plan& plan, std::size_t word_bytes) const {
  if (options_.engine) return options_.engine(plan, word_bytes, Mode::Count);
  return cpu_engine(options_.threads,
                    options_.stages ? *options_.stages : components::default_stages(),
                    options_.merge_equal)(plan, word_bytes, Mode::Count);
}

bool Rounds::first_round() {
  round_.entered = race_.distinct;
  // What the units before an interruption have seen decides which later ones are equal to them.
  for (std::size_t index = 0; index < wave_; ++index) look_at(waves_[index], UINT64_MAX);
  while (wave_ < waves_.size()) {
    if (!wave(waves_[wave_])) return false;
    end_wave();
    ++wave_;
    units_done_ = 0;
    save(false);
  }
  if (kept_.size() == 0) {
    throw Error(
        fmt::format("no pipeline of the space is predicted to reach {} GB/s; ask for less speed",
                    race_options_.min_speed.text()));
  }
  return true;
}

bool Rounds::is_new(std::uint64_t unit, const Wave& wave, Batch& batch) {
  const std::uint64_t prefix = wave.begin + unit / preludes();
  const auto prelude = static_cast<std::uint32_t>(unit % preludes());
  const std::vector<synth::PlanEdge> stages = division_.prefix(prefix);
  const std::size_t tail = division_.group_of(prefix).tail;
  const std::size_t bytes = batch.bytes.size(), blocks = batch.lengths.size();
  for (const auto chunk : chunks(prelude, 0, round_.chunks)) {
    const auto block = blocks_.run(stages, chunk);
    batch.bytes.insert(batch.bytes.end(), block.begin(), block.end());
    batch.lengths.push_back(block.size());
  }
  const XXH128_hash_t hash = XXH3_128bits_withSeed(
      batch.bytes.data() + bytes, batch.bytes.size() - bytes, std::uint64_t{prelude} << 32 | tail);
  const std::uint64_t lengths = XXH3_64bits(batch.lengths.data() + blocks,
                                            (batch.lengths.size() - blocks) * sizeof(std::size_t));
  // With a speed limit, what leads to equal blocks may be of other speeds.
  if (fast_pipelines_ || seen_.insert({hash.low64 ^ lengths, hash.high64}).second) {
    batch.prefixes.push_back(prefix);
    batch.preludes.push_back(prelude);
    batch.tail = tail;
    return true;
  }
  batch.bytes.resize(bytes);
  batch.lengths.resize(blocks);
  return false;
}

void Rounds::look_at(const Wave& wave, std::uint64_t units) {
  if (fast_pipelines_) return;
  Batch ignored;
  const std::uint64_t all = (wave.end - wave.begin) * preludes();
  for (std::uint64_t unit = 0; unit < std::min(units, all); ++unit) {
    is_new(unit, wave, ignored);
    ignored = {};
  }
}

bool Rounds::wave(const Wave& wave) {
  const std::uint64_t units = (wave.end - wave.begin) * preludes();
  look_at(wave, units_done_);
  if (stayed_.size() == 0) stayed_ = Entrants(round_.chunks);
  Batch batch, other;
  for (std::uint64_t unit = units_done_; unit < units; ++unit) {
    if (stopped()) return false;
    const std::size_t tail = division_.group_of(wave.begin + unit / preludes()).tail;
    if (!batch.lengths.empty() && (tail != batch.tail || is_full(batch))) {
      if (!measure(batch)) return false;
      units_done_ = unit;
      batch = {};
      report(double(unit) / double(units));
      save(false);
    }
    if (is_own(unit)) {
      add(unit, wave, batch);
      report(double(unit) / double(units));
    } else if (!fast_pipelines_) {
      is_new(unit, wave, other);
      other = {};
    }
  }
  if (!measure(batch)) return false;
  units_done_ = units;
  return true;
}

void Rounds::add(std::uint64_t unit, const Wave& wave, Batch& batch) {
  const std::uint64_t prefix = wave.begin + unit / preludes();
  const auto prelude = static_cast<std::uint32_t>(unit % preludes());
  const std::size_t tail = division_.group_of(prefix).tail;
  const std::size_t leaves = division_.tails()[tail].plan.leaves().size();
  std::vector<std::uint8_t> fast;
  if (fast_pipelines_) {
    const std::size_t timed = std::min<std::size_t>(round_.chunks, kTimedChunks);
    fast = fast_pipelines_->behind(prefix, chunks(prelude, 0, timed));
    batch.too_slow += leaves - static_cast<std::size_t>(std::ranges::count(fast, 1));
    if (fast.empty()) return;
  }
  batch.evaluations += leaves * round_.chunks;
  if (!is_new(unit, wave, batch)) {
    batch.merged += leaves;
  } else if (fast_pipelines_) {
    batch.fast.push_back(std::move(fast));
  }
}

bool Rounds::is_full(const Batch& batch) const {
  const std::size_t leaves = division_.tails()[batch.tail].plan.leaves().size();
  const std::size_t blocks = batch.lengths.size();
  const std::size_t enough =
      engines_[batch.tail] ? kBlocksEach * engines_[batch.tail]->at_once() : 1;
  return blocks >= enough || (blocks + round_.chunks) * leaves > kMostSizes;
}

std::vector<std::uint32_t> Rounds::frames(std::uint64_t prefix, std::size_t tail_number) {
  const Tail& tail = division_.tails()[tail_number];
  const std::size_t chunk_words = division_.space().chunk_words;
  const std::size_t leaves = tail.plan.leaves().size();
  const auto frame = [&](const synth::Pipeline& pipeline) {
    return static_cast<std::uint32_t>(synth::frame_bytes(pipeline, word_bytes_, chunk_words));
  };
  if (division_.longest_output() > 0xffff) {  // some frames have longer fields
    std::vector<std::uint32_t> exact(leaves);
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      exact[leaf] = frame(division_.pipeline(prefix, leaf));
    }
    return exact;
  }
  std::vector<std::uint32_t>& of_leaves = frames_of_leaves_[tail_number];
  for (std::size_t leaf = of_leaves.size(); leaf < leaves; ++leaf) {
    of_leaves.push_back(frame(tail.plan.space().at(tail.id_of_leaf[leaf])));
  }
  synth::Pipeline before;
  for (const synth::PlanEdge& stage : division_.prefix(prefix)) {
    before.stages.push_back(stage.component);
    before.cut += !stage.on_bytes;
  }
  const std::uint32_t own = before.stages.empty() ? 0 : frame(before);
  std::vector<std::uint32_t> both = of_leaves;
  for (std::uint32_t& bytes : both) bytes += own;
  return both;
}

void Rounds::add_sums(const Batch& batch) {
  own_.merged += batch.merged;
  own_.too_slow += batch.too_slow;
  own_.evaluations += batch.evaluations;
}

bool Rounds::measure(const Batch& batch) {
  if (batch.lengths.empty()) {
    add_sums(batch);
    return true;
  }
  const Tail& tail = division_.tails()[batch.tail];
  std::unique_ptr<Engine>& engine = engines_[batch.tail];
  if (!engine) engine = engine_for(tail.plan, tail.word_bytes);
  std::vector<std::span<const std::byte>> blocks;
  std::size_t begin = 0;
  for (const std::size_t length : batch.lengths) {
    blocks.push_back(std::span(batch.bytes).subspan(begin, length));
    begin += length;
  }
  const std::size_t leaves = tail.plan.leaves().size();
  std::vector<std::uint32_t> sizes(blocks.size() * leaves);
  if (!engine->measure(blocks, sizes, [this] { return stopped(); })) return false;
  add_sums(batch);
  const double chunk_bytes = double(division_.space().chunk_words * word_bytes_);
  done_bytes_ += double(leaves) * double(blocks.size()) * chunk_bytes;

  // Waves behind the first one are tested against the best before them.
  const bool first = kept_.size() == 0;
  const LeavingTest leaving = test();
  const std::size_t best = first ? 0 : kept_.leader(leaving, overheads_);
  const std::size_t units = batch.prefixes.size();
  std::vector<std::vector<std::uint32_t>> frames_of(units), stay(units);
  for (std::size_t unit = 0; unit < units; ++unit) {
    frames_of[unit] = frames(batch.prefixes[unit], batch.tail);
    if (!fast_pipelines_) continue;
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
      if (!batch.fast[unit][leaf]) frames_of[unit][leaf] = kOut;
    }
  }
  std::uint64_t lost = 0;
  const int threads = codec::threads_for(options_.threads, units);
#pragma omp parallel for num_threads(threads) reduction(+ : lost) schedule(dynamic, 1)
  for (std::size_t unit = 0; unit < units; ++unit) {
    const auto own = std::span(sizes).subspan(unit * round_.chunks * leaves);
    if (first) {
      for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
        if (frames_of[unit][leaf] != kOut) stay[unit].push_back(leaf);
      }
    } else {
      lost += leaving.run({own, leaves, 1}, frames_of[unit], overheads_[batch.preludes[unit]],
                          kept_.sizes(best), overheads_[kept_.who(best).prelude], stay[unit]);
    }
  }
  own_.lost += lost;
  std::vector<std::uint32_t> column(round_.chunks);
  for (std::size_t unit = 0; unit < units; ++unit) {
    const auto own = std::span(sizes).subspan(unit * round_.chunks * leaves);
    for (const std::uint32_t leaf : stay[unit]) {
      for (std::size_t i = 0; i < column.size(); ++i) {
        column[i] = own[i * leaves + leaf] + frames_of[unit][leaf];
      }
      stayed_.add(
          {batch.preludes[unit], division_.id_of(division_.pipeline(batch.prefixes[unit], leaf))},
          column);
    }
  }
  if (stayed_.size() > 2 * race_options_.most_kept) {
    own_.let_go += stayed_.shrink_to(race_options_.most_kept, test(), overheads_);
  }
  return true;
}

std::vector<std::vector<std::uint8_t>> Rounds::exchanged(const std::string& step,
                                                         std::vector<std::uint8_t> own) {
  if (!race_options_.peers) return {std::move(own)};
  save(true);  // the others may not be there, and the race ends
  return race_options_.peers->exchange(step, std::move(own));
}

void Rounds::end_wave() {
  own_.let_go += stayed_.shrink_to(race_options_.most_kept, test(), overheads_);
  const nlohmann::json own = {{"stayed", binary(stayed_.bytes())},
                              {"lost", own_.lost},
                              {"merged", own_.merged},
                              {"let_go", own_.let_go},
                              {"too_slow", own_.too_slow},
                              {"evaluations", own_.evaluations}};
  if (kept_.size() == 0) kept_ = Entrants(round_.chunks);
  for (const auto& bytes :
       exchanged(fmt::format("wave {}", wave_ + 1), nlohmann::json::to_cbor(own))) {
    const nlohmann::json one = nlohmann::json::from_cbor(bytes);
    kept_.add(Entrants::from(one.at("stayed").get_binary()));
    lost_ += one.at("lost").get<std::uint64_t>();
    race_.merged += one.at("merged").get<std::uint64_t>();
    race_.let_go += one.at("let_go").get<std::uint64_t>();
    race_.too_slow += one.at("too_slow").get<std::uint64_t>();
    round_.chunk_evaluations += one.at("evaluations").get<std::uint64_t>();
  }
  stayed_ = {};
  own_ = {};
  race_.let_go += kept_.shrink_to(race_options_.most_kept, test(), overheads_);
  kept_.sort();
  if (kept_.size() > 0) lost_ += kept_.drop(test(), overheads_);
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
      if (stopped() || !measure_piece(begin, end)) return false;
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
  const std::unique_ptr<Engine> engine = engine_for(plan, word_bytes_);
  const auto added = chunks(kept_.who(begin).prelude, kept_.chunks(), round_.chunks);
  const std::size_t leaves = plan.leaves().size();
  const std::size_t at_once = std::max<std::size_t>(1, kMostSizes / leaves);
  std::vector<std::uint32_t> sizes;
  for (std::size_t first = 0; first < added.size(); first += at_once) {
    const std::size_t count = std::min(at_once, added.size() - first);
    sizes.resize(count * leaves);
    const auto some = std::span(added).subspan(first, count);
    if (!engine->measure(some, sizes, [this] { return stopped(); })) return false;
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
  // What a process did not measure is 0 in what it gives, and no size is.
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

void Rounds::report(double done) {
  if (!race_options_.progress || seconds_since(reported_) < kReportSeconds) return;
  reported_ = Clock::now();
  const double seconds = seconds_since(start_);
  race_options_.progress({race_.rounds.size() + 1, round_.chunks, round_.entered,
                          race_.rounds.empty() ? kept_.size() + stayed_.size() : kept_.size(), done,
                          seconds, done_bytes_ / std::max(seconds, 1e-9)});
}

void Rounds::save(bool now) {
  if (!race_options_.save || (!now && seconds_since(saved_) < options_.checkpoint_seconds)) return;
  race_options_.save(state());
  saved_ = Clock::now();
}

std::vector<std::uint8_t> Rounds::state() const {
  nlohmann::json rounds = nlohmann::json::array();
  for (const results::RaceRound& round : race_.rounds) rounds.push_back(to_json(round));
  const auto* raw = reinterpret_cast<const std::uint8_t*>(added_.data());
  return nlohmann::json::to_cbor({{"schema", kSchema},
                                  {"version", kVersion},
                                  {"identity", identity_},
                                  {"rounds", rounds},
                                  {"merged", race_.merged},
                                  {"let_go", race_.let_go},
                                  {"too_slow", race_.too_slow},
                                  {"lost", lost_},
                                  {"round", to_json(round_)},
                                  {"wave", wave_},
                                  {"units_done", units_done_},
                                  {"kept", binary(kept_.bytes())},
                                  {"stayed", binary(stayed_.bytes())},
                                  {"added", binary({raw, raw + added_.size() * sizeof added_[0]})},
                                  {"own_lost", own_.lost},
                                  {"own_merged", own_.merged},
                                  {"own_let_go", own_.let_go},
                                  {"own_too_slow", own_.too_slow},
                                  {"own_evaluations", own_.evaluations}});
}

void Rounds::resume(std::span<const std::uint8_t> state) {
  try {
    const nlohmann::json json = nlohmann::json::from_cbor(state.begin(), state.end());
    if (json.at("schema") != kSchema || json.at("version") != kVersion) {
      throw Error("it is of another version of the program");
    }
    if (const std::string identity = json.at("identity"); identity != identity_) {
      throw Error(fmt::format("it is of another race: '{}', not '{}'", identity, identity_));
    }
    for (const nlohmann::json& round : json.at("rounds")) race_.rounds.push_back(round_from(round));
    json.at("merged").get_to(race_.merged);
    json.at("let_go").get_to(race_.let_go);
    json.at("too_slow").get_to(race_.too_slow);
    json.at("lost").get_to(lost_);
    round_ = round_from(json.at("round"));
    // The chunks of the rounds so far are drawn again, in the same order.
    while (drawn_.chunks() < (round_.chunks ? round_.chunks : race_.rounds.back().chunks))
      draw(next_chunks());
    json.at("wave").get_to(wave_);
    json.at("units_done").get_to(units_done_);
    kept_ = Entrants::from(json.at("kept").get_binary());
    stayed_ = Entrants::from(json.at("stayed").get_binary());
    const auto& added = json.at("added").get_binary();
    added_.resize(added.size() / sizeof added_[0]);
    if (!added_.empty()) std::memcpy(added_.data(), added.data(), added.size());
    json.at("own_lost").get_to(own_.lost);
    json.at("own_merged").get_to(own_.merged);
    json.at("own_let_go").get_to(own_.let_go);
    json.at("own_too_slow").get_to(own_.too_slow);
    json.at("own_evaluations").get_to(own_.evaluations);
    race_.expected_lost = double(lost_) / LeavingTest::kOne;
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("it is damaged ({})", error.what()));
  }
}

}  // namespace fpsynth::search
