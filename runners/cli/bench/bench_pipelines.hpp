#pragma once
// The parts of `fpsynth bench pipelines`.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "results/queries/table.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/cli/arguments.hpp"
#include "runners/cli/query/table_output.hpp"
#include "runners/cli/type_option.hpp"
#include "runners/data/dimensionality.hpp"
#include "runners/data/input.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::cli {

/// Adds `pipelines` to the command `bench`.
void add_bench_pipelines(Command bench);

struct PipelinesArguments {
  std::vector<std::string> pipelines;
  std::vector<std::string> data;  ///< files, and directories that hold the files of a search
  std::string study, precision, data_set, runs, backend = "cpu";
  TypeOption type;          ///< what the files hold
  std::uint64_t bytes = 0;  ///< of the timed input; 0: several times the cache
  std::size_t top = 0;
  int repetitions = 3, threads = 0;
  bool baselines = false, no_generated = false, force = false;
  TableOutput output;
};

/// The work on one data set in one precision.
struct PipelinesJob {
  data::Input input;
  results::DataSet data;
  std::vector<synth::Pipeline> pipelines;  ///< without duplicates
  data::Dimensionality dimensionality = {};
};

/// Throws Error and UsageError for what cannot be timed.
std::vector<PipelinesJob> pipelines_jobs(const PipelinesArguments& arguments);

/// A table for each document, all with the same columns for CSV, where they become one.
std::vector<results::Table> to_tables(const std::vector<results::ThroughputDocument>& documents,
                                      bool csv);

/// Throws Error if a study's directory has a document of the data set that measurements of `run` on
/// `data` would replace. The message says what differs.
void refuse_to_replace(const std::filesystem::path& directory, const results::DataSet& data,
                       const results::ThroughputRun& run);

/// Writes a document into a study's directory. If one from the same device, program and
/// input exists, its rows are kept; any other document is replaced.
void put_beside_search(const std::filesystem::path& directory,
                       results::ThroughputDocument& document);

}  // namespace fpsynth::cli
