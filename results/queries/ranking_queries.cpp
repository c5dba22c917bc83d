#include "results/queries/queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include "results/documents/means.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::results {
namespace {

/// Ratio and text of the best method of a document, or two empty cells.
std::vector<Cell> best_cells(const Document* document) {
  if (!document || document->ranking.empty()) return std::vector<Cell>(2);
  const std::uint64_t id = document->ranking.front();
  return cells(document->ratio(id), document->text_at(id));
}

/// The same of the best pipeline over several documents.
std::vector<Cell> best_cells(const Means& means) {
  const auto id = means.best();
  if (!id) return std::vector<Cell>(2);
  return cells(means.ratio(*id), to_string(means.space().at(*id)));
}

void note_uneven_means(const Runs& runs, std::vector<std::string>& notes) {
  const std::size_t doubles = runs.of(synth::Precision::Double).size();
  const std::size_t singles = runs.of(synth::Precision::Single).size();
  if (doubles > 0 && singles > 0 && doubles != singles) {
    notes.push_back(fmt::format(
        "the means are over {} data sets in double and {} in single precision", doubles, singles));
  }
}

/// The document in which a pipeline's ratio is lowest.
const Document* weakest(const Means& means, std::uint64_t id) {
  return *std::ranges::min_element(means.documents(), {}, [&](const Document* document) {
    return document->ratio(means.id_in(*document, id));
  });
}

/// Why there is no pipeline to name over several documents.
std::string none_in_common(const Means& means) {
  return means.costs().empty() ? "no pipeline was left by the races of all data sets"
                               : "no pipeline decoded on every data set";
}

/// Notes what raced documents do not say, for tables that rank more than the best.
void note_ranks(const Runs& runs, std::vector<std::string>& notes) {
  if (std::ranges::any_of(runs.documents(), raced)) {
    notes.push_back(
        "ids are of the whole space; of what a race has left, the ranks behind the first are among "
        "these pipelines alone");
  }
}

bool has_preludes(const Document& document) { return document.space.has_preludes(); }

/// The part of the ranking with the size of a ranked pipeline.
std::span<const std::uint64_t> of_same_size(const Document& document, std::uint64_t id) {
  const auto size = [&document](std::uint64_t other) { return document.compressed_bytes(other); };
  // Not equal_range: clang 14 cannot compile what it returns.
  const auto& ranking = document.ranking;
  return {std::ranges::lower_bound(ranking, size(id), {}, size),
          std::ranges::upper_bound(ranking, size(id), {}, size)};
}

/// 1 + the number of better pipelines, so that those of one size share it.
std::uint64_t rank_of(const Document& document, std::uint64_t id) {
  return std::uint64_t(of_same_size(document, id).data() - document.ranking.data()) + 1;
}

/// The number of other pipelines of the same size; empty after a race, which drops those that have
/// the same blocks as others.
Cell ties_of(const Document& document, std::uint64_t id) {
  if (raced(document)) return {};
  return std::uint64_t{of_same_size(document, id).size() - 1};
}

void append_ties(Table& table, const Document& document) {
  if (document.ranking.empty()) return;
  const std::uint64_t best = document.ranking.front();
  const auto tied = of_same_size(document, best);
  std::set<std::string> algorithms;
  for (const std::uint64_t id : tied) {
    synth::Method method = document.space.method_at(id);
    method.pipeline = synth::without_identities(method.pipeline);
    algorithms.insert(to_string(method));
  }
  std::vector<Cell> next;
  if (tied.size() < document.ranking.size()) {
    const std::uint64_t id = document.ranking[tied.size()];
    const double ratio = document.ratio(id);
    next = cells(document.text_at(id), ratio, 100 * (1 - ratio / document.ratio(best)));
  }
  table.add(document.data.name, document.data.precision, document.text_at(best),
            document.ratio(best), tied.size() - 1, algorithms.size() - 1, next);
}

void append_overall(Table& table, const Means& means, std::size_t count) {
  for (const std::uint64_t id : lowest(means.costs(), count)) {
    const Document* low = weakest(means, id);
    table.add(low->data.precision, means.count_better(id) + 1, whole_id(means.space(), id),
              to_string(means.space().at(id)), means.ratio(id), low->ratio(means.id_in(*low, id)),
              low->data.name);
  }
}

void append_cross_validation(Table& table, const std::vector<const Document*>& documents) {
  for (const Document* excluded : documents) {
    std::vector<const Document*> others = documents;
    std::erase(others, excluded);
    const Means means(others);
    std::vector<Cell> found;
    if (const auto best = means.best()) {
      const synth::Pipeline pipeline = means.space().at(*best);
      found = cells(to_string(pipeline), means.ratio(*best));
      const auto id = excluded->space.id_of(pipeline);
      if (id && !std::ranges::binary_search(excluded->failed, *id)) {
        const double ratio = excluded->ratio(*id);
        const double own = excluded->ratio(excluded->ranking.front());
        append(found, cells(ratio, own, 100 * (1 - ratio / own)));
      }
    }
    table.add(excluded->data.name, excluded->data.precision, found);
  }
}

/// Empty cells if the pipeline failed, or is not in the document's list.
void append_pipeline_row(Table& table, const Document& document, std::optional<std::uint64_t> id) {
  std::vector<Cell> found;
  if (id && !std::ranges::binary_search(document.failed, *id)) {
    const double own = document.ratio(*id), best = document.ratio(document.ranking.front());
    found = cells(own, rank_of(document, *id), 100 * own / best, best);
  }
  table.add(document.data.name, document.data.precision, found);
}

/// Mean, rank and percent of the best mean of a pipeline; empty cells if it failed on a data set,
/// is not among those that all data sets have, or nothing was searched.
std::vector<Cell> mean_cells(const Means& means, const synth::Pipeline& pipeline) {
  const auto id = means.find(pipeline);
  if (!id) return std::vector<Cell>(3);
  const std::vector<double>& costs = means.costs();
  return cells(means.ratio(*id), means.count_better(*id) + 1,
               100 * *std::ranges::min_element(costs) / costs[*id]);
}

void append_pipeline_mean(Table& table, const Means& means, const synth::Pipeline& pipeline) {
  if (means.documents().empty()) return;
  std::vector<Cell> found = mean_cells(means, pipeline);
  if (means.find(pipeline)) append(found, 1 / *std::ranges::min_element(means.costs()));
  table.add("harmonic mean", means.documents().front()->data.precision, found);
}

/// One pipeline for both precisions, if there is one: the pipelines with the highest harmonic
/// mean over the data sets of each precision, and over all of them, with their means and ranks.
Table common(const Runs& runs) {
  Table table{.title = "One pipeline for both precisions",
              .columns = columns("what", "id", "pipeline", Column("double_ratio", "double mean CR"),
                                 "double_rank", Column("double_percent_of_best", "% of best", 2),
                                 Column("single_ratio", "single mean CR"), "single_rank",
                                 Column("single_percent_of_best", "% of best", 2),
                                 Column("both_ratio", "mean CR over both"), "both_rank",
                                 Column("both_percent_of_best", "% of best", 2))};
  std::vector<const Document*> in_both;
  for (const synth::Precision precision : kPaperPrecisions) {
    const auto own = runs.of(precision);
    in_both.insert(in_both.end(), own.begin(), own.end());
  }
  const Means means[] = {Means(runs.of(synth::Precision::Double)),
                         Means(runs.of(synth::Precision::Single)), Means(in_both)};
  const std::string_view names[] = {"best in double", "best in single", "best over both"};
  for (std::size_t i = 0; i < std::size(means); ++i) {
    const auto id = means[i].best();
    if (!id) continue;
    const synth::Pipeline pipeline = means[i].space().at(*id);
    std::vector<Cell> figures;
    for (const Means& its : means) append(figures, mean_cells(its, pipeline));
    table.add(names[i], whole_id(means[i].space(), *id), to_string(pipeline), figures);
  }
  table.notes.push_back(fmt::format(
      "means are harmonic, over {} data sets in double and {} in single precision; over "
      "both, each data set in each precision counts once",
      runs.of(synth::Precision::Double).size(), runs.of(synth::Precision::Single).size()));
  return table;
}

/// The best pipelines in two precisions, side by side.
Table best_in_two(const Runs& runs, synth::Precision first, synth::Precision second) {
  const std::string one(to_string(first)), other(to_string(second));
  Table table{.title = "Best pipeline of each data set",
              .columns = columns("data_set", Column(one + "_ratio", one + " CR"), one + "_pipeline",
                                 Column(other + "_ratio", other + " CR"), other + "_pipeline"),
              .notes = runs.notes()};
  using Pair = std::map<synth::Precision, const Document*>;
  std::map<std::string, Pair> sets;
  for (const Document* document : runs.searched()) {
    const synth::Precision own = document->data.precision;
    if (own == first || own == second) sets[document->data.name][own] = document;
  }
  const auto add = [&](const std::string& name, const auto& best_in) {
    const std::vector<Cell> in_first = best_in(first), in_second = best_in(second);
    table.add(name, in_first, in_second);
  };
  for (auto& set : sets) {
    add(set.first, [&](synth::Precision precision) { return best_cells(set.second[precision]); });
  }
  add("Best", [&](synth::Precision precision) {
    const Means means(runs.of(precision));
    if (!means.best() && !means.documents().empty()) {
      table.notes.push_back(fmt::format("{}: {}", to_string(precision), none_in_common(means)));
    }
    return best_cells(means);
  });
  table.notes.push_back(fmt::format(
      "Best: one pipeline for all data sets, that of the highest harmonic mean of their ratios{}",
      std::ranges::any_of(runs.documents(), has_preludes) ? ", without preludes" : ""));
  note_uneven_means(runs, table.notes);
  return table;
}

}  // namespace

