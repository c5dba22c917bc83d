#include "runners/cli/search/dry_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runners/cli/studies.hpp"
#include "runners/cluster/shards.hpp"
#include "runners/data/registry/datasets.hpp"
#include "runners/search/race/division.hpp"
#include "runners/timing/timed_codec.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

/// Seconds that a merge takes for each pipeline of each shard's document: measured with 8 shards of
/// 138,240 pipelines on one core of an Intel Xeon at 2.5 GHz.
constexpr double kMergeSeconds = 7e-7;

/// Seconds that a walk of as many of the chunks as keep the engine busy takes.
double seconds_of_walk(search::Engine& engine, const data::Input& input, std::size_t chunk_words,
                       std::uint64_t chunks) {
  std::vector<std::span<const std::byte>> probe;
  for (std::size_t i = 0; i < std::min<std::uint64_t>(chunks, engine.at_once()); ++i) {
    probe.push_back(search::chunk_of(input, chunk_words, 1, i));
  }
  std::vector<std::uint8_t> finished(probe.size());
  return timing::wall_seconds([&] {
    engine.walk(probe, finished, {[] { return false; }, [](std::uint64_t) {}});
  });
}

/// Seconds that the checksum of all data takes, which every shard compares, from those of a part.
double seconds_of_checksum(const data::Input& input) {
  const auto bytes = input.bytes().first(std::min<std::size_t>(input.bytes().size(), 16 << 20));
  const auto part = data::Input::borrowed(input.name(), bytes, input.type());
  return timing::wall_seconds([&] { data::checksum_of(part); }) * double(input.bytes().size()) /
         double(bytes.size());
}

/// Calls work(input, seconds in which it was opened) for every data set of the study that has words
/// in this precision.
template <class Work>
void for_each_input(const DryRun& of, synth::Precision precision, Work work) {
  for (const data::StudyItem& item : of.study.items) {
    std::optional<data::Input> native, input;
    double seconds = timing::wall_seconds([&] { native = item.open(); });
    const auto precisions = study::precisions_of(of.study.precisions, *native);
    if (std::ranges::find(precisions, precision) == precisions.end()) continue;
    seconds += timing::wall_seconds(
        [&] { input = study::searched_input(of.study, item, *native, precision); });
    if (input->view().words > 0) work(*input, seconds);
  }
}

/// Seconds that an engine takes to measure a leaf on a block, from blocks that are chunks.
double seconds_of_leaf(search::Engine& engine, const synth::Plan& plan, const data::Input& input,
                       std::size_t word_bytes) {
  const std::size_t bytes = plan.space().chunk_words * word_bytes;
  const std::size_t first = std::min(bytes, input.view().words * synth::word_bytes(input.native()));
  const std::vector<std::span<const std::byte>> blocks(2 * engine.at_once(),
                                                       input.bytes().first(first));
  std::vector<std::uint32_t> sizes(blocks.size() * plan.leaves().size());
  const double seconds =
      timing::wall_seconds([&] { engine.measure(blocks, sizes, [] { return false; }); });
  return seconds / double(sizes.size());
}

/// The estimate for a data set in a precision.
struct SetOutline {
  std::string name;
  synth::Precision precision;
  std::uint64_t chunks = 0;
  double seconds = 0;
};

/// The findings of a dry run.
struct Outline {
  std::vector<SetOutline> sets;
  double seconds = 0;  ///< of a race: of its first round
  std::uint64_t chunks = 0;
  std::uint64_t distinct = 0;              ///< pipelines, without those that equal others by NUL
  double bytes = 0;                        ///< of memory
  std::unique_ptr<search::Engine> engine;  ///< that was timed
  /// Of the longest shard: its chunks, its seconds, and those before it walks; of the merge.
  std::uint64_t shard_chunks = 0;
  double shard_seconds = 0, start_seconds = 0, merge_seconds = 0;

  void add(const data::Input& input, synth::Precision precision, std::uint64_t of, double takes) {
    sets.push_back({input.name(), precision, of, takes});
    chunks += of;
    seconds += takes;
  }
};

