#include "runners/cli/baselines/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "results/queries/papers/published.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "synth/common/version.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

using Json = nlohmann::ordered_json;
using results::Cell;
using results::Published;
using results::PublishedFigures;
using results::Table;
using synth::kPrecisions;
using synth::Precision;

/// The paper's name of a compressor.
std::string printed_name(const std::string& compressor) {
  return compressor == results::kBestSearched ? "best" : compressor;
}

/// Null if the set is none of the paper's.
const Published* published_ratio(const std::string& compressor, const ComparedSet& set) {
  const PublishedFigures& published = PublishedFigures::built_in();
  const std::string name =
      published.papers_name({.name = set.name,
                             .bytes = set.bytes,
                             .xxh3 = set.xxh3,
                             .precision = set.precision,
                             .type = "",
                             .source = set.made ? results::kSyntheticSource : "",
                             .file = ""});
  return published.find("mpc", results::kRatio, printed_name(compressor), name, set.precision);
}

const Published* published_rate(const std::string& compressor, Precision precision,
                                std::string_view quantity) {
  return PublishedFigures::built_in().find("mpc", quantity, compressor, "mean", precision);
}

/// The rows of one compressor in one precision, over the data sets.
struct Summary {
  std::string compressor, library;  ///< the latter with its version
  int threads = 1;
  std::map<std::string, double> ratios;                      ///< by data set
  double cost = 0;                                           ///< sum of compressed / original
  double compress = 0, decompress = 0;                       ///< sums of GB/s
  double compress_time = 0, decompress_time = 0;             ///< sums of seconds per GB
  std::optional<double> compress_spread, decompress_spread;  ///< largest

  double mean_ratio() const { return double(ratios.size()) / cost; }
};

std::vector<const ComparedSet*> sets_of(const Comparison& comparison, Precision precision) {
  std::vector<const ComparedSet*> sets;
  for (const ComparedSet& set : comparison.sets) {
    if (set.precision == precision) sets.push_back(&set);
  }
  return sets;
}

/// True if no other compressor has both a smaller average size and a higher speed in one direction.
/// Those that lack a data set are not compared.
bool on_front(const std::vector<Summary>& all, const Summary& one, double Summary::*rate) {
  return std::ranges::none_of(all, [&](const Summary& other) {
    if (other.ratios.size() != one.ratios.size()) return false;
    const bool as_good = other.cost <= one.cost && other.*rate >= one.*rate;
    return as_good && (other.cost < one.cost || other.*rate > one.*rate);
  });
}

/// In the order of first appearance.
std::vector<Summary> summaries(const Comparison& comparison, Precision precision) {
  std::vector<Summary> all;
  for (const ComparedSet* set : sets_of(comparison, precision)) {
    for (const ComparedRow& row : set->rows) {
      if (!row.measured) continue;
      auto found = std::ranges::find(all, row.compressor, &Summary::compressor);
      if (found == all.end()) {
        all.emplace_back();
        found = all.end() - 1;
        found->compressor = row.compressor;
      }
      const timing::Measurement& m = *row.measured;
      found->threads = std::max(found->threads, row.threads);
      found->library = row.library;
      found->ratios[set->name] = m.ratio();
      found->cost += 1 / m.ratio();
      found->compress += m.compress.gb_per_s;
      found->decompress += m.decompress.gb_per_s;
      found->compress_time += 1 / m.compress.gb_per_s;
      found->decompress_time += 1 / m.decompress.gb_per_s;
      found->compress_spread = std::max(found->compress_spread, m.compress.spread);
      found->decompress_spread = std::max(found->decompress_spread, m.decompress.spread);
    }
  }
  return all;
}

Json timing_json(const timing::Timing& timing) {
  return {{"gb_per_s", timing.gb_per_s},
          {"median_seconds", timing.median},
          {"spread", timing.spread.value_or(0)},
          {"seconds", timing.times.seconds}};
}

Json published_json(const Published& figure, double ours) {
  return {{"ratio", figure.value},
          {"difference_percent", results::difference_percent(ours, figure.value)},
          {"paper", figure.paper},
          {"table", figure.table}};
}

