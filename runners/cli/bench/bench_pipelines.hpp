#pragma once
// The parts of `fpsynth bench pipelines`.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "results/documents/data_set.hpp"
#include "runners/cli/arguments.hpp"
#include "runners/cli/query/table_output.hpp"
#include "runners/cli/type_option.hpp"
#include "runners/data/input.hpp"
#include "runners/data/registry/datasets.hpp"
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

}  // namespace fpsynth::cli
