#include "results/queries/papers/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "results/documents/means.hpp"
#include "results/queries/queries.hpp"
#include "results/queries/tallies.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::results {
namespace {

using synth::Precision;

constexpr double kBitsPerByte = 8;

/// The name of a data set or of the mean, which the file calls "har_mean", and "Best" in Table II.
std::string data_set_of(const std::string& key) {
  return key == "har_mean" || key == "Best" ? std::string(kHarmonicMean) : key;
}

bool is_remark(const std::string& key) {
  return key == "note" || key == "hardware" || key == "columns";
}

class Reader {
 public:
  Reader(const JsonValue& document, std::vector<Published>& figures)
      : document_(document), figures_(figures) {}

  void read() {
    best_pipelines();
    ratios("mpc_table_3_double", "III", Precision::Double);
    ratios("mpc_table_4_single", "IV", Precision::Single);
    throughputs();
    gfc_chunks();
    gfc_throughput();
    pfpc();
    holt();
  }

 private:
  void add(Published figure, const JsonValue& value) {
    figure.value = value.real();
    if (!(figure.value > 0)) value.fail("a figure above 0");
    figures_.push_back(std::move(figure));
  }

  void best_pipelines() {
    for (const Precision precision : kPaperPrecisions) {
      for (const auto& [name, set] : document_["mpc_table_2"][to_string(precision)].members()) {
        std::vector<std::string> stages;
        for (const JsonValue& stage : set["stages"].items()) stages.push_back(stage.text());
        const bool cut_known = !set["cut"].is_null();
        if (cut_known && set["cut"].whole() < stages.size()) {
          stages.insert(stages.begin() + static_cast<std::ptrdiff_t>(set["cut"].whole()), "|");
        }
        const std::string text =
            fmt::format("{}{}", fmt::join(stages, " "), cut_known ? "" : kCutNotKnown);
        add({"mpc", "II", "best", text, data_set_of(name), precision, std::string(kRatio), 0, "",
             cut_known, cut_known && set["cut_source"].text() == "text"},
            set["ratio"]);
      }
    }
  }

  void ratios(const char* key, const char* table, Precision precision) {
    for (const auto& [compressor, sets] : document_[key].members()) {
      for (const auto& [name, ratio] : sets.members()) {
        add({"mpc", table, compressor, "", data_set_of(name), precision, std::string(kRatio), 0,
             ""},
            ratio);
      }
    }
  }

  /// Table V: means over the 13 data sets; null if a compressor does not support a precision.
  void throughputs() {
    for (const auto& [compressor, row] : document_["mpc_table_5_gb_per_s"].members()) {
      if (is_remark(compressor)) continue;
      const std::string hardware = document_["mpc_table_5_hardware"][compressor].text();
      const auto cells = row.items();
      if (cells.size() != 4) row.fail("four figures");
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i].is_null()) continue;
        add({"mpc", "V", compressor, "", "mean", i < 2 ? Precision::Double : Precision::Single,
             std::string(i % 2 ? kDecompress : kCompress), 0, hardware},
            cells[i]);
      }
    }
  }

  void gfc_chunks() {
    const JsonValue table = document_["gfc_table_2"];
    const auto chunks = table["columns"].wholes();
    for (const auto& [name, row] : table.members()) {
      if (is_remark(name)) continue;
      const auto cells = row.items();
      if (cells.size() != chunks.size()) row.fail("a figure for each column");
      for (std::size_t i = 0; i < cells.size(); ++i) {
        add({"gfc", "2", "GFC", fmt::format("{} chunks", chunks[i]), data_set_of(name),
             Precision::Double, std::string(kRatio), 0, ""},
            cells[i]);
      }
    }
  }

  void gfc_throughput() {
    const JsonValue rates = document_["gfc_throughput_gbit_per_s"];
    for (const auto& [key, quantity] :
         {std::pair("compress_har_mean", kCompress), {"decompress_har_mean", kDecompress}}) {
      add({"gfc", "", "GFC", "", std::string(kHarmonicMean), Precision::Double,
           std::string(quantity), 0, rates["hardware"].text()},
          rates[key]);
      figures_.back().value /= kBitsPerByte;
    }
  }

  void pfpc() {
    const JsonValue rates = document_["pfpc_throughput"];
    for (const auto& [key, parameters] : {std::pair("small_predictor_8kB", "8 kB of tables"),
                                          {"large_predictor_2MB", "2 MB of tables"}}) {
      for (const auto& [name, quantity] : {std::pair("ratio", kRatio),
                                           {"compress_gb_s", kCompress},
                                           {"decompress_gb_s", kDecompress}}) {
        add({"pfpc", "", "pFPC", parameters, std::string(kHarmonicMean), Precision::Double,
             std::string(quantity), 0, rates["hardware"].text()},
            rates[key][name]);
      }
    }
  }

  /// Holt's table has compressed / original bytes.
  void holt() {
    for (const JsonValue& row : document_["holt_table_2"]["rows"].items()) {
      const auto cells = row.items();
      if (cells.size() != 3) row.fail("name, bytes and ratio");
      add({"holt", "2", "Holt", "", cells[0].text(), Precision::Single, std::string(kRatio), 0, ""},
          cells[2]);
      figures_.back().value = 1 / figures_.back().value;
    }
  }

  const JsonValue& document_;
  std::vector<Published>& figures_;
};

}  // namespace

