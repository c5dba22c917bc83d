#include "runners/search/auto/contest.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "runners/codec/format/container.hpp"
#include "runners/search/race/rounds.hpp"
#include "synth/stage_list.hpp"

namespace fpsynth::search {
namespace {

/// Methods of equal sizes, which are mostly the same one, that stay.
constexpr std::size_t kMostEqual = 3;
/// The stages that a method grows to.
constexpr unsigned kMostStages = 6;
/// Sizes that are measured at once: 64 MiB.
constexpr std::size_t kMostSizes = std::size_t{16} << 20;

void sort_by_bytes(std::vector<Contender>& contenders) {
  std::ranges::stable_sort(contenders, {}, &Contender::bytes);
}

bool has_stage_with_tables(const Contender& contender) {
  return std::ranges::any_of(contender.pipeline.stages, has_tables);
}

/// Leaves the best, best first; at most `most_tables` of them have tables.
void keep_best(std::vector<Contender>& contenders, std::size_t most, std::size_t most_tables) {
  sort_by_bytes(contenders);
  std::size_t equal = 0, tables = 0;
  double before = -1;
  std::erase_if(contenders, [&](const Contender& contender) {
    equal = contender.bytes == before ? equal + 1 : 1;
    before = contender.bytes;
    return equal > kMostEqual || (has_stage_with_tables(contender) && ++tables > most_tables);
  });
  if (contenders.size() > most) contenders.resize(most);
}

/// The space with pipelines of at least `stages` stages, and with all cuts if it has more than that
/// of bytes.
synth::Space longer(synth::Space space, unsigned stages) {
  space.stages = std::max(space.stages, stages);
  if (space.cuts.size() == 1) return space;
  space.cuts.resize(space.stages + 1);
  std::iota(space.cuts.begin(), space.cuts.end(), 0u);
  return space;
}

/// All pipelines that may be in the contest, which has those of `space` and others like them.
synth::Space longest(const synth::Space& space) {
  synth::Space longest = space;
  longest.components = synth::registered_components();
  for (const auto& more : {space.components, space.last}) {
    for (const synth::Component component : more) {
      if (std::ranges::find(longest.components, component) == longest.components.end()) {
        longest.components.push_back(component);
      }
    }
  }
  longest.last = synth::reducers(longest.components);
  return longer(longest, kMostStages);
}

}  // namespace

Field::Field(const synth::Space& space, std::size_t word_bytes, const EffortNumbers& numbers,
             const SearchOptions& options)
    : plan_(space),
      word_bytes_(word_bytes),
      engine_(options.make_engine(plan_, word_bytes, Mode::Count)),
      ids_(plan_.leaves().size()) {
  for (std::uint64_t id = plan_.leaf_of_id().size(); id-- > 0;) ids_[plan_.leaf_of_id()[id]] = id;
  for (const std::uint64_t id : ids_) {
    frames_.push_back(static_cast<std::uint32_t>(
        synth::frame_bytes(plan_.space().at(id), word_bytes, chunk_words())));
  }
  for (std::size_t i = 0; i < size(); ++i) weights_.push_back(numbers.weight(at(i)));
}

std::vector<std::vector<double>> Field::sizes(std::span<const Sample* const> samples,
                                              std::uint64_t blocks) const {
  std::vector<std::vector<double>> sizes;
  std::vector<std::span<const std::byte>> chunks;
  std::vector<double> weights;
  std::vector<std::size_t> whose;
  std::vector<std::uint32_t> bytes;
  const auto measure = [&] {
    bytes.resize(chunks.size() * size());
    engine_->measure(chunks, bytes, [] { return false; });
    for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
      std::vector<double>& sums = sizes[whose[chunk]];
      for (std::size_t leaf = 0; leaf < size(); ++leaf) {
        sums[leaf] += weights[chunk] * double(bytes[chunk * size() + leaf] + frames_[leaf]);
      }
    }
    chunks.clear();
    weights.clear();
    whose.clear();
  };
  for (const Sample* sample : samples) {
    const std::uint64_t overhead =
        sample->overhead_bytes() +
        codec::overhead_bytes(at(0), sample->original_bytes(), word_bytes_);
    sizes.emplace_back(size(), double(overhead));
    for (const Places::Block& block : sample->places().first(blocks)) {
      const auto all = sample->bytes_of(block);
      const std::size_t length = chunk_words() * word_bytes_;
      for (std::size_t begin = 0; begin < all.size(); begin += length) {
        chunks.push_back(all.subspan(begin, std::min(length, all.size() - begin)));
        weights.push_back(block.weight * sample->scale());
        whose.push_back(sizes.size() - 1);
      }
      if (chunks.size() * size() > kMostSizes) measure();
    }
  }
  if (!chunks.empty()) measure();
  for (std::vector<double>& of_sample : sizes) {
    std::ranges::transform(of_sample, weights_, of_sample.begin(), std::multiplies());
  }
  return sizes;
}