std::vector<Table> best(const Runs& runs) {
  using enum synth::Precision;
  const auto any = [&](auto... in) { return (!runs.of(in).empty() || ...); };
  std::vector<Table> tables;
  if (any(Double, Single) || !any(Half, Byte)) tables.push_back(best_in_two(runs, Double, Single));
  if (any(Half, Byte)) tables.push_back(best_in_two(runs, Half, Byte));
  return tables;
}

std::vector<Table> top(const Runs& runs, std::size_t count) {
  Table table{.title = fmt::format("Top {} of each data set", count),
              .columns = columns("data_set", "precision", "rank", "id", "pipeline",
                                 Column("ratio", "CR"), Column("percent_of_best", "% of best", 2),
                                 "compressed_bytes", Column("ties", "others of that size")),
              .notes = runs.notes()};
  Table ties{.title = "Ties of the best pipelines",
             .columns = columns("data_set", "precision", "pipeline", Column("ratio", "CR"),
                                Column("ties", "others of that size"),
                                Column("tied_algorithms", "other algorithms of that size"),
                                "next_pipeline", Column("next_ratio", "next CR"),
                                Column("next_below_percent", "next below %", 4)),
             .notes = {"other algorithms: without those that differ from the best only in NULs; "
                       "next: the best pipeline of another size"}};
  for (const Document* document : runs.searched()) {
    for (std::size_t i = 0; i < std::min(count, document->ranking.size()); ++i) {
      const std::uint64_t id = document->ranking[i];
      table.add(document->data.name, document->data.precision, rank_of(*document, id),
                whole_id(document->space, id), document->text_at(id), document->ratio(id),
                100 * document->ratio(id) / document->ratio(document->ranking.front()),
                document->compressed_bytes(id), ties_of(*document, id));
    }
    if (!raced(*document)) append_ties(ties, *document);
  }
  note_ranks(runs, table.notes);
  if (runs.space() != synth::Space::paper() ||
      std::ranges::any_of(runs.documents(), has_preludes)) {
    table.notes.emplace_back(
        "ids are of the space that was searched: `fpsynth query pipeline` takes them for a data "
        "set, `fpsynth compress` the text of the pipeline");
  }
  if (std::ranges::any_of(runs.documents(), raced)) {
    ties.notes.emplace_back(
        "races are left out: what has the same blocks as others leaves them with these");
  }
  return {table, ties};
}

