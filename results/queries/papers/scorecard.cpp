#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "results/queries/papers/claims.hpp"
#include "results/queries/papers/published.hpp"
#include "results/queries/queries.hpp"
#include "synth/common/json.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::results {
namespace {

using synth::Precision;

/// Decimals with which the MPC paper's Tables II to IV, GFC's Table 2 and Holt's Table II print.
constexpr int kRatioDecimals = 3, kGfcDecimals = 5, kHoltDecimals = 2;

/// A published number beside ours.
struct Number {
  std::string from, what, data_set;
  Precision precision;
  double published, ours;
  int decimals = kRatioDecimals;         ///< those that the paper prints
  std::string cause{kNotKnown};          ///< of a difference
  std::string searched = std::string();  ///< the part of the data; empty: all, or no search
  std::string figure = std::string();    ///< the paper's name, if `what` has settings of ours

  double difference() const { return difference_percent(ours, published); }
  bool equal() const {
    return std::abs(ours - published) <= 0.5 * std::pow(10, -decimals) * (1 + 1e-9);
  }
};

/// A difference of ratios of the same data as bytes a chunk, by which formats of files differ.
std::string of_chunks(const Number& one) {
  const double chunk = double(synth::word_bytes(one.precision) * synth::kChunkWords);
  const double more = chunk / one.published - chunk / one.ours;
  return fmt::format(
      "the paper's file has {:.0f} bytes {} for each chunk of 1,024 values; it leaves the format "
      "of files and of RLE and ZE open",
      std::abs(more), more > 0 ? "more" : "less");
}

/// "one chunk in 32", "not complete", "a race"; empty if the search covered all.
std::string part_of(const Document& document) {
  std::vector<std::string> parts;
  if (raced(document)) parts.emplace_back("a race");
  if (document.sampled()) {
    parts.push_back(fmt::format("one chunk in {}", document.run.sample));
  } else if (!document.run.complete) {
    parts.emplace_back("not complete");
  }
  return joined(parts, ", ");
}

/// Collects the numbers of the papers' data sets.
class Scorecard {
 public:
  explicit Scorecard(const Runs* runs);

  void add_searched(const Runs& runs);
  void add_statistics(const JsonValue& document);
  void add_measured(const Measurement& one);
  void add_throughputs(const std::string& cpu, const std::vector<Measurement>& measured);
  std::vector<Table> tables(std::vector<std::string> notes);

 private:
  /// The papers' name of data, empty if they are none of theirs. Documents of sweeps do not say
  /// which data fpsynth has made; those of searches beside them do.
  std::string papers_name(const std::string& name, std::uint64_t bytes, Precision precision,
                          const std::string& xxh3 = "", bool made = false) const {
    return published_.papers_name({.name = name,
                                   .bytes = bytes,
                                   .xxh3 = xxh3,
                                   .precision = precision,
                                   .type = "",
                                   .source = made || made_.contains(name) ? kSyntheticSource : "",
                                   .file = ""});
  }
  void add(Number one);
  void add_with_settings(const Measurement& one, const std::string& data_set);
  Table counts() const;

