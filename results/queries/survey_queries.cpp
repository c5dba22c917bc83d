#include "results/queries/queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "results/documents/fields.hpp"

namespace fpsynth::results {
namespace {

/// The ratio below which a share of the ranked pipelines is: 0 is the lowest ratio, 1 the highest.
double quantile(const Document& document, double share) {
  const auto last = static_cast<double>(document.ranking.size() - 1);
  return document.ratio(
      document.ranking[static_cast<std::size_t>(std::lround((1 - share) * last))]);
}

/// The number of ranked pipelines whose files are smaller than the data.
std::uint64_t count_compressing(const Document& document) {
  std::uint64_t count = 0;
  for (const std::uint64_t id : document.ranking) {
    if (document.compressed_bytes(id) >= document.sampled_bytes) break;
    ++count;
  }
  return count;
}

void append_quantiles(Table& table, const Document& document) {
  std::vector<Cell> row =
      cells(document.data.name, document.data.precision, document.ranking.size());
  if (!document.ranking.empty()) {
    append(row, 100.0 * static_cast<double>(count_compressing(document)) /
                    static_cast<double>(document.ranking.size()));
    for (const double share : {0.0, 0.25, 0.5, 0.75, 0.99, 1.0}) {
      append(row, quantile(document, share));
    }
  }
  table.add(row);
}

void append_counts(Table& table, const Document& document) {
  std::map<long, std::uint64_t> counts;
  for (const std::uint64_t id : document.ranking) {
    ++counts[std::lround(std::floor(kStepsPerDoubling * std::log2(document.ratio(id))))];
  }
  const auto edge = [](long at) { return std::exp2(static_cast<double>(at) / kStepsPerDoubling); };
  for (const auto& [step, count] : counts) {
    table.add(document.data.name, document.data.precision, edge(step), edge(step + 1), count);
  }
}

/// The first id of the ranking that stands behind a prelude of the space.
std::optional<std::uint64_t> best_behind(const Document& document, const synth::Prelude& prelude) {
  const synth::Space& space = document.space;
  const auto index = static_cast<std::uint64_t>(std::ranges::find(space.preludes, prelude) -
                                                space.preludes.begin());
  const std::uint64_t pipelines = space.pipelines();
  const auto best = std::ranges::find_if(document.ranking,
                                         [&](std::uint64_t id) { return id / pipelines == index; });
  return best == document.ranking.end() ? std::nullopt : std::optional(*best);
}

void append_races(std::vector<Table>& tables, const Runs& runs) {
  Table table{.title = "Races",
              .columns = columns("data_set", "precision", Column("margin_percent", "margin %", 4),
                                 Column("risk_percent", "risk %", 4), "seed", "pipelines",
                                 Column("distinct_pipelines", "distinct"), "searched_whole",
                                 Column("ratio", "CR"), "pipeline", "chunk_evaluations",
                                 Column("saved_percent", "saved %", 2), "let_go",
                                 Column("expected_lost", "expected lost", 6))};
  Table rounds{.title = "Rounds of races",
               .columns = columns("data_set", "precision", "round", "chunks", "of_chunks",
                                  "entered", "left", "chunk_evaluations")};
  for (const Document& document : runs.documents()) {
    if (!document.race) continue;
    const Race& race = *document.race;
    std::uint64_t evaluations = document.space.size() * document.run.chunks_done, number = 0;
    for (const RaceRound& round : race.rounds) {
      evaluations += round.chunk_evaluations;
      rounds.add(document.data.name, document.data.precision, ++number, round.chunks,
                 document.run.chunks_total, round.entered, round.left, round.chunk_evaluations);
    }
    const double all =
        static_cast<double>(race.distinct) * static_cast<double>(document.run.chunks_total);
    std::optional<double> saved;
    if (all > 0) saved = 100 * (1 - static_cast<double>(evaluations) / all);
    std::vector<Cell> best(2);
    if (!document.ranking.empty() && document.sampled_bytes > 0) {
      const std::uint64_t id = document.ranking.front();
      best = cells(document.ratio(id), document.text_at(id));
    }
    table.add(document.data.name, document.data.precision, 100 * race.margin, 100 * race.risk,
              race.seed, race.pipelines, race.distinct, document.space.size(), best, evaluations,
              saved, race.dropped, race.expected_lost);
  }
  if (table.rows.empty()) return;
  table.notes.emplace_back(
      "assumed is that the differences of a pipeline to the leader, on chunks drawn at "
      "random, are distributed normally; the risk is that of having dropped a given better "
      "pipeline, expected lost the number of dropped ones that are better by more than the "
      "margin, let go those dropped for want of memory; saved: of the sizes of each distinct "
      "pipeline on each chunk");
  tables.push_back(std::move(table));
  tables.push_back(std::move(rounds));
}

void append_preludes(std::vector<Table>& tables, const Runs& runs) {
  Table table{.title = "Preludes that were tried",
              .columns = columns("data_set", "precision", "prelude", "sampled_chunks",
                                 Column("estimated_ratio", "estimated CR"), Column("ratio", "CR"),
                                 "pipeline", "reason")};
  for (const Document* document : runs.searched()) {
    for (const PreludeCandidate& candidate : document->prelude_candidates) {
      const auto id = candidate.finalist ? best_behind(*document, candidate.prelude) : std::nullopt;
      table.add(document->data.name, document->data.precision, prelude_text(candidate.prelude),
                candidate.sampled_chunks, candidate.estimated_ratio,
                id ? std::optional(document->ratio(*id)) : std::nullopt,
                to_string(id ? document->space.at(*id) : candidate.best), candidate.reason);
    }
  }
  if (table.rows.empty()) return;
  if (std::ranges::any_of(runs.documents(), raced)) {
    table.notes.emplace_back(
        "of a race, CR is the best of the pipelines that it left behind any prelude; a prelude "
        "without it had none");
  }
  table.notes.emplace_back(
      "estimated CR: of all data, from the sampled chunks; CR: of what was searched, with the best "
      "pipeline, which is shown, of the finalists; of the others it is that of the sample");
  tables.push_back(std::move(table));
}

}  // namespace

std::vector<Table> distribution(const Runs& runs) {
  Table quantiles{
      .title = "Ratios of all pipelines",
      .columns = columns(
          "data_set", "precision", "pipelines", Column("compressing_percent", "above 1 %", 1),
          Column("lowest_ratio", "lowest CR"), Column("first_quartile_ratio", "1st quartile"),
          Column("median_ratio", "median"), Column("third_quartile_ratio", "3rd quartile"),
          Column("percentile_99_ratio", "best 1 %"), Column("highest_ratio", "highest CR")),
      .notes = runs.notes()};
  quantiles.notes.emplace_back(
      "above 1 %: percent of the pipelines whose ratio is above 1; best 1 %: the ratio that one "
      "pipeline in a hundred reaches");
  Table counts{
      .title = "Number of pipelines by ratio",
      .columns = columns("data_set", "precision", Column("from_ratio", "from CR", 4),
                         Column("to_ratio", "to CR", 4), "pipelines"),
      .notes = {fmt::format("ratios are from 'from CR' to below 'to CR'; {} steps per doubling; "
                            "steps without a pipeline are left out",
                            kStepsPerDoubling)}};
  std::vector<std::string> left_out;
  for (const Document* document : runs.searched()) {
    if (raced(*document)) {
      left_out.push_back(label(*document));
      continue;
    }
    append_quantiles(quantiles, *document);
    append_counts(counts, *document);
  }
  if (!left_out.empty()) {
    quantiles.notes.push_back(
        fmt::format("left out, because the ratios of the pipelines that left a race are not known: "
                    "{}",
                    fmt::join(left_out, ", ")));
  }
  return {quantiles, counts};
}

std::vector<Table> searches(const Runs& runs) {
  Table table{.title = "Searches",
              .columns = columns("data_set", "precision", "bytes", "xxh3", "pipelines",
                                 "searched_bytes", "one_chunk_in", "complete", "verification",
                                 "failures", "backend", "device", "threads", Column("seconds", 2),
                                 Column("giga_pipeline_bytes_per_s", "G pipeline-bytes/s", 1),
                                 Column("left_of", "left of")),
              .notes = runs.notes()};
  for (const Document& document : runs.documents()) {
    const Run& run = document.run;
    table.add(document.data.name, document.data.precision, document.data.bytes, document.data.xxh3,
              document.payload_bytes.size(), document.sampled_bytes, run.sample,
              run.complete ? "yes" : "no", run.verification, run.failures, run.backend, run.device,
              run.threads, run.seconds, run.pipeline_bytes_per_second / 1e9,
              document.race ? std::optional(document.race->pipelines) : std::nullopt);
  }
  std::vector<Table> tables = {table};
  append_preludes(tables, runs);
  append_races(tables, runs);
  return tables;
}

}  // namespace fpsynth::results
