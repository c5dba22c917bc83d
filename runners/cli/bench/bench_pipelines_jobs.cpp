// `fpsynth bench pipelines`: which pipelines to time on which data.

#include <algorithm>
#include <filesystem>

#include "results/documents/document_file.hpp"
#include "results/documents/runs.hpp"
#include "runners/cli/bench/bench_pipelines.hpp"
#include "runners/cli/studies.hpp"
#include "runners/data/description.hpp"
#include "runners/data/synthetic/synthetic_sets.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

using synth::Pipeline;
using synth::Precision;

void add_different(std::vector<Pipeline>& pipelines, const Pipeline& pipeline) {
  if (std::ranges::find(pipelines, pipeline) == pipelines.end()) pipelines.push_back(pipeline);
}

/// The pipelines that were named on an input.
PipelinesJob job_of(const data::Input& input, const PipelinesArguments& arguments) {
  PipelinesJob job{.input = input, .data = data::description_of(input), .pipelines = {}};
  for (const std::string& text : arguments.pipelines) {
    add_different(job.pipelines, synth::parse_pipeline(text));
  }
  return job;
}

/// The `top` best pipelines without a prelude: what is timed is pipelines.
void add_best(PipelinesJob& job, const results::Document& document, std::size_t top) {
  const std::uint64_t pipelines = document.space.without_preludes().size();
  for (const std::uint64_t id : document.ranking) {
    if (top == 0) break;
    if (id >= pipelines) continue;
    add_different(job.pipelines, document.space.at(id));
    --top;
  }
}

/// The files or the directories that --data names.
std::vector<std::string> named_data(const PipelinesArguments& arguments, bool directories) {
  std::vector<std::string> chosen;
  std::error_code error;
  for (const std::string& path : arguments.data) {
    if (std::filesystem::is_directory(path, error) == directories) chosen.push_back(path);
  }
  return chosen;
}

/// The data sets of a directory of results.
std::vector<PipelinesJob> searched_jobs(const PipelinesArguments& arguments) {
  results::Runs runs = results::load_runs(arguments.runs);
  const auto precisions = named_precisions(arguments.precision);
  std::optional<std::string_view> name;
  if (!arguments.data_set.empty()) name = arguments.data_set;
  std::optional<Precision> precision;
  if (precisions.size() == 1) precision = precisions.front();
  if (name || precision) runs = runs.select(name, precision);
  const std::vector<std::string> named = named_data(arguments, true);
  const std::vector<std::filesystem::path> folders(named.begin(), named.end());
  std::vector<PipelinesJob> jobs;
  for (const results::Document& document : runs.documents()) {
    jobs.push_back(job_of(data::open_described(document.data, folders), arguments));
    add_best(jobs.back(), document, arguments.top);
  }
  return jobs;
}

[[noreturn]] void throw_unknown(const PipelinesArguments& arguments, const data::Study& study) {
  raise<UsageError>("{} no data set '{}' (--dataset), but {}",
                    arguments.study.empty() ? "the files of --data are" : arguments.study + " has",
                    arguments.data_set, joined(study.items, ", ", &data::StudyItem::name));
}

/// The data sets of files or of a study, with the best pipelines of a directory's documents on
/// them.
std::vector<PipelinesJob> studied_jobs(const PipelinesArguments& arguments) {
  const StudyArguments wanted{named_data(arguments, false), arguments.study, arguments.precision,
                              arguments.type};
  const data::Study study = study_of(wanted, "time");
  std::vector<PipelinesJob> jobs;
  for (const data::StudyItem& item : study.items) {
    if (!arguments.data_set.empty() && item.name != arguments.data_set) continue;
    const data::Input native = item.open();
    for (const Precision precision : study::precisions_of(study.precisions, native)) {
      PipelinesJob job = job_of(native.in(precision), arguments);
      job.dimensionality = study::described_dimensionality(item, native);
      if (!arguments.runs.empty()) {
        const auto path = results::document_path(arguments.runs, job.data.name, precision);
        std::error_code error;
        if (!std::filesystem::exists(path, error)) {
          raise(
              "{} ({}) was not searched in {}: there is no {}; search it with --out {}, name data "
              "that were searched, or omit --runs to time pipelines that you name",
              job.data.name, synth::to_string(precision), arguments.runs, path.filename().string(),
              arguments.runs);
        }
        const results::Document document = results::read_document(path);
        if (document.data.xxh3 != job.data.xxh3) {
          raise("{} is not of this data: its checksum differs; search it, or name other data",
                path.string());
        }
        add_best(job, document, arguments.top);
      }
      jobs.push_back(std::move(job));
    }
  }
  if (jobs.empty()) throw_unknown(arguments, study);
  return jobs;
}

/// If no data are named: all synthetic sets, concatenated.
std::vector<PipelinesJob> synthetic_jobs(const PipelinesArguments& arguments) {
  std::vector<std::byte> bytes;
  for (const data::SyntheticSet& set : data::synthetic_sets()) {
    const data::Input input = data::make_input(set, data::kSyntheticBytes);
    bytes.insert(bytes.end(), input.bytes().begin(), input.bytes().end());
  }
  const data::Input all("made_sets", std::move(bytes));
  auto precisions = named_precisions(arguments.precision);
  if (precisions.empty()) precisions = {Precision::Double};
  std::vector<PipelinesJob> jobs;
  for (const Precision precision : precisions) jobs.push_back(job_of(all.in(precision), arguments));
  return jobs;
}

}  // namespace

std::vector<PipelinesJob> pipelines_jobs(const PipelinesArguments& arguments) {
  if (arguments.top > 0 && arguments.runs.empty()) {
    throw UsageError("--top needs the results of a search: name their directory with --runs");
  }
  if (arguments.pipelines.empty() && arguments.top == 0 && !arguments.baselines) {
    throw UsageError(
        "nothing to time: name pipelines, such as \"LNV6s BIT LNV1s ZE\", or use the best of a "
        "search with --top K --runs DIR");
  }
  const std::vector<std::string> folders = named_data(arguments, true);
  const bool studied = folders.size() < arguments.data.size() || !arguments.study.empty();
  if (!folders.empty() && (studied || arguments.runs.empty())) {
    raise<UsageError>(
        "--data {} is a directory, which must hold the files of a search: give --runs with it and "
        "no other data, or name files",
        folders.front());
  }
  if (studied) return studied_jobs(arguments);
  return arguments.runs.empty() ? synthetic_jobs(arguments) : searched_jobs(arguments);
}

}  // namespace fpsynth::cli
