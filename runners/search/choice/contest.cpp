#include "runners/search/choice/contest.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "runners/search/race/rounds.hpp"
#include "runners/search/search.hpp"
#include "synth/plan.hpp"

namespace fpsynth::search {
namespace {

/// Of methods of equal sizes, which are mostly one in other words, so many stay.
constexpr std::size_t kMostEqual = 3;
/// The stages that a method grows to.
constexpr unsigned kMostStages = 6;

void sort_by_bytes(std::vector<Contender>& contenders) {
  std::ranges::stable_sort(contenders, {}, &Contender::bytes);
}

/// Leaves the best, best first.
void keep_best(std::vector<Contender>& contenders, std::size_t most) {
  sort_by_bytes(contenders);
  std::size_t equal = 0;
  double before = -1;
  std::erase_if(contenders, [&](const Contender& contender) {
    equal = contender.bytes == before ? equal + 1 : 1;
    before = contender.bytes;
    return equal > kMostEqual;
  });
  if (contenders.size() > most) contenders.resize(most);
}

SearchOptions counting(const SearchOptions& options) {
  SearchOptions count = options;
  count.verification = Verification::parse("none");
  count.progress = nullptr;
  count.checkpoint = nullptr;
  count.part.reset();
  count.sample = 1;
  return count;
}

/// Sizes of all pipelines of a plan on a sample.
struct Sizes {
  Sizes(const Sample& sample, const synth::Plan& plan, std::uint64_t blocks,
        const SearchOptions& options)
      : document(search(sample.blocks(blocks), plan, counting(options))),
        scale(sample.scale(blocks)),
        overhead(double(sample.overhead_bytes() + document.overhead_bytes)) {}

  double bytes(std::uint64_t id) const {
    return double(document.payload_bytes[id]) * scale + overhead;
  }

  results::Document document;
  double scale, overhead;
};

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
  longest.stages = std::max(space.stages, kMostStages);
  longest.cuts.clear();
  for (unsigned cut = 0; cut <= longest.stages; ++cut) longest.cuts.push_back(cut);
  return longest;
}

}  // namespace