std::vector<synth::Prelude> Contest::tried(std::vector<synth::Prelude> preludes,
                                           const Report& report) {
  if (preludes.size() < 2 || numbers_.trying.empty()) return preludes;
  std::vector<std::unique_ptr<Field>> fields;
  for (const synth::Space& space : numbers_.spaces(numbers_.trying_stages)) {
    fields.push_back(
        std::make_unique<Field>(space, synth::word_bytes(input_.native()), numbers_, options_));
  }
  const std::uint64_t blocks = std::ranges::max(numbers_.trying, {}, &ContestRound::blocks).blocks;
  const std::vector<std::uint64_t> heads = heads_of(preludes);
  struct Tried {
    synth::Prelude prelude;
    std::unique_ptr<Sample> sample;
    double bytes = 0;
  };
  std::vector<Tried> left;
  // Those that begin with the same step after each other.
  std::ranges::stable_sort(preludes, {}, [](const synth::Prelude& prelude) {
    return prelude.empty() ? synth::PreludeStep{} : prelude.steps.front();
  });
  for (std::size_t i = 0; i < preludes.size(); ++i) {
    report(0.5 * double(i) / double(preludes.size()));
    left.push_back({preludes[i], std::make_unique<Sample>(sample_of_(preludes[i], blocks, heads))});
  }
  for (std::size_t round = 0; round < numbers_.trying.size(); ++round) {
    report(0.5 + 0.5 * double(round) / double(numbers_.trying.size()));
    std::vector<const Sample*> samples;
    for (Tried& one : left) {
      samples.push_back(one.sample.get());
      one.bytes = HUGE_VAL;
    }
    for (const auto& field : fields) {
      const auto sizes = field->sizes(samples, numbers_.trying[round].blocks);
      for (std::size_t i = 0; i < left.size(); ++i) {
        left[i].bytes = std::min(left[i].bytes, std::ranges::min(sizes[i]));
      }
    }
    std::ranges::stable_sort(left, {}, &Tried::bytes);
    if (left.size() > numbers_.trying[round].left) {
      left.erase(left.begin() + std::ptrdiff_t(numbers_.trying[round].left), left.end());
    }
  }
  report(1);
  preludes.clear();
  for (Tried& one : left) preludes.push_back(std::move(one.prelude));
  return preludes;
}

void Contest::enter(const std::vector<synth::Prelude>& preludes, std::uint64_t blocks) {
  preludes_ = preludes;
  samples_.clear();
  const std::vector<std::uint64_t> heads = heads_of(preludes);
  for (const synth::Prelude& prelude : preludes) {
    samples_.push_back(sample_of_(prelude, blocks, heads));
  }
}