Json row_json(const ComparedSet& set, const ComparedRow& row, bool published) {
  Json json = {{"compressor", row.compressor}};
  if (!row.pipeline.empty()) json["pipeline"] = row.pipeline;
  if (row.one_chunk_in > 0) json["searched_one_chunk_in"] = row.one_chunk_in;
  if (row.dimensionality.value > 0) {
    json["dimensionality"] = row.dimensionality.value;
    json["dimensionality_is"] = text_of(row.dimensionality.from, row.compressor);
  }
  json["verified"] = row.measured.has_value();
  if (!row.refused.empty()) json["refused"] = row.refused;
  if (!row.failure.empty()) json["failure"] = row.failure;
  if (!row.measured) return json;
  const timing::Measurement& m = *row.measured;
  json["library"] = row.library;
  json["threads"] = row.threads;
  json["compressed_bytes"] = m.compressed_bytes;
  json["ratio"] = m.ratio();
  json["compress"] = timing_json(m.compress);
  json["decompress"] = timing_json(m.decompress);
  if (!published) return json;
  if (const Published* figure = published_ratio(row.compressor, set)) {
    json["published"] = published_json(*figure, m.ratio());
  }
  return json;
}

Json summary_json(const std::vector<Summary>& all, const Summary& summary, Precision precision,
                  std::size_t sets) {
  const auto count = double(summary.ratios.size());
  Json json = {{"compressor", summary.compressor},
               {"precision", to_string(precision)},
               {"data_sets", summary.ratios.size()},
               {"of", sets},
               {"harmonic_mean_ratio", summary.mean_ratio()},
               {"mean_compress_gb_per_s", summary.compress / count},
               {"mean_decompress_gb_per_s", summary.decompress / count},
               {"harmonic_mean_compress_gb_per_s", count / summary.compress_time},
               {"harmonic_mean_decompress_gb_per_s", count / summary.decompress_time}};
  if (summary.ratios.size() == sets) {
    json["on_front"] = {{"compress", on_front(all, summary, &Summary::compress)},
                        {"decompress", on_front(all, summary, &Summary::decompress)}};
  }
  return json;
}

Table ratio_table(const Comparison& comparison, Precision precision,
                  const std::vector<Summary>& all) {
  const auto sets = sets_of(comparison, precision);
  Table table{.title = fmt::format("Compression ratios, {} precision", to_string(precision)),
              .columns = {{"compressor"}}};
  // A mean of one data set says nothing new.
  if (sets.size() > 1)
    table.columns.push_back({"harmonic_mean", std::string(results::kHarmonicMean)});
  for (const ComparedSet* set : sets) table.columns.push_back({set->name, set->name});
  for (const Summary& summary : all) {
    auto& row = table.rows.emplace_back(results::cells(summary.compressor));
    // A mean over some of the sets cannot be compared with the others.
    if (sets.size() > 1) {
      row.push_back(summary.ratios.size() == sets.size() ? Cell(summary.mean_ratio()) : Cell());
    }
    for (const ComparedSet* set : sets) {
      const auto found = summary.ratios.find(set->name);
      row.push_back(found != summary.ratios.end() ? Cell(found->second) : Cell());
    }
  }
  for (const ComparedSet* set : sets) {
    const data::Dimensionality& its = set->dimensionality;
    table.notes.push_back(
        fmt::format("{}: dimensionality {}, {}", set->name, its.value, text_of(its.from, "MPC")));
    for (const ComparedRow& row : set->rows) {
      if (row.dimensionality.value > 0 && row.compressor != "MPC") {
        table.notes.push_back(fmt::format("{}: {} has dimensionality {}, {}", set->name,
                                          row.compressor, row.dimensionality.value,
                                          text_of(row.dimensionality.from, row.compressor)));
      }
      if (!row.pipeline.empty()) {
        table.notes.push_back(fmt::format("{}: {} is {}", set->name, row.compressor, row.pipeline));
      }
      for (const std::string& why : {row.refused, row.failure}) {
        if (!why.empty()) {
          table.notes.push_back(fmt::format("{}: {}: {}", set->name, row.compressor, why));
        }
      }
    }
  }
  return table;
}

Table published_table(const Comparison& comparison, Precision precision,
                      const std::vector<Summary>& all) {
  Table table{.title = fmt::format("Beside the MPC paper, {} precision", to_string(precision)),
              .columns = {{"compressor"},
                          {"data_set"},
                          {"ratio", "CR"},
                          {"paper_ratio", "paper's CR"},
                          {"difference_percent", "difference %", 2}},
              .notes = {PublishedFigures::built_in().citation("mpc")}};
  for (const Summary& summary : all) {
    for (const ComparedSet* set : sets_of(comparison, precision)) {
      const auto ours = summary.ratios.find(set->name);
      const Published* figure = published_ratio(summary.compressor, *set);
      if (!figure || ours == summary.ratios.end()) continue;
      table.add(summary.compressor, set->name, ours->second, figure->value,
                results::difference_percent(ours->second, figure->value));
    }
  }
  if (table.rows.empty()) table.notes.push_back("the paper has none of these data sets");
  return table;
}