std::vector<synth::Prelude> Contest::tried(std::vector<synth::Prelude> preludes,
                                           const Report& report) {
  if (preludes.size() < 2 || numbers_.trying.empty()) return preludes;
  synth::Space shorter = numbers_.space;
  while (shorter.stages > numbers_.trying_stages) shorter = shorter.shorter();
  const synth::Plan plan(shorter);
  const std::uint64_t blocks = std::ranges::max(numbers_.trying, {}, &ContestRound::blocks).blocks;
  struct Tried {
    synth::Prelude prelude;
    Sample sample;
    double bytes = 0;
  };
  std::vector<Tried> left;
  // Those that begin with the same step after each other.
  std::ranges::stable_sort(preludes, {}, [](const synth::Prelude& prelude) {
    return prelude.empty() ? synth::PreludeStep{} : prelude.steps.front();
  });
  const double steps = double(numbers_.trying.size() + 1);
  for (std::size_t i = 0; i < preludes.size(); ++i) {
    report(double(i) / double(preludes.size()) / steps);
    left.push_back({preludes[i], Sample(transformed_(preludes[i]), blocks)});
  }
  for (std::size_t round = 0; round < numbers_.trying.size(); ++round) {
    for (std::size_t i = 0; i < left.size(); ++i) {
      report((double(round + 1) + double(i) / double(left.size())) / steps);
      const Sizes sizes(left[i].sample, plan, numbers_.trying[round].blocks, options_);
      left[i].bytes = sizes.bytes(sizes.document.ranking.front());
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
  for (const synth::Prelude& prelude : preludes) {
    samples_.emplace_back(transformed_(prelude), blocks);
  }
}

std::vector<Contender> Contest::searched(const Report& report) {
  if (numbers_.race_blocks > 0) return raced(report);
  const synth::Plan plan(numbers_.space);
  const std::size_t left =
      numbers_.narrowing.empty() ? numbers_.candidates : numbers_.narrowing.front().left;
  const std::size_t most = kMostEqual * std::max<std::size_t>(left, 100);
  std::vector<Contender> contenders;
  for (std::size_t prelude = 0; prelude < samples_.size(); ++prelude) {
    report(double(prelude) / double(samples_.size()));
    const Sizes sizes(samples_[prelude], plan, numbers_.blocks, options_);
    blocks_searched_ = std::min(numbers_.blocks, samples_[prelude].count());
    std::set<std::uint32_t> leaves;
    for (const std::uint64_t id : sizes.document.ranking) {
      if (leaves.size() == most) break;
      if (!leaves.insert(plan.leaf_of_id()[id]).second) continue;
      contenders.push_back({prelude, synth::without_identities(plan.space().at(id)),
                            plan.space().chunk_words, sizes.bytes(id)});
    }
  }
  keep_best(contenders, most);
  report(1);
  return contenders;
}

std::vector<Contender> Contest::raced(const Report& report) {
  synth::Space space = numbers_.space;
  space.preludes = preludes_;
  std::vector<TransformedInput> inputs;
  for (const Sample& sample : samples_) {
    inputs.push_back({sample.blocks(numbers_.race_blocks), sample.overhead_bytes()});
  }
  RaceOptions race;
  race.few = numbers_.narrowing.empty() ? numbers_.candidates : numbers_.narrowing.front().left;
  race.progress = [&](const RaceProgress& progress) {
    // The first round is most of the work.
    report(progress.round > 1 ? 1 - 0.1 / double(progress.round) : 0.9 * progress.done);
  };
  const SearchOptions options = counting(options_);
  Rounds rounds(inputs, space, "", race, options);
  rounds.run();
  blocks_searched_ = std::min(numbers_.race_blocks, samples_.front().count());
  std::vector<Contender> contenders;
  for (std::size_t i = 0; i < rounds.survivors().size(); ++i) {
    const Entrant& who = rounds.survivors().who(i);
    contenders.push_back(
        {who.prelude, synth::without_identities(numbers_.space.at(who.id)), space.chunk_words, 0});
  }
  report(1);
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
    const synth::Plan plan(list);
    const Sizes sizes(samples_[of.first], plan, blocks, options_);
    std::uint64_t place = 0;
    for (const auto& [id, which] : by_id) {
      for (Contender* contender : which) contender->bytes = sizes.bytes(place);
      ++place;
    }
  }
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
  for (std::size_t place = 0; place <= old.stages.size(); ++place) {
    const std::ptrdiff_t at = std::ptrdiff_t(place);
    for (const synth::Component component : numbers_.space.components) {
      synth::Pipeline longer = old;
      longer.stages.insert(longer.stages.begin() + at, component);
      if (place >= old.cut) add(longer);
      if (place <= old.cut) {
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
  for (unsigned cut = 0; cut <= old.stages.size(); ++cut) {
    synth::Pipeline other = old;
    other.cut = cut;
    add(other);
  }
  return others;
}

std::vector<Contender> Contest::rounds(std::vector<Contender> contenders, const Report& report) {
  for (const ContestRound& round : numbers_.narrowing) {
    measure(contenders, round.blocks);
    keep_best(contenders, round.left);
    report(0);
  }
  return contenders;
}

std::vector<Contender> Contest::narrowed(std::vector<Contender> contenders, const Report& report) {
  if (numbers_.narrowing.empty()) return contenders;
  std::vector<Contender> all;
  for (const Contender& contender : contenders) {
    for (const std::size_t words : numbers_.chunk_lengths) {
      all.push_back(contender);
      all.back().chunk_words = words;
    }
  }
  const double steps = double(numbers_.extensions + 1);
  contenders = rounds(std::move(all), [](double) {});
  for (unsigned time = 0; time < numbers_.extensions; ++time) {
    report(double(time + 1) / steps);
    const double best = contenders.front().bytes;
    std::vector<Contender> others = contenders;
    const std::size_t parents = std::min<std::size_t>(contenders.size(), 4);
    for (std::size_t i = 0; i < parents; ++i) {
      for (Contender& other : like(contenders[i])) others.push_back(std::move(other));
    }
    contenders = rounds(std::move(others), [](double) {});
    if (contenders.front().bytes >= best) break;
  }
  report(1);
  return contenders;
}

}  // namespace fpsynth::search