/// "9.7 s", "4000 s (1:06:40)".
std::string seconds_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.2g} s", std::max(seconds, 0.01));
  const std::string clock = seconds < 60 ? "" : fmt::format(" ({})", study::duration(seconds));
  return fmt::format("{:.0f} s{}", seconds, clock);
}

/// "2 threads of ...", or the name of a GPU.
std::string device_text(const search::Engine& engine) {
  const std::string threads =
      engine.backend() == "cpu" ? counted(engine.threads(), "thread") + " of " : "";
  return threads + engine.device();
}

void print_data(const DryRun& of, const Outline& found) {
  fmt::print("data: {} in {}, {}; verification {}\n", counted(of.study.items.size(), "data set"),
             counted(of.study.precisions.size(), "precision"), counted(found.chunks, "chunk"),
             of.verification.text());
  for (const SetOutline& set : found.sets) {
    fmt::print("  {} {}: {}, about {}\n", set.name, to_string(set.precision),
               counted(set.chunks, "chunk"), seconds_text(set.seconds));
  }
}

/// A way to a shorter search.
struct Way {
  std::string option;
  double seconds;
};

/// One line for scripts. `size`: that of the plan, which a race has not.
void print_json(const DryRun& of, const Outline& found, const std::vector<Way>& ways,
                const std::optional<synth::PlanSize>& size) {
  nlohmann::ordered_json sets = nlohmann::ordered_json::array(), less = sets;
  for (const SetOutline& set : found.sets) {
    sets.push_back({{"data_set", set.name},
                    {"precision", to_string(set.precision)},
                    {"chunks", set.chunks},
                    {"seconds", set.seconds}});
  }
  for (const Way& way : ways) less.push_back({{"option", way.option}, {"seconds", way.seconds}});
  nlohmann::ordered_json line = {{"pipelines", of.space.size()},
                                 {"distinct", found.distinct},
                                 {"data_sets", of.study.items.size()},
                                 {"precisions", of.study.precisions.size()},
                                 {"chunks", found.chunks},
                                 {"verification", of.verification.text()},
                                 {"preludes", of.preludes.request.text()},
                                 {"seconds", found.seconds},
                                 {"memory_bytes", std::uint64_t(found.bytes)},
                                 {"device", found.engine->device()},
                                 {"threads", found.engine->threads()},
                                 {"sets", sets},
                                 {"less", less}};
  if (of.race) line["first_round_chunks"] = of.race->first_chunks;
  if (size) line["stages_per_chunk"] = size->edges();
  if (of.shards > 0) {
    line.update({{"shards", of.shards},
                 {"shard_chunks", found.shard_chunks},
                 {"shard_seconds", found.shard_seconds},
                 {"start_seconds", found.start_seconds},
                 {"merge_seconds", found.merge_seconds}});
  }
  fmt::print("{}\n", line.dump());
}

/// A race: what its first rounds take.
Outline outline_of_race(const DryRun& of) {
  const search::RaceOptions& race = *of.race;
  Outline found;
  for (const synth::Precision precision : of.study.precisions) {
    const std::size_t word_bytes = synth::word_bytes(precision);
    const search::Division division(of.space, word_bytes, race.most_leaves);
    found.distinct = division.pipelines();
    const search::Tail& tail = division.tails()[division.groups().back().tail];
    found.engine = of.make_engine(tail.plan, tail.word_bytes, search::Mode::Count);
    for_each_input(of, precision, [&](const data::Input& input, double) {
      const std::uint64_t chunks = input.cutting(of.space.chunk_words).chunks(of.sample);
      const std::uint64_t drawn = chunks <= 2 * race.first_chunks ? chunks : race.first_chunks;
      const double behind = double(1 + of.finalists());
      found.add(input, precision, chunks,
                seconds_of_leaf(*found.engine, tail.plan, input, tail.word_bytes) *
                    double(found.distinct) * double(drawn) * behind);
      // Entrants that stay are in memory up to three times while they are merged and sorted.
      const double kept = std::min(double(race.most_kept), double(found.distinct) * behind);
      const double sizes = double(4 * drawn * tail.plan.leaves().size());
      found.bytes = std::max(found.bytes, 3 * kept * double(16 + 4 * drawn) + sizes +
                                              double(input.bytes().size()) * behind);
    });
  }
  return found;
}

