#include "runners/search/strategies/comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "results/documents/race.hpp"
#include "results/documents/runs.hpp"
#include "results/throughput/throughput.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::search {

std::vector<std::uint64_t> leaf_bytes(const results::Document& document, const synth::Plan& plan) {
  const auto refuse = [&](const char* reason) {
    throw Error(fmt::format("{}: {}; search all pipelines of its space on all chunks",
                            results::label(document), reason));
  };
  if (results::raced(document)) refuse("only some pipelines were searched");
  if (!document.run.complete) refuse("the search is not complete");
  if (document.space.without_preludes() != plan.space()) refuse("its space is not the plan's");
  std::vector<std::uint64_t> bytes(plan.leaves().size(), kNotRestored);
  const std::uint64_t pipelines = plan.space().pipelines();
  std::vector<bool> failed(pipelines);
  for (const std::uint64_t id : document.failed) {
    if (id < pipelines) failed[id] = true;
  }
  for (std::uint64_t id = 0; id < pipelines; ++id) {
    if (!failed[id]) bytes[plan.leaf_of_id()[id]] = document.compressed_bytes(id);
  }
  return bytes;
}

double regret_percent(std::uint64_t bytes, std::uint64_t best) {
  if (bytes == kNotRestored) return std::numeric_limits<double>::infinity();
  return 100 * (static_cast<double>(bytes) / static_cast<double>(best) - 1);
}

double StrategyFinding::median_percent() const { return results::median(regrets_percent); }

double StrategyFinding::worst_percent() const { return std::ranges::max(regrets_percent); }

namespace {

double mean_evaluations(const std::vector<RaceFinding>& races) {
  double sum = 0;
  for (const RaceFinding& race : races) sum += static_cast<double>(race.chunk_evaluations);
  return sum / static_cast<double>(races.size());
}

}  // namespace

double Comparison::saved_factor() const {
  return static_cast<double>(pipelines) * static_cast<double>(chunks) / mean_evaluations(races);
}

StrategyComparison::StrategyComparison(const results::Document& document)
    : document_(document),
      plan_(document.space.without_preludes().whole()),
      leaf_bytes_(leaf_bytes(document, plan_)) {
  const auto least = std::ranges::min_element(leaf_bytes_);
  best_ = {static_cast<std::uint32_t>(least - leaf_bytes_.begin()), *least};
  if (best_.bytes == kNotRestored) {
    throw Error(fmt::format("{}: none of its pipelines decodes; search it again",
                            results::label(document)));
  }
}

RaceFinding StrategyComparison::finding(const results::Race& race,
                                        const synth::Space& survivors) const {
  if (survivors.without_preludes().whole() != plan_.space()) {
    throw Error(fmt::format("{}: the race was of another space ({})", results::label(document_),
                            survivors.whole().describe()));
  }
  Evaluations evaluations(leaf_bytes_, leaf_bytes_.size());
  for (const std::uint64_t id : survivors.only) evaluations.of(plan_.leaf_of_id()[id]);
  RaceFinding finding{.seed = race.seed,
                      .winner = evaluations.best(),
                      .regret_percent = regret_percent(evaluations.best().bytes, best_.bytes),
                      .survivors = evaluations.used(),
                      .chunk_evaluations = evaluations.used() * document_.run.chunks_done};
  for (const results::RaceRound& round : race.rounds) {
    finding.chunk_evaluations += round.chunk_evaluations;
  }
  return finding;
}

Comparison StrategyComparison::against(std::vector<RaceFinding> races, std::uint64_t seeds) const {
  Comparison comparison{.data = document_.data,
                        .chunks = document_.run.chunks_done,
                        .pipelines = leaf_bytes_.size(),
                        .best = best_,
                        .best_ratio = document_.ratio(document_.ranking.front()),
                        .best_pipeline = {},
                        .races = std::move(races),
                        .budget = 0,
                        .strategies = {}};
  for (const std::uint64_t id : document_.ranking) {
    if (id >= plan_.space().pipelines()) continue;  // behind a prelude
    comparison.best_ratio = document_.ratio(id);
    comparison.best_pipeline = to_string(synth::without_identities(plan_.space().at(id)));
    break;
  }
  const double whole = mean_evaluations(comparison.races) / static_cast<double>(comparison.chunks);
  comparison.budget = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(whole)));
  for (const Strategy& strategy : strategies()) {
    StrategyFinding& finding = comparison.strategies.emplace_back();
    finding.key = strategy.key;
    for (std::uint64_t seed = 1; seed <= (strategy.draws ? seeds : 1); ++seed) {
      Evaluations evaluations(leaf_bytes_, comparison.budget);
      strategy.run(plan_, evaluations, seed);
      finding.regrets_percent.push_back(regret_percent(evaluations.best().bytes, best_.bytes));
      finding.evaluations = std::max(finding.evaluations, evaluations.used());
    }
  }
  return comparison;
}

}  // namespace fpsynth::search
