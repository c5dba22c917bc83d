// The first round of a race: all pipelines on a few chunks, prefix by prefix.

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runners/codec/cpu/threads.hpp"
#include "runners/search/race/rounds.hpp"
#include "synth/common/json.hpp"
#include "synth/stage_list.hpp"

namespace fpsynth::search {
namespace {

/// Blocks measured at once, for each block that the engine needs to be busy.
constexpr std::size_t kBlocksEach = 4;

}  // namespace

bool Rounds::first_round() {
  round_.entered = race_.distinct;
  // Later units are compared with those before an interruption, whose blocks are therefore made
  // again.
  for (std::size_t index = 0; index < wave_; ++index) look_at(waves_[index], UINT64_MAX);
  while (wave_ < waves_.size()) {
    if (!wave(waves_[wave_])) return false;
    end_wave();
    ++wave_;
    units_done_ = 0;
    save(false);
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
  if (seen_.insert({hash.low64 ^ lengths, hash.high64}).second) {
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
  Batch ignored;
  const std::uint64_t all = (wave.end - wave.begin) * preludes();
  for (std::uint64_t unit = 0; unit < std::min(units, all); ++unit) {
    if (options_.stopped()) return;
    is_new(unit, wave, ignored);
    ignored = {};
  }
}

double Rounds::share_of_round(const Wave& wave, std::uint64_t units) const {
  const std::uint64_t prefixes = wave.begin + units / preludes();
  std::uint64_t leaves = 0;
  for (const PrefixGroup& group : division_.groups()) {
    const std::uint64_t of_group =
        prefixes > group.first ? std::min(prefixes - group.first, group.count) : 0;
    leaves += of_group * division_.tails()[group.tail].plan.leaves().size();
  }
  return double(leaves) / double(division_.pipelines());
}

bool Rounds::wave(const Wave& wave) {
  const std::uint64_t units = (wave.end - wave.begin) * preludes();
  look_at(wave, units_done_);
  if (stayed_.size() == 0) stayed_ = Entrants(round_.chunks);
  Batch batch, other;
  for (std::uint64_t unit = units_done_; unit < units; ++unit) {
    if (options_.stopped()) return false;
    const std::size_t tail = division_.group_of(wave.begin + unit / preludes()).tail;
    if (!batch.lengths.empty() && (tail != batch.tail || is_full(batch))) {
      if (!measure(batch)) return false;
      units_done_ = unit;
      batch = {};
      report(share_of_round(wave, unit));
      save(false);
    }
    if (is_own(unit)) {
      const std::size_t leaves = division_.tails()[tail].plan.leaves().size();
      batch.evaluations += leaves * round_.chunks;
      if (!is_new(unit, wave, batch)) batch.merged += leaves;
      report(share_of_round(wave, unit));
    } else {
      is_new(unit, wave, other);
      other = {};
    }
  }
  if (!measure(batch)) return false;
  units_done_ = units;
  return true;
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

bool Rounds::measure(const Batch& batch) {
  const auto add_sums = [&] {
    own_.merged += batch.merged;
    own_.evaluations += batch.evaluations;
    return true;
  };
  if (batch.lengths.empty()) return add_sums();
  const Tail& tail = division_.tails()[batch.tail];
  std::unique_ptr<Engine>& engine = engines_[batch.tail];
  if (!engine) engine = options_.make_engine(tail.plan, tail.word_bytes, Mode::Count);
  std::vector<std::span<const std::byte>> blocks;
  std::size_t begin = 0;
  for (const std::size_t length : batch.lengths) {
    blocks.push_back(std::span(batch.bytes).subspan(begin, length));
    begin += length;
  }
  const std::size_t leaves = tail.plan.leaves().size();
  std::vector<std::uint32_t> sizes(blocks.size() * leaves);
  if (!engine->measure(blocks, sizes, [this] { return options_.stopped(); })) return false;
  add_sums();
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
  }
  std::uint64_t lost = 0;
  const int threads = codec::threads_for(options_.threads, units);
#pragma omp parallel for num_threads(threads) reduction(+ : lost) schedule(dynamic, 1)
  for (std::size_t unit = 0; unit < units; ++unit) {
    const auto own = std::span(sizes).subspan(unit * round_.chunks * leaves);
    if (first) {
      for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) stay[unit].push_back(leaf);
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
  if (stayed_.size() > 2 * most_kept(round_.chunks)) {
    own_.dropped += stayed_.shrink_to(most_kept(round_.chunks), test(), overheads_);
  }
  return true;
}

void Rounds::end_wave() {
  own_.dropped += stayed_.shrink_to(most_kept(round_.chunks), test(), overheads_);
  nlohmann::json own = {{"stayed", nlohmann::json::binary(stayed_.bytes())}};
  Sums::list([&](const std::string& name, std::uint64_t number) { own[name] = number; }, own_);
  if (kept_.size() == 0) kept_ = Entrants(round_.chunks);
  for (const auto& bytes : exchanged(fmt::format("wave {}", wave_ + 1), to_cbor(own))) {
    const nlohmann::json one = from_cbor(bytes);
    kept_.add(entrants_from(one.at("stayed").get_binary()));
    // Each process's entrants are added and cut down in turn, which bounds the memory.
    race_.dropped += kept_.shrink_to(most_kept(round_.chunks), test(), overheads_);
    Sums sums;
    Sums::list([&](const std::string& name, auto& number) { one.at(name).get_to(number); }, sums);
    lost_ += sums.lost;
    race_.merged += sums.merged;
    race_.dropped += sums.dropped;
    round_.chunk_evaluations += sums.evaluations;
  }
  stayed_ = {};
  own_ = {};
  race_.dropped += kept_.shrink_to(most_kept(round_.chunks), test(), overheads_);
  kept_.sort();
  if (kept_.size() > 0) lost_ += kept_.drop(test(), overheads_);
}

}  // namespace fpsynth::search