/// The factor by which a search is longer than one of `chunks`, at most: with preludes, a sample of
/// them is searched behind each candidate, then all behind each finalist.
double times_searched(const DryRun& of, std::uint64_t chunks) {
  if (!of.with_preludes()) return 1;
  const double sample = std::min(1.0, double(of.preludes.chunks) / double(chunks));
  return sample * double(1 + of.candidates()) + double(1 + of.finalists());
}

/// Bytes that an exhaustive search takes: beside the plan, what a walker has (walker.hpp), once
/// more for the sums of all, and the sizes and the ranking of a document, which is there twice when
/// it is written. Measured with 4 and 5 stages, this is right to a tenth.
double memory_of(const DryRun& of, const synth::PlanSize& size, int threads) {
  constexpr double kProgram = 16 << 20, kSubtrees = 32;  // of a node, to find equal subtrees
  const bool verifies = of.mode() == search::Mode::Verify;
  const double nodes = double(size.nodes), leaves = double(size.leaves);
  const double ids = double(of.space.size());
  const double plan = nodes * sizeof(synth::PlanNode) + leaves * sizeof(synth::PlanEdge) +
                      ids * sizeof(std::uint32_t) + (verifies ? 0 : nodes * kSubtrees);
  const double walker = 12 * leaves + (verifies ? 4 : 3) * nodes;
  return kProgram + plan + double(threads + 1) * walker + 3 * sizeof(std::uint64_t) * ids;
}

/// A space of the same components whose plan is built quickly, with fewer stages if necessary.
synth::Space measurable(synth::Space space) {
  constexpr std::uint64_t kMostEdges = 200'000;  // the paper's space has 176,345
  while (space.stages > 1 && synth::plan_size(space).edges() > kMostEdges) space = space.shorter();
  return space;
}

/// An exhaustive search, whose plan has so many stages as one that is timed.
Outline outline_of_search(const DryRun& of, const synth::Plan& plan, const synth::PlanSize& size) {
  const double scale = double(size.edges()) / double(plan.edges());
  Outline found;
  found.distinct = size.leaves;
  for (const synth::Precision precision : of.study.precisions) {
    found.engine = of.make_engine(plan, synth::word_bytes(precision), of.mode());
    for_each_input(of, precision, [&](const data::Input& input, double opening) {
      const std::uint64_t chunks = input.cutting(of.space.chunk_words).chunks(of.sample);
      const double walk =
          scale * seconds_of_walk(*found.engine, input, of.space.chunk_words, chunks);
      const auto seconds = [&](std::uint64_t count) {
        return walk * std::max(1.0, double(count) / double(found.engine->at_once()));
      };
      found.add(input, precision, chunks, seconds(chunks) * times_searched(of, chunks));
      if (of.shards == 0) return;
      // The last shard has the most chunks of each data set. All choose the preludes again.
      const std::uint64_t share = cluster::Shard{of.shards, of.shards}.share(chunks).size();
      const double start = opening + seconds_of_checksum(input);
      found.shard_chunks += share;
      found.start_seconds += start;
      found.shard_seconds += start + seconds(share) * double(1 + of.finalists());
      if (of.with_preludes()) {
        found.shard_seconds +=
            seconds(std::min(of.preludes.chunks, chunks)) * double(1 + of.candidates());
      }
      found.merge_seconds +=
          kMergeSeconds * double(of.shards) * double(of.space.size()) * double(1 + of.finalists());
    });
  }
  found.bytes = memory_of(of, size, found.engine->threads());
  return found;
}

/// The ways to a shorter search than an exhaustive one of more than an hour.
template <class Exhaustive>
std::vector<Way> ways_to_less(const DryRun& of, const Outline& found, Exhaustive exhaustive) {
  constexpr double kLong = 3600;
  constexpr std::uint64_t kTop = 10;
  std::vector<Way> ways;
  if (of.race || found.seconds <= kLong) return ways;
  DryRun other = of;
  other.shards = 0;
  const double sample = double(of.sample) * std::ceil(found.seconds / kLong);
  if (sample < 0x1p63) {  // or there are fewer chunks than that anyway
    other.sample = static_cast<std::uint64_t>(sample);
    ways.push_back({fmt::format("--sample {}", other.sample), exhaustive(other).seconds});
    other.sample = of.sample;
  }
  const search::RaceOptions race;
  other.race = &race;
  ways.push_back({"--strategy race", outline_of_race(other).seconds});
  if (of.mode() == search::Mode::Count) return ways;
  other.race = nullptr;
  other.verification = {search::Verification::Kind::Top, kTop};
  ways.push_back({fmt::format("--verify top={}", kTop), exhaustive(other).seconds});
  return ways;
}

}  // namespace