std::vector<Contender> Contest::searched(const Report& report) {
  const std::vector<synth::Space> spaces = numbers_.spaces(numbers_.space.stages);
  const std::size_t left =
      numbers_.narrowing.empty() ? numbers_.candidates : numbers_.narrowing.front().left;
  blocks_searched_ = samples_.front().places().first(numbers_.blocks).size();
  std::vector<Contender> contenders;
  double done = 0;
  for (const synth::Space& space : spaces) {
    const Field field(space, samples_.front().word_bytes(), numbers_, options_);
    for (std::size_t prelude = 0; prelude < samples_.size(); ++prelude) {
      report(done++ / double(spaces.size() * samples_.size()));
      const Sample* const sample = &samples_[prelude];
      const std::vector<double> sizes = field.sizes({&sample, 1}, numbers_.blocks).front();
      std::vector<std::uint32_t> order(sizes.size());
      std::iota(order.begin(), order.end(), 0u);
      const std::size_t most = std::min(order.size(), kMostEqual * left);
      std::ranges::partial_sort(order, order.begin() + std::ptrdiff_t(most), {},
                                [&](std::uint32_t leaf) { return std::pair(sizes[leaf], leaf); });
      for (std::size_t i = 0; i < most; ++i) {
        contenders.push_back({prelude, field.at(order[i]), field.chunk_words(), sizes[order[i]]});
      }
    }
  }
  set_references(contenders);
  level(contenders, numbers_.blocks);
  keep_best(contenders, kMostEqual * left, numbers_.tables_left);
  if (numbers_.race_blocks > 0) {
    for (Contender& contender : raced(report)) contenders.push_back(std::move(contender));
  }
  report(1);
  return contenders;
}

std::vector<Contender> Contest::raced(const Report& report) const {
  synth::Space space = longer(numbers_.space, numbers_.race_stages);
  std::vector<TransformedInput> inputs;
  space.preludes.clear();
  for (std::size_t i = 0; i < std::min(samples_.size(), numbers_.race_preludes); ++i) {
    space.preludes.push_back(preludes_[i]);
    inputs.push_back({samples_[i].input(numbers_.race_blocks), samples_[i].overhead_bytes()});
  }
  RaceOptions race;
  race.progress = [&](const RaceProgress& progress) {
    // The first round is most of the work.
    report(progress.round > 1 ? 1 - 0.1 / double(progress.round) : 0.9 * progress.done);
  };
  Rounds rounds(inputs, space, "", race, options_);
  rounds.run();
  std::vector<Contender> contenders;
  for (std::size_t i = 0; i < rounds.survivors().size(); ++i) {
    const Entrant& who = rounds.survivors().who(i);
    contenders.push_back(
        {who.prelude, synth::without_identities(space.at(who.id)), space.chunk_words, 0});
  }
  return contenders;
}

void Contest::measure(std::span<Contender> contenders, std::uint64_t blocks) const {
  synth::Space space = longest(numbers_.space);
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Contender*>> alike;
  for (Contender& contender : contenders) {
    alike[{contender.prelude, contender.chunk_words}].push_back(&contender);
  }
  for (const auto& [of, members] : alike) {
    std::map<std::uint64_t, std::vector<Contender*>> by_id;
    for (Contender* member : members) {
      by_id[space.id_of(space.padded(member->pipeline)).value()].push_back(member);
    }
    synth::Space list = space;
    list.chunk_words = of.second;
    for (const auto& [id, which] : by_id) list.only.push_back(id);
    const Field field(list, samples_[of.first].word_bytes(), numbers_, options_);
    const Sample* const sample = &samples_[of.first];
    const std::vector<double> sizes = field.sizes({&sample, 1}, blocks).front();
    std::uint64_t place = 0;
    for (const auto& [id, which] : by_id) {
      for (Contender* contender : which) contender->bytes = sizes[field.number_of(place)];
      ++place;
    }
  }
}

void Contest::estimate(std::span<Contender> contenders, std::uint64_t blocks) {
  measure(contenders, blocks);
  level(contenders, blocks);
}

void Contest::set_references(std::span<const Contender> contenders) {
  references_.assign(samples_.size(), {});
  for (Contender& reference : references_) reference.bytes = HUGE_VAL;
  for (const Contender& contender : contenders) {
    Contender& reference = references_[contender.prelude];
    if (contender.bytes < reference.bytes) reference = contender;
  }
  const std::uint64_t all = samples_.front().places().count();
  measure(references_, all);
  levels_ = {{all, std::vector<double>(references_.size(), 1)}};
}

void Contest::level(std::span<Contender> contenders, std::uint64_t blocks) {
  std::vector<double>& factors = levels_[std::min(blocks, samples_.front().places().count())];
  if (factors.empty()) {
    std::vector<Contender> few = references_;
    measure(few, blocks);
    for (std::size_t i = 0; i < few.size(); ++i) {
      factors.push_back(references_[i].bytes / few[i].bytes);
    }
  }
  for (Contender& contender : contenders) contender.bytes *= factors[contender.prelude];
}