const PublishedFigures& PublishedFigures::built_in() {
  static const PublishedFigures figures(kPaperTables, "results/reference/paper_tables.json");
  return figures;
}

PublishedFigures::PublishedFigures(std::string_view text, std::string_view file) {
  const JsonFile json = JsonFile::parse(text, std::string(file), JsonAuthor::Program);
  const JsonValue document = json.root();
  for (const auto& [paper, citation] : document["source_papers"].members()) {
    citations_.emplace_back(paper, citation.text());
  }
  const JsonValue checksums = document["xxh3"];
  for (const JsonValue& name : document["datasets"].items()) {
    for (const Precision precision : kPaperPrecisions) {
      DataSet set;
      set.name = name.text();
      set.precision = precision;
      set.bytes =
          document["file_bytes"][set.name].whole() / (precision == Precision::Double ? 1 : 2);
      if (checksums.has(set.name)) set.xxh3 = checksums[set.name][to_string(precision)].text();
      sets_.push_back(std::move(set));
    }
  }
  Reader(document, figures_).read();
}

std::string PublishedFigures::citation(std::string_view paper) const {
  const auto found =
      std::ranges::find(citations_, paper, &std::pair<std::string, std::string>::first);
  return found == citations_.end() ? std::string() : found->second;
}

std::string PublishedFigures::papers_name(const DataSet& data) const {
  const auto found = std::ranges::find_if(sets_, [&](const DataSet& papers) {
    if (data.precision != papers.precision) return false;
    if (!data.xxh3.empty() && !papers.xxh3.empty()) return data.xxh3 == papers.xxh3;
    return data.name == papers.name && data.bytes == papers.bytes &&
           data.source != kSyntheticSource;
  });
  return found == sets_.end() ? std::string() : found->name;
}

const Published* PublishedFigures::find(std::string_view paper, std::string_view quantity,
                                        std::string_view compressor, std::string_view data_set,
                                        Precision precision) const {
  const auto found = std::ranges::find_if(figures_, [&](const Published& figure) {
    return figure.paper == paper && figure.quantity == quantity &&
           figure.compressor == compressor && figure.data_set == data_set &&
           figure.precision == precision;
  });
  return found == figures_.end() ? nullptr : &*found;
}

synth::Pipeline Published::pipeline() const {
  std::string_view text = parameters;
  if (!cut_known) text.remove_suffix(kCutNotKnown.size());
  return synth::parse_pipeline(text);
}

double difference_percent(double ours, double published) { return 100 * (ours / published - 1); }

namespace {

/// Tables of the pipelines of Table II, without Best.
std::vector<Table> tables_of_best(const PublishedFigures& published,
                                  decltype(component_tables)& tables_of) {
  const CountedPipelines best = [&](const auto& add) {
    for (const Published& figure : published.figures()) {
      if (figure.table != "II" || figure.data_set == kHarmonicMean) continue;
      add({figure.pipeline(), figure.precision, figure.data_set, figure.cut_known});
    }
  };
  auto tables =
      tables_of(best, synth::Space::paper(), "in the best pipelines of the MPC paper's Table II");
  tables.front().notes.push_back(published.citation("mpc"));
  return tables;
}

}  // namespace

std::vector<Table> published_components(const PublishedFigures& published) {
  return tables_of_best(published, component_tables);
}

std::vector<Table> published_patterns(const PublishedFigures& published) {
  return tables_of_best(published, pattern_tables);
}

