#include "runners/cli/documents/report.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "results/documents/document_file.hpp"
#include "results/documents/runs.hpp"
#include "results/queries/papers/published.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/studies.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "runners/study/choice.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::cli {
namespace {

namespace fs = std::filesystem;

// There are many settings, and slow compressors: only the first bytes of a data set are timed.
constexpr const char *kPart = "--timed-bytes 8M", *kLess = "--timed-bytes 2M --repetitions 1";
constexpr std::uint64_t kBig = 1 << 26;  // bytes of a study, of more of which less is timed

/// The words of a text.
Words words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

template <class List>
List joined(std::initializer_list<List> parts) {
  List all;
  for (const List& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// An option before each of some files.
Words each(const std::string& option, const Files& files) {
  Words all;
  for (const fs::path& file : files) all.insert(all.end(), {option, file.string()});
  return all;
}

/// The rows of a document's first table.
std::vector<JsonValue> rows_of(const JsonFile& document) {
  return document.root()["tables"].some_items().front()["rows"].items();
}

Maker maker_of(std::string name, const std::string& runs, bool lists) {
  return {std::move(name), fs::path(runs) / "documents", lists};
}

}  // namespace

Report::Report(std::string name, std::string runs, bool lists)
    : runs_(std::move(runs)),
      maker_(maker_of(std::move(name), runs_, lists)),
      part_(words(kPart)) {}

void Report::of_study(const fs::path& config, std::uint64_t sample) {
  data::Study study = data::read_study(config);
  Words missing;
  std::erase_if(study.items, [&](const data::StudyItem& item) {
    if (!item.is_there()) missing.push_back(item.name);
    return !item.is_there();
  });
  if (study.items.empty()) {
    maker_.create();  // so that a report of several studies can be drawn
    return maker_.note("none of its data sets is available");
  }
  if (!missing.empty()) {
    maker_.note(
        fmt::format("left out because their data are not available: {}", fmt::join(missing, ", ")));
  }
  const fs::path there = maker_.path("study");
  maker_.put(there, data::part_of_study(config, [](const auto& item) { return item.is_there(); }));
  if (sample > 0) search(study, sample);
  results_ = results::document_files(runs_);
  if (results_.empty()) {
    maker_.note(fmt::format("{} has no results; search first: {}", runs_,
                            command_text({"search", "--study", config.string(), "--out", runs_})));
  }
  for (const char* text :
       {"runs", "best", "means --published", "overall", "stages", "common", "distribution"}) {
    query(words(text).front(), text);
  }
  query("best-published", "best --published");
  query("components-1", "components --top 1 --published");
  query("components-100", "components --top 100");
  query("patterns-1", "patterns --top 1 --published");
  query("top-1", "top 1");
  maker_.make("statistics", {"data", "info", "--study", there.string()}, {there});
  if (maker_.is_current("statistics")) return measurements(config, study);
  maker_.note("statistics.json says with which settings the others are made");
}

/// Searches what has no results, and goes on with a search that was interrupted.
void Report::search(const data::Study& study, std::uint64_t sample) {
  for (const data::StudyItem& item : study.items) {
    for (const synth::Precision precision : study.precisions) {
      const fs::path path = results::document_path(runs_, item.name, precision);
      if (std::error_code error; fs::exists(path, error)) continue;
      // Of singles there is no document in double precision.
      if (std::ranges::count(study::precisions_of(study.precisions, item.open()), precision) == 0) {
        continue;
      }
      return maker_.run({"search", "--study", maker_.path("study").string(), "--out", runs_,
                         "--sample", std::to_string(sample), "--resume"},
                        path.filename().string() + " is not there");
    }
  }
}

void Report::query(const std::string& stem, const std::string& query) {
  if (results_.empty()) return;
  maker_.make(stem, joined({words("query " + query), {"--runs", runs_}}), results_);
}

void Report::sweep(const std::string& stem, const std::string& baseline, const fs::path& study,
                   const Words& settings) {
  maker_.make(
      stem, joined({words("baseline " + baseline + " sweep --study"), {study.string()}, settings}),
      {study});
}

/// The document that times each data set's best pipeline on one core.
void Report::one_core(Maker& maker, const std::string& runs) {
  const fs::path study = maker_.path("study");
  maker.make("one-core",
             joined({{"compare", "--study", study.string(), "--runs", runs},
                     words("--only searched --threads 1"),
                     part_}),
             joined({{study}, results::document_files(runs)}));
}

void Report::measurements(const fs::path& config, const data::Study& study) {
  const fs::path there = maker_.path("study"), compared = maker_.path("compare");
  const Sizes doubles = sizes("double");
  Sizes all = doubles;
  all.merge(sizes("single"));
  std::uint64_t bytes = 0;
  for (const auto& [name, size] : all) bytes += size;
  big_ = bytes > kBig;
  if (big_) part_ = words(kLess);

  const Files programs = config_files("peers");  // compressors that are programs
  maker_.make("compare",
              joined({{"compare", "--study", there.string()},
                      results_.empty() ? Words() : Words{"--runs", runs_},
                      {"--published"},
                      part_,
                      each("--external", programs)}),
              joined({{there}, results_, programs}));
  if (!results_.empty()) {
    one_core(maker_, runs_);
    maker_.make(
        "dimensionality",
        joined({words("query dimensionality --runs"), {runs_}, each("--compared", {compared})}),
        joined({results_, {compared}}));
  }
  sweep("holt", "holt", there, {});
  if (!doubles.empty()) sweeps_of_doubles(config, study, doubles);
  if (!results_.empty()) speeds();
  const auto on_gpu = [](const fs::path& file) {
    return file.string().ends_with(".cuda.throughput.json");
  };
  if (std::ranges::any_of(results::throughput_files(runs_), on_gpu)) {
    unless_it_fails("Holt by size on a GPU is left out",
                    [&] { sweep("holt-gpu", "holt", there, words("--backend cuda")); });
  }
  const Files known = existing({"compare", "statistics"});
  maker_.make("cards",
              joined({{"query", "cards", "--study", there.string(), "--runs", runs_},
                      each("--compared", known)}),
              joined({{there}, results_, known}));
  if (!results_.empty()) claims();
}

/// GFC and pFPC take no data sets of singles, which are left out.
void Report::sweeps_of_doubles(const fs::path& config, const data::Study& study,
                               const Sizes& doubles) {
  const auto has_doubles = [&](const data::StudyItem& item) {
    return item.is_there() && doubles.contains(item.name);
  };
  fs::path of = maker_.path("study");
  if (!std::ranges::all_of(study.items, has_doubles)) {
    of = maker_.path("study-doubles");
    maker_.put(of, data::part_of_study(config, has_doubles));
  }
  papers_settings(of);
  const unsigned largest = tables_that_fit(doubles);
  const std::set<unsigned> tables = {kSmallTables, std::min(kLargeTables, largest)};
  sweep("gfc", "gfc", of, big_ ? Words(part_.begin(), part_.begin() + 2) : Words());
  sweep("pfpc", "pfpc", of,
        joined({part_,
                {"--tables", fmt::format("{}", fmt::join(tables, ","))},
                words(big_ ? "--chunks 1,8,512,32768 --threads 1,2,3,4,5,6,8,12,16" : "")}));
  sweep("pfpc-modes", "pfpc", of,
        joined({words(fmt::format("--tables {} --threads 1,{} --chunks 1024",
                                  fmt::join(table_modes(largest), ","), codec::processors())),
                part_}));
}

/// pFPC and GFC with the settings of the MPC paper, which depend on its machine, if the study has
/// data sets of the paper.
void Report::papers_settings(const fs::path& study) {
  const JsonFile papers =
      JsonFile::parse(results::kPaperTables, "paper_tables.json", JsonAuthor::Program);
  std::set<std::string> names;
  for (const JsonValue& name : papers.root()["datasets"].items()) names.insert(name.text());
  const auto is_papers = [&](const data::StudyItem& item) {
    return !item.synthetic && names.contains(item.name);
  };
  if (!std::ranges::any_of(data::read_study(study).items, is_papers)) return;
  const JsonValue pfpc = papers.root()["mpc_settings"]["pFPC -1M"],
                  gfc = papers.root()["mpc_settings"]["GFC"];
  const std::string once = fmt::format(" --repetitions 1 {}", kPart);
  sweep("pfpc-paper", "pfpc", study,
        words(fmt::format("--tables {} --threads {} --chunks {}", pfpc["table_bits"].whole(),
                          pfpc["instances"].whole(), pfpc["chunk_values"].whole()) +
              once));
  sweep("gfc-paper", "gfc", study, words(fmt::format("--chunks {}", gfc["chunks"].whole()) + once));
}

/// Times the best pipelines over the data sets, unless there are timings from any device, then
/// makes the documents of the front and the means.
void Report::speeds() {
  constexpr std::uint64_t kTimed = 3;  // of the ranks in each precision
  const Files compared = {maker_.path("compare")};
  if (results::throughput_files(runs_).empty()) {
    if (!maker_.is_current("overall")) return maker_.note("overall.json says what is timed");
    const JsonFile overall = JsonFile::read(maker_.path("overall"), JsonAuthor::Program);
    Words best;
    for (const JsonValue& row : rows_of(overall)) {
      const std::string pipeline = row["pipeline"].text();
      const bool timed = std::ranges::count(best, pipeline) > 0;
      if (row["rank"].whole() <= kTimed && !timed) best.push_back(pipeline);
    }
    // As many bytes as of the compressors that stand beside them.
    maker_.run(joined({words("bench pipelines"), best, {"--runs", runs_, "--bytes", part_[1]}}),
               "no pipelines were timed");
  }
  const Files timed = results::throughput_files(runs_);
  if (timed.empty()) return;
  maker_.make("pareto",
              joined({words("query pareto --runs"), {runs_}, each("--compared", compared)}),
              joined({compared, timed}));
  maker_.make("timed", joined({words("query timed --runs"), {runs_}}), timed);
}

/// Verdicts, and numbers beside the papers', of all that was measured.
void Report::claims() {
  const Files measured = existing({"compare", "gfc", "pfpc", "holt"});
  const Files more = joined({measured, existing({"statistics", "pfpc-paper", "gfc-paper"})});
  maker_.make("claims",
              joined({words("query claims --runs"), {runs_}, each("--compared", measured)}),
              joined({results_, measured, results::throughput_files(runs_)}));
  maker_.make("scorecard",
              joined({words("query scorecard --runs"), {runs_}, each("--compared", more)}),
              joined({results_, more}));
}

void Report::of_results() {
  results_ = results::document_files(runs_);
  const results::Runs runs = results::load_runs(runs_);
  for (const char* text : {"runs", "best", "stages", "distribution"}) query(text, text);
  query("components-100", "components --top 100");
  auto data = nlohmann::ordered_json::array();
  std::set<std::string> names, precisions;
  for (const results::Document& document : runs.documents()) {
    const results::DataSet& set = document.data;
    std::error_code error;
    if (set.file.empty() || !fs::exists(data::place_of(set.file).file, error)) continue;
    precisions.emplace(to_string(set.precision));
    if (names.insert(set.name).second) data.push_back({{"name", set.name}, {"file", set.file}});
  }
  if (data.empty()) {
    return maker_.note("no speeds: the files of its data sets are not where they were searched");
  }
  const fs::path study = maker_.path("study");
  maker_.put(study,
             json_text({{"name", "own"}, {"data", data}, {"precisions", precisions}}, 1) + "\n");
  unless_it_fails("no speeds", [&] {  // a raw file whose type its name does not say, for one
    maker_.make("compare", joined({{"compare", "--study", study.string(), "--runs", runs_}, part_}),
                joined({{study}, results_}));
    one_core(maker_, runs_);
  });
}

void Report::beyond(const OtherRuns& others) {
  Words searched;
  Files sources;
  const auto take = [&](const std::string& what, const Maker& maker) {
    if (!maker.has("one-core")) return;
    sources.push_back(maker.path("one-core"));
    searched.insert(searched.end(), {"--" + what, sources.back().string()});
  };
  take("pipelines", maker_);
  const std::pair<std::string, std::string> wider[] = {{"preludes", others.preludes},
                                                       {"wide", others.wide}};
  for (const auto& [what, runs] : wider) {
    if (runs.empty() || !maker_.has("study")) continue;
    Maker maker = maker_of(runs, runs, maker_.lists());
    maker.make("runs", joined({words("query runs --runs"), {runs}}), results::document_files(runs));
    one_core(maker, runs);
    maker.end();
    take(what, maker);
  }
  Files compared;
  for (const fs::path& file : results::files_ending(maker_.path("").parent_path(), {".json"})) {
    if (file.filename().string().starts_with("compare")) compared.push_back(file);
  }
  if (compared.empty()) compared = existing({"compare"});
  if (!compared.empty()) {
    Words command = words("query peers");
    for (const fs::path& file : compared) command.push_back(file.string());
    maker_.make("peers", joined({command, searched}), joined({compared, sources}));
  }
  if (!others.deeper.empty() && !results_.empty()) {
    Files from = results_;
    for (const std::string& one : others.deeper) {
      from = joined({from, results::document_files(one)});
    }
    maker_.make("deeper",
                joined({words("query stages --runs"),
                        {runs_},
                        each("--deeper", {others.deeper.begin(), others.deeper.end()})}),
                from);
  }
  maker_.end();
}

void Report::unless_it_fails(const std::string& what, const std::function<void()>& make) const {
  try {
    make();
  } catch (const Error& error) {
    maker_.note(fmt::format("{}: {}", what, error.what()));
  }
}

/// Bytes of the data sets that have values of a precision.
Sizes Report::sizes(const std::string& precision) const {
  const JsonFile statistics = JsonFile::read(maker_.path("statistics"), JsonAuthor::Program);
  Sizes sizes;
  for (const JsonValue& row : rows_of(statistics)) {
    if (row["precision"].text() == precision) sizes[row["data_set"].text()] = row["bytes"].whole();
  }
  return sizes;
}

Files Report::existing(const std::vector<std::string>& stems) const {
  Files files;
  for (const std::string& stem : stems) {
    if (maker_.has(stem)) files.push_back(maker_.path(stem));
  }
  return files;
}

}  // namespace fpsynth::cli