  JsonFile file_;
  JsonValue papers_;
  const PublishedFigures& published_ = PublishedFigures::built_in();
  std::set<std::string> made_;  ///< names
  std::vector<Number> numbers_;
  Table throughputs_{.title = "Published throughputs and ours, on other machines",
                     .columns = columns("from", "compressor", "precision", "direction",
                                        Column("published_gb_per_s", "published GB/s", 2),
                                        Column("ours_gb_per_s", "ours GB/s", 2),
                                        Column("difference_percent", "difference %", 0), "cause")};
};

Scorecard::Scorecard(const Runs* runs)
    : file_(JsonFile::parse(kPaperTables, "results/reference/paper_tables.json",
                            JsonAuthor::Program)),
      papers_(file_.root()) {
  if (!runs) return;
  for (const Document& document : runs->documents()) {
    if (document.data.source == kSyntheticSource) made_.insert(document.data.name);
  }
}

/// Adds a number unless it is there, out of another sweep.
void Scorecard::add(Number one) {
  const auto key = [](const Number& its) {
    return std::tie(its.from, its.what, its.data_set, its.precision);
  };
  if (std::ranges::none_of(numbers_, [&](const Number& its) { return key(its) == key(one); })) {
    numbers_.push_back(std::move(one));
  }
}

/// Table II of the MPC paper.
void Scorecard::add_searched(const Runs& runs) {
  const Table best = with_published(results::best(runs).front(), runs, published_);
  constexpr std::size_t kColumns = 7;  // of each precision
  for (const Document* document : runs.searched()) {
    const DataSet& data = document->data;
    const std::string name = published_.papers_name(data);
    if (document->ranking.empty() || name.empty()) continue;
    const auto row =
        std::ranges::find(best.rows, Cell(data.name), [](const auto& its) { return its[0]; });
    const Cell* cell = &row->at(data.precision == Precision::Double ? 1 : 1 + kColumns);
    const auto &pipeline = std::get<std::string>(cell[3]), &theirs = std::get<std::string>(cell[4]);
    const std::string part = part_of(*document);
    const auto number = [&](const std::string& what, const Cell& ours) {
      Number one{"MPC, Table II",       what, name, data.precision, std::get<double>(cell[1]),
                 std::get<double>(ours)};
      one.cause = part.empty() ? of_chunks(one) : "searched in a part of the data: " + part;
      one.figure = "best";
      return one;
    };
    Number ours = number("best pipeline: " + pipeline, cell[0]);
    ours.searched = part;
    const auto* rank = std::get_if<std::uint64_t>(cell + 6);
    if (rank && *rank == 1 && pipeline != theirs) {
      ours.cause = "of the same size as the paper's pipeline; " + ours.cause;
    } else if (pipeline != theirs) {
      ours.cause = rank ? fmt::format("another winner; the paper's has rank {} here", *rank)
                        : fmt::format("another winner than the paper's {}", theirs);
      if (pipeline.find("RLE") != pipeline.npos && theirs.find("RLE") == theirs.npos) {
        ours.cause += ". The paper leaves RLE's layout open, and that of ours is denser";
      }
    }
    add(ours);
    if (pipeline != theirs && std::holds_alternative<double>(cell[5])) {
      add(number("best of the paper: " + theirs, cell[5]));
    }
  }
}

/// Table I of the MPC paper, in a document of `data info`.
void Scorecard::add_statistics(const JsonValue& document) {
  constexpr struct {
    const char *ours, *printed, *title;
    int decimals;
  } kStatistics[] = {{"size_mib", "size_mb", "size MB", 1},
                     {"values_millions", "doubles_millions", "values millions", 2},
                     {"unique_percent", "unique_percent", "unique %", 1},
                     {"entropy_bits", "entropy_bits", "entropy bits", 2},
                     {"randomness_percent", "randomness_percent", "randomness %", 1}};
  document.version_of(kTablesSchema, kTablesVersion);
  for (const JsonValue& row : document["tables"].some_items().front()["rows"].items()) {
    if (row["bytes"].is_null() || row["precision"].precision() != Precision::Double) continue;
    const std::string name =
        papers_name(row["data_set"].text(), row["bytes"].whole(), Precision::Double);
    if (name.empty()) continue;
    for (const auto& one : kStatistics) {
      if (row[one.ours].is_null()) continue;
      Number number{"MPC, Table I",
                    one.title,
                    name,
                    Precision::Double,
                    papers_["mpc_table_1"][name][one.printed].real(),
                    row[one.ours].real(),
                    one.decimals};
      const bool near = std::abs(number.ours - number.published) < std::pow(10, -one.decimals);
      if (near) number.cause = "rounded in another way";
      add(number);
    }
  }
}

/// Tables III and IV of the MPC paper, GFC's Table 2, and Holt's Table II.
void Scorecard::add_measured(const Measurement& one) {
  const std::string name = papers_name(one.data_set, one.bytes, one.precision, one.xxh3, one.made);
  if (name.empty()) return;
  const JsonValue settings = papers_["mpc_settings"];
  for (const Published& figure : published_.figures()) {
    if (figure.quantity != kRatio || figure.data_set != name || figure.precision != one.precision) {
      continue;
    }
    Number number{"", one.compressor, name, one.precision, figure.value, one.ratio};
    if ((figure.table == "III" || figure.table == "IV") && figure.compressor == one.compressor) {
      number.from = "MPC, Table " + figure.table;
      number.cause =
          one.compressor == "MPC" ? of_chunks(number)
          : settings.has(one.compressor)
              ? fmt::format("the paper ran {}; here {}: see the row with its settings",
                            settings[one.compressor]["why"].text(),
                            one.compressor == "GFC" ? "another number of chunks"
                                                    : counted(one.threads, "instance"))
          : one.compressor.starts_with("gzip")
              ? "zlib's deflate is not the gzip program's: it has buffers of another size"
              : "another version of the library";
    } else if (figure.paper == "gfc" && one.compressor == "sweep gfc" &&
               figure.parameters == fmt::format("{} chunks", one.chunks)) {
      number.from = "GFC, Table 2";
      number.what = "GFC, " + counted(one.chunks, "chunk");
      number.decimals = kGfcDecimals;
      const double off = 0.5 * std::pow(10, -kGfcDecimals), size = double(one.bytes);
      const double nearest = std::clamp(one.ratio, figure.value - off, figure.value + off);
      const double bytes = std::abs(std::round(size / one.ratio - size / nearest));
      number.cause = fmt::format(
          "{}: the header is the paper's, 4 + 1 + 2 + 4 n bytes (its section 2.1); {} of {} differ",
          kNotKnown, counted(std::uint64_t(bytes), "byte"), one.bytes);
    } else if (figure.paper == "holt" && one.compressor == "Holt") {
      number = {"Holt, Table II",
                "Holt, compressed / original",
                name,
                one.precision,
                1 / figure.value,
                1 / one.ratio,
                kHoltDecimals,
                "the paper does not print its parameters and its format"};
    } else {
      continue;
    }
    add(number);
  }
  add_with_settings(one, name);
}

/// A row of a sweep over a data set of the papers, with the settings with which the MPC paper ran
/// its Table III.
void Scorecard::add_with_settings(const Measurement& one, const std::string& data_set) {
  constexpr std::uint64_t kEntry = 16;  // bytes of pFPC's tables
  const bool gfc = one.compressor == "sweep gfc";
  if (!gfc && one.compressor != "sweep pfpc") return;
  const std::string name = gfc ? "GFC" : "pFPC -1M";
  const JsonValue its = papers_["mpc_settings"][name];
  const bool same = gfc ? one.chunks == its["chunks"].whole()
                        : one.tables == kEntry << its["table_bits"].whole() &&
                              one.threads == its["instances"].whole() &&
                              one.chunks == its["chunk_values"].whole();
  if (!same) return;
  add({"MPC, Table III", fmt::format("{}, with {}", name, its["why"].text()), data_set,
       Precision::Double, papers_["mpc_table_3_double"][name][data_set].real(), one.ratio,
       kRatioDecimals, std::string(kNotKnown), "", name});
}

/// Table V of the MPC paper beside arithmetic means, if a comparison is of the papers' data alone.
void Scorecard::add_throughputs(const std::string& cpu, const std::vector<Measurement>& measured) {
  for (const Precision precision : kPaperPrecisions) {
    std::set<std::string> sets;
    std::vector<std::string> names;
    std::map<std::string, std::vector<const Measurement*>> rows;
    bool papers = true;
    for (const Measurement& one : measured) {
      if (one.precision != precision) continue;
      papers &= !papers_name(one.data_set, one.bytes, precision, one.xxh3, one.made).empty();
      sets.insert(one.data_set);
      if (rows[one.compressor].empty()) names.push_back(one.compressor);
      rows[one.compressor].push_back(&one);
    }
    for (const std::string& name : names) {
      for (const auto& [way, quantity, speed] :
           {std::tuple("compress", kCompress, &Measurement::compress),
            {"decompress", kDecompress, &Measurement::decompress}}) {
        const Published* printed = published_.find("mpc", quantity, name, "mean", precision);
        if (!papers || !printed || rows[name].size() != sets.size()) continue;
        double mean = 0;
        for (const Measurement* one : rows[name]) mean += one->*speed / double(sets.size());
        throughputs_.add(
            "MPC, Table V", name, precision, way, printed->value, mean,
            difference_percent(mean, printed->value),
            fmt::format("the paper: {}, the mean of {} data sets; here: {}, {} of them",
                        printed->hardware, papers_["datasets"].items().size(), cpu, sets.size()));
      }
    }
  }
}

/// The counts of a paper's numbers that are equal, near or not explained, and the largest
/// difference.
Table Scorecard::counts() const {
  Table table{.title = "How many of them are equal",
              .columns = columns("paper", Column("printed_numbers", "numbers"), "equal",
                                 Column("within_1_percent", "within 1 %"), "cause_not_known",
                                 Column("largest_difference_percent", "largest difference %", 2),
                                 Column("largest_on", "on")),
              .notes = {"a printed number counts once, by the row that is nearest to it",
                        "the largest difference is behind the printed digits"}};
  const auto off = [](const Number* one) { return std::abs(one->difference()); };
  std::map<std::tuple<std::string, std::string, std::string, Precision>, const Number*> printed;
  for (const Number& one : numbers_) {
    const Number*& nearest = printed[{one.from, one.figure.empty() ? one.what : one.figure,
                                      one.data_set, one.precision}];
    if (!nearest || off(&one) < off(nearest)) nearest = &one;
  }
  for (const std::string paper : {"MPC", "GFC", "Holt", "all"}) {
    std::uint64_t all = 0, equal = 0, near = 0, unknown = 0;
    const Number* worst = nullptr;
    for (const auto& [key, one] : printed) {
      if (paper != "all" && !one->from.starts_with(paper)) continue;
      ++all;
      near += one->equal() || off(one) < 1;
      equal += one->equal();
      if (one->equal()) continue;
      unknown += one->cause.starts_with(kNotKnown);
      if (!worst || off(one) > off(worst)) worst = one;
    }
    const auto largest =
        worst ? cells(worst->difference(), fmt::format("{}, {}, {}", worst->what, worst->data_set,
                                                       to_string(worst->precision)))
              : std::vector<Cell>();
    if (all > 0) table.add(paper, all, equal, near, unknown, largest);
  }
  return table;
}

std::vector<Table> Scorecard::tables(std::vector<std::string> notes) {
  Table table{.title = "Published numbers and ours",
              .columns = columns("from", "what", "data_set", "precision", "published", "ours",
                                 Column("difference_percent", "difference %", 2), "cause",
                                 "printed_decimals", "searched_in"),
              .notes = std::move(notes)};
  std::ranges::stable_sort(numbers_, {}, &Number::from);
  for (const Number& one : numbers_) {
    table.add(one.from, one.what, one.data_set, one.precision, one.published, one.ours,
              one.difference(), one.equal() ? kEqual : std::string_view(one.cause), one.decimals,
              one.searched.empty() ? Cell() : Cell(one.searched));
  }
  if (numbers_.empty()) {
    table.notes.emplace_back(
        "none of the data sets is the papers'; `configs/datasets/fetch.py fpc` fetches them");
  }
  return {table, counts(), throughputs_};
}

}  // namespace

std::vector<Table> scorecard(const Runs* runs, const std::vector<std::filesystem::path>& measured) {
  Scorecard card(runs);
  if (runs) card.add_searched(*runs);
  for (const std::filesystem::path& path : measured) {
    const JsonFile file = JsonFile::read(path, JsonAuthor::Program,
                                         "name a document of `compare`, `data info` or a sweep");
    const JsonValue document = file.root();
    if (document["schema"].text() == kTablesSchema && document["kind"].text() == "data info") {
      card.add_statistics(document);
      continue;
    }
    const std::vector<Measurement> its = measurements(path);
    for (const Measurement& one : its) card.add_measured(one);
    card.add_throughputs(document["machine"]["cpu"].text(), its);
  }
  return card.tables(runs ? runs->notes() : std::vector<std::string>());
}

}  // namespace fpsynth::results