Table means_with_published(const Table& means, const PublishedFigures& published) {
  Table table = means;
  table.columns.insert(table.columns.end(), {{"paper_data_sets", "paper's data sets"},
                                             {"paper_ratio", "paper's CR"},
                                             {"paper_pipeline", "paper's pipeline"}});
  table.rows.clear();
  for (const Precision precision : kPaperPrecisions) {
    std::vector<double> own;
    for (const Published& figure : published.figures()) {
      if (figure.table != "II" || figure.precision != precision) continue;
      if (figure.data_set != kHarmonicMean) own.push_back(figure.value);
    }
    const Published* best = published.find("mpc", kRatio, "best", kHarmonicMean, precision);
    for (const std::string_view what : {kOneForAll, kEachItsOwn}) {
      const std::vector<Cell> key = cells(precision, what);
      const auto ours = std::ranges::find_if(means.rows, [&](const std::vector<Cell>& row) {
        return row[0] == key[0] && row[1] == key[1];
      });
      std::vector<Cell> row = ours == means.rows.end() ? key : *ours;
      row.resize(means.columns.size());
      const std::vector<Cell> papers = what == kEachItsOwn ? cells(harmonic_mean(own))
                                       : best              ? cells(best->value, best->parameters)
                                                           : std::vector<Cell>();
      table.add(row, own.size(), papers);
    }
  }
  table.notes.push_back(published.citation("mpc"));
  table.notes.push_back(
      "the paper's mean of each data set's own best is computed from its Table II");
  return table;
}

namespace {

/// Ratio and rank of the paper's pipeline on a data set, or, if that is `Best`, over all of them;
/// two empty cells where they are not known.
std::vector<Cell> paper_pipeline_here(const Published* paper, const Runs& runs,
                                      const std::string& set, Precision precision) {
  if (!paper || !paper->cut_known) return std::vector<Cell>(2);
  const synth::Pipeline pipeline = runs.space().padded(synth::parse_pipeline(paper->parameters));
  std::vector<const Document*> documents = runs.of(precision);
  if (paper->data_set != kHarmonicMean) {
    std::erase_if(documents, [&](const Document* one) { return one->data.name != set; });
  }
  const Means means(documents);
  const auto id = means.find(pipeline);
  return id ? cells(means.ratio(*id), means.count_better(*id) + 1) : std::vector<Cell>(2);
}

/// The papers' name of a row of best(): of its document in this precision, or in the other one if
/// there is none; empty if its data are none of theirs.
std::string papers_name(const std::string& row, const Runs& runs, Precision precision,
                        const PublishedFigures& published) {
  if (row == "Best") return data_set_of(row);
  const DataSet* data = nullptr;
  for (const Document& document : runs.documents()) {
    if (document.data.name != row) continue;
    if (!data || document.data.precision == precision) data = &document.data;
  }
  return data ? published.papers_name(*data) : "";
}

}  // namespace

Table with_published(const Table& best, const Runs& runs, const PublishedFigures& published) {
  Table table{.title = best.title + ", with the MPC paper's Table II",
              .columns = {{"data_set"}},
              .notes = best.notes};
  for (const Precision precision : kPaperPrecisions) {
    const std::string name(to_string(precision));
    table.columns.insert(table.columns.end(),
                         {{name + "_ratio", name + " CR"},
                          {name + "_paper_ratio", name + " paper"},
                          {name + "_difference_percent", name + " difference %", 2},
                          {name + "_pipeline"},
                          {name + "_paper_pipeline", name + " paper's pipeline"},
                          {name + "_paper_pipeline_ratio", "its CR here"},
                          {name + "_paper_pipeline_rank", "its rank here"}});
  }
  std::set<std::string> renamed;
  for (const std::vector<Cell>& row : best.rows) {
    const std::string& set = std::get<std::string>(row.at(0));
    std::vector<Cell> compared;
    for (std::size_t i = 0; i < std::size(kPaperPrecisions); ++i) {
      const Cell &ratio = row.at(1 + 2 * i), &pipeline = row.at(2 + 2 * i);
      const std::string name = papers_name(set, runs, kPaperPrecisions[i], published);
      if (!name.empty() && name != data_set_of(set)) {
        renamed.insert(fmt::format("{} is the paper's {}", set, name));
      }
      const Published* paper = published.find("mpc", kRatio, "best", name, kPaperPrecisions[i]);
      const double* ours = std::get_if<double>(&ratio);
      append(compared, ratio);
      append(compared, paper ? Cell(paper->value) : Cell());
      append(compared, paper && ours ? Cell(difference_percent(*ours, paper->value)) : Cell());
      append(compared, pipeline);
      append(compared, paper ? Cell(paper->parameters) : Cell());
      append(compared, paper_pipeline_here(paper, runs, set, kPaperPrecisions[i]));
    }
    table.add(row[0], compared);
  }
  table.notes.push_back(published.citation("mpc"));
  table.notes.push_back("the paper's Best is the mean over its 13 data sets");
  table.notes.emplace_back(kPapersData);
  table.notes.insert(table.notes.end(), renamed.begin(), renamed.end());
  return table;
}

}  // namespace fpsynth::results