std::vector<Contender> Contest::like(const Contender& contender) const {
  std::vector<Contender> others;
  const auto add = [&](const synth::Pipeline& pipeline) {
    if (pipeline.stages.empty() || pipeline.stages.size() > kMostStages) return;
    if (!synth::family(pipeline.stages.back().family).reduces) return;
    others.push_back(
        {contender.prelude, synth::without_identities(pipeline), contender.chunk_words, 0});
  };
  const synth::Pipeline& old = contender.pipeline;
  std::vector<synth::Component> every = numbers_.space.components;
  every.insert(every.end(), numbers_.with_tables.begin(), numbers_.with_tables.end());
  for (std::size_t place = 0; place <= old.stages.size(); ++place) {
    const std::ptrdiff_t at = std::ptrdiff_t(place);
    // Components with tables take long, and are of use at the end.
    const bool at_end = place + 1 >= old.stages.size();
    for (const synth::Component component : at_end ? every : numbers_.space.components) {
      synth::Pipeline longer = old;
      longer.stages.insert(longer.stages.begin() + at, component);
      if (place >= old.cut) add(longer);
      if (place <= old.cut && numbers_.space.cuts.size() > 1) {
        ++longer.cut;
        add(longer);
      }
      if (place == old.stages.size()) continue;
      synth::Pipeline other = old;
      other.stages[place] = component;
      add(other);
    }
    if (place == old.stages.size()) continue;
    synth::Pipeline shorter = old;
    shorter.stages.erase(shorter.stages.begin() + at);
    shorter.cut -= place < old.cut ? 1 : 0;
    add(shorter);
  }
  for (unsigned cut = 0; cut <= old.stages.size() && numbers_.space.cuts.size() > 1; ++cut) {
    synth::Pipeline other = old;
    other.cut = cut;
    add(other);
  }
  return others;
}

std::vector<Contender> Contest::narrowed(const std::vector<Contender>& contenders,
                                         const Report& report) {
  if (numbers_.narrowing.empty()) return contenders;
  std::vector<Contender> pool;
  for (const Contender& contender : contenders) {
    for (const std::size_t words : numbers_.chunk_lengths) {
      pool.push_back(contender);
      pool.back().chunk_words = words;
    }
  }
  // Several grow into the same one.
  std::set<std::tuple<std::size_t, std::string, std::size_t>> known;
  const auto is_new = [&](const Contender& contender) {
    std::string pipeline = synth::to_string(contender.pipeline);
    return known.emplace(contender.prelude, std::move(pipeline), contender.chunk_words).second;
  };
  std::erase_if(pool, std::not_fn(is_new));
  const ContestRound& first = numbers_.narrowing.front();
  const auto enter = [&](std::vector<Contender> others) {
    estimate(others, first.blocks);
    pool.insert(pool.end(), others.begin(), others.end());
    keep_best(pool, first.left, numbers_.tables_left);
  };
  const double steps = double(numbers_.extensions + numbers_.narrowing.size());
  double step = 0;
  enter(std::exchange(pool, {}));
  std::set<std::pair<std::size_t, std::string>> parents;
  for (unsigned time = 0; time < numbers_.extensions; ++time) {
    report(++step / steps);
    std::vector<Contender> others;
    std::size_t tables = 0;
    for (std::size_t i = 0, count = 0; i < pool.size() && count < numbers_.parents; ++i) {
      if (has_stage_with_tables(pool[i]) && tables == numbers_.table_parents) continue;
      if (!parents.insert({pool[i].prelude, synth::to_string(pool[i].pipeline)}).second) continue;
      ++count;
      tables += has_stage_with_tables(pool[i]) ? 1 : 0;
      for (Contender& other : like(pool[i])) {
        if (is_new(other)) others.push_back(std::move(other));
      }
    }
    estimate(others, numbers_.blocks);
    keep_best(others, first.left, numbers_.tables_left);
    enter(std::move(others));
  }
  for (const ContestRound& round : std::span(numbers_.narrowing).subspan(1)) {
    report(++step / steps);
    estimate(pool, round.blocks);
    keep_best(pool, round.left, round.left);
  }
  report(1);
  return pool;
}

}  // namespace fpsynth::search