search::Mode DryRun::mode() const {
  return verification.kind == search::Verification::Kind::All ? search::Mode::Verify
                                                              : search::Mode::Count;
}

bool DryRun::with_preludes() const {
  return preludes.request.kind != synth::PreludeRequest::Kind::None;
}

std::uint64_t DryRun::candidates() const {
  if (!with_preludes()) return 0;
  return preludes.request.kind == synth::PreludeRequest::Kind::Named ? preludes.request.named.size()
                                                                     : preludes.candidates;
}

std::uint64_t DryRun::finalists() const {
  return std::min<std::uint64_t>(candidates(), preludes.finalists);
}

void dry_run(const DryRun& of, bool json) {
  const synth::Space& space = of.space;
  std::optional<synth::PlanSize> size;  // a race has no plan of the whole space
  std::optional<synth::Plan> plan;
  if (!of.race) {
    size = synth::plan_size(space);
    plan.emplace(measurable(space));
  }
  const auto exhaustive = [&](const DryRun& one) { return outline_of_search(one, *plan, *size); };
  const Outline found = of.race ? outline_of_race(of) : exhaustive(of);
  const std::vector<Way> ways = ways_to_less(of, found, exhaustive);
  if (json) {
    print_json(of, found, ways, size);
    return of.race ? void() : size->check(space);  // as the search would
  }
  fmt::print("space: {}\n", space.describe());
  if (of.race) {
    fmt::print("race: {} distinct pipelines, all on {} of each data set, then fewer on more\n",
               found.distinct, counted(of.race->first_chunks, "chunk"));
  } else {
    fmt::print("plan: {} distinct pipelines, {} stages to run per chunk\n", size->leaves,
               size->edges());
  }
  print_data(of, found);
  if (of.with_preludes() && of.race) {
    fmt::print("preludes: {}; all of it alone and behind up to {}, after a trial of {}\n",
               of.preludes.request.text(), of.finalists(), of.candidates());
  } else if (of.with_preludes()) {
    fmt::print("preludes: {}; candidates on about {}, then up to {} and none on all\n",
               of.preludes.request.text(), counted(of.preludes.chunks, "chunk"),
               of.preludes.finalists);
  }
  fmt::print("memory: about {:.0f} MiB{}\n", found.bytes / (1 << 20),
             of.race ? ", if no pipeline leaves in the first round" : "");
  const std::string seconds = seconds_text(found.seconds), device = device_text(*found.engine);
  if (of.race) {
    fmt::print("estimate: about {} for the first round, which takes most of the time, on {}\n",
               seconds, device);
  } else {
    const std::string from = size->edges() > plan->edges()
                                 ? fmt::format(" and a space of {} stages", plan->space().stages)
                                 : "";
    fmt::print("estimate: {}{} on {} (from {} of each data set{})\n",
               of.with_preludes() ? "at most " : "", seconds, device,
               counted(found.engine->at_once(), "chunk"), from);
  }
  if (of.shards > 0) {
    fmt::print(
        "shards: {}, the longest of {}: about {}, {} of it to open and check the data\nmerge: "
        "about {}\n",
        of.shards, counted(found.shard_chunks, "chunk"), seconds_text(found.shard_seconds),
        seconds_text(found.start_seconds), seconds_text(found.merge_seconds));
  }
  if (!ways.empty()) fmt::print("This is more than an hour. It takes less with\n");
  for (const Way& way : ways) fmt::print("  {}: about {}\n", way.option, seconds_text(way.seconds));
  if (!of.race) size->check(space);
}

}  // namespace fpsynth::cli