std::vector<Table> overall(const Runs& runs, std::size_t count) {
  Table ranked{.title = fmt::format("Top {} over all data sets, by harmonic mean", count),
               .columns = columns("precision", "rank", "id", "pipeline",
                                  Column("harmonic_mean_ratio", "harmonic mean CR"),
                                  Column("lowest_ratio", "lowest CR"), "lowest_on"),
               .notes = runs.notes()};
  note_uneven_means(runs, ranked.notes);
  note_ranks(runs, ranked.notes);
  Table validated{.title = "Cross-validation: each data set with the best pipeline of the others",
                  .columns = columns("excluded", "precision", "best_of_the_others",
                                     Column("harmonic_mean_ratio", "harmonic mean CR"),
                                     Column("excluded_ratio", "CR on the excluded"),
                                     Column("own_best_ratio", "its best CR"),
                                     Column("shortfall_percent", "shortfall %", 2))};
  for (const synth::Precision precision : kPrecisions) {
    const std::vector<const Document*> documents = runs.of(precision);
    append_overall(ranked, Means(documents), count);
    if (documents.size() > 1) {
      append_cross_validation(validated, documents);
    } else if (!documents.empty()) {
      validated.notes.push_back(
          fmt::format("{}: cross-validation needs two data sets", to_string(precision)));
    }
  }
  std::vector<Table> tables = {ranked, validated};
  const auto searched = [&](synth::Precision precision) { return !runs.of(precision).empty(); };
  if (std::ranges::all_of(kPaperPrecisions, searched)) tables.push_back(common(runs));
  return tables;
}