Table throughput_table(const Comparison& comparison, Precision precision,
                       const std::vector<Summary>& all, bool published) {
  Table table{
      .title = fmt::format("Throughput in GB/s, {} precision", to_string(precision)),
      .columns = {{"compressor"},
                  {"threads"},
                  {"compress_gb_per_s", "compress"},
                  {"compress_spread_percent", "spread %", 0},
                  {"decompress_gb_per_s", "decompress"},
                  {"decompress_spread_percent", "its spread %", 0}},
      .notes = {fmt::format("medians of {}, averaged over the data sets; the spread is "
                            "longest less shortest, of the median, on the worst data set",
                            counted(static_cast<unsigned>(comparison.repetitions), "repetition")),
                fmt::format("{}; {} at most", comparison.cpu,
                            counted(static_cast<unsigned>(codec::default_threads()), "thread"))}};
  if (published) {
    table.columns.insert(table.columns.end(), {{"paper_compress_gb_per_s", "paper compress"},
                                               {"paper_decompress_gb_per_s", "paper decompress"}});
  }
  table.columns.push_back({"library"});
  std::vector<std::string> hardware;
  for (const Summary& summary : all) {
    const auto count = double(summary.ratios.size());
    auto& row = table.rows.emplace_back(
        results::cells(summary.compressor, summary.threads, summary.compress / count,
                       results::cell(summary.compress_spread, 100), summary.decompress / count,
                       results::cell(summary.decompress_spread, 100)));
    for (const auto quantity : {results::kCompress, results::kDecompress}) {
      if (!published) break;
      const Published* figure = published_rate(summary.compressor, precision, quantity);
      row.push_back(figure ? Cell(figure->value) : Cell());
      if (figure && std::ranges::find(hardware, figure->hardware) == hardware.end()) {
        hardware.push_back(figure->hardware);
      }
    }
    row.emplace_back(summary.library);
  }
  if (!hardware.empty()) {
    table.notes.push_back(fmt::format("the paper's hardware: {}", fmt::join(hardware, "; ")));
  }
  return table;
}

}  // namespace

Json to_json(const Comparison& comparison, bool published) {
  Json missing = Json::array(), sets = Json::array(), means = Json::array();
  for (const auto& peer : comparison.missing) {
    missing.push_back({{"compressor", peer.name}, {"reason", peer.reason}});
  }
  for (const ComparedSet& set : comparison.sets) {
    Json rows = Json::array();
    for (const ComparedRow& row : set.rows) rows.push_back(row_json(set, row, published));
    sets.push_back({{"name", set.name},
                    {"precision", to_string(set.precision)},
                    {"source", set.source},
                    {"bytes", set.bytes},
                    {"xxh3", set.xxh3},
                    {"dimensionality", set.dimensionality.value},
                    {"dimensionality_is", text_of(set.dimensionality.from, "MPC")},
                    {"rows", std::move(rows)}});
    if (!set.type.empty()) sets.back()["type"] = set.type;
  }
  for (const Precision precision : kPrecisions) {
    const std::size_t count = sets_of(comparison, precision).size();
    const std::vector<Summary> all = summaries(comparison, precision);
    for (const Summary& summary : all) {
      means.push_back(summary_json(all, summary, precision, count));
    }
  }
  return {
      {"schema", kComparisonSchema},
      {"version", 1},
      {"program",
       {{"version", synth::kVersion}, {"commit", synth::kCommit}, {"compiler", synth::kCompiler}}},
      {"machine", {{"cpu", comparison.cpu}, {"threads", codec::default_threads()}}},
      {"command", comparison.command},
      {"study", comparison.study},
      {"repetitions", comparison.repetitions},
      {"missing", std::move(missing)},
      {"data_sets", std::move(sets)},
      {"means", std::move(means)},
      {"notes", comparison.notes}};
}

std::vector<Table> to_tables(const Comparison& comparison, bool published) {
  std::vector<Table> tables;
  for (const Precision precision : kPrecisions) {
    const auto all = summaries(comparison, precision);
    if (sets_of(comparison, precision).empty()) continue;
    const auto add = [&](Table table) {
      table.all = {{{"precision"}, std::string(to_string(precision))}};
      tables.push_back(std::move(table));
    };
    add(ratio_table(comparison, precision, all));
    if (published) add(published_table(comparison, precision, all));
    add(throughput_table(comparison, precision, all, published));
  }
  if (tables.empty()) return tables;
  for (const auto& peer : comparison.missing) {
    tables.front().notes.push_back(fmt::format("without {}: {}", peer.name, peer.reason));
  }
  for (const std::string& note : comparison.notes) tables.front().notes.push_back(note);
  return tables;
}

}  // namespace fpsynth::cli