std::vector<Table> diff(const Runs& a, const Runs& b) {
  Table table{.title = "Best pipelines of two runs, A and B",
              .columns = columns(
                  "data_set", "precision", Column("ratio_a", "CR A"), Column("ratio_b", "CR B"),
                  Column("difference_percent", "B - A %", 2), "pipeline_a", "pipeline_b")};
  std::map<std::pair<std::string, synth::Precision>, std::array<const Document*, 2>> sets;
  const Runs* const runs[] = {&a, &b};
  for (const std::size_t i : {0u, 1u}) {
    for (const Document& document : runs[i]->documents()) {
      sets[{document.data.name, document.data.precision}][i] = &document;
    }
    for (const std::string& note : runs[i]->notes()) {
      table.notes.push_back(fmt::format("{}: {}", i == 0 ? "A" : "B", note));
    }
  }
  for (const auto& [key, documents] : sets) {
    const auto [one, other] = documents;
    const DataSet& data = (one ? one : other)->data;
    const auto of_one = best_cells(one), of_other = best_cells(other);
    const auto* const before = std::get_if<double>(&of_one[0]);
    const auto* const after = std::get_if<double>(&of_other[0]);
    std::optional<double> difference;
    if (before && after) difference = 100 * (*after / *before - 1);
    table.add(data.name, data.precision, of_one[0], of_other[0], difference, of_one[1],
              of_other[1]);
    const std::string name =
        fmt::format("{} in {} precision", data.name, to_string(data.precision));
    if (!one || !other) {
      table.notes.push_back(fmt::format("{} is only in {}", name, one ? "A" : "B"));
    } else if (one->data.xxh3 != other->data.xxh3) {
      table.notes.push_back(fmt::format("{} has other values in B than in A", name));
    }
  }
  return {table};
}

std::vector<Table> means(const Runs& runs) {
  Table table{
      .title = "Harmonic means over the data sets",
      .columns = columns("precision", "what", "data_sets", Column("ratio", "CR"), "pipeline")};
  for (const synth::Precision precision : kPrecisions) {
    const std::vector<const Document*> documents = runs.of(precision);
    if (documents.empty()) continue;
    table.add(precision, kOneForAll, documents.size(), best_cells(Means(documents)));
    std::vector<double> own;
    for (const Document* document : documents) {
      if (!document->ranking.empty()) own.push_back(document->ratio(document->ranking.front()));
    }
    Cell mean;
    if (!own.empty()) mean = harmonic_mean(own);
    table.add(precision, kEachItsOwn, own.size(), mean);
  }
  return {table};
}

std::vector<Table> pipeline(const Runs& runs, std::string_view text) {
  // Ids of methods are of one document.
  const bool one = runs.documents().size() == 1;
  const synth::Space space = one ? runs.documents().front().space.whole() : runs.space();
  const synth::Method wanted = space.method_named(text);
  const synth::Method found = {wanted.prelude, runs.space().padded(wanted.pipeline)};
  const std::vector<const Document*> searched = runs.searched();
  const std::optional<std::uint64_t> id = space.id_of(found);
  const auto tried = [&](const Document* document) {
    return document->space.whole().id_of(found).has_value();
  };
  if (!id && std::ranges::none_of(searched, tried)) {
    raise<UsageError>(
        "'{}' is not in the space that was searched ({}); `fpsynth compress` accepts any pipeline",
        to_string(wanted), space.describe());
  }
  Table table{.title = id ? fmt::format("{} (id {})", to_string(wanted), *id) : to_string(wanted),
              .columns = columns("data_set", "precision", Column("ratio", "CR"), "rank",
                                 Column("percent_of_best", "% of best", 2),
                                 Column("best_ratio", "best CR")),
              .notes = runs.notes()};
  std::vector<std::string> dropped;
  for (const Document* document : searched) {
    if (!tried(document)) continue;
    const auto its = document->space.id_of(found);
    append_pipeline_row(table, *document, its);
    if (!its) dropped.push_back(label(*document));
  }
  for (const synth::Precision precision : kPrecisions) {
    if (!wanted.prelude.empty()) continue;
    append_pipeline_mean(table, Means(runs.of(precision)), found.pipeline);
  }
  if (!dropped.empty()) {
    table.notes.push_back(
        fmt::format("not among the pipelines that were searched whole, so that its ratio is not "
                    "known: {}",
                    fmt::join(dropped, ", ")));
  }
  note_ranks(runs, table.notes);
  if (!(found == wanted)) {
    table.notes.push_back(fmt::format("searched as {}, which is equivalent", to_string(found)));
  }
  if (std::ranges::none_of(runs.documents(), raced)) {
    const auto has_preludes_too = [](const Document* document) { return has_preludes(*document); };
    table.notes.push_back(fmt::format("a rank is 1 + the better ones among {} pipelines{}",
                                      runs.space().size(),
                                      std::ranges::any_of(searched, has_preludes_too)
                                          ? ", alone and behind the preludes of the data set"
                                          : ""));
  }
  return {table};
}

}  // namespace fpsynth::results
