#pragma once
// Common parts of the benchmarks: chunks, repetitions, provenance, output.

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/cli/arguments.hpp"
#include "runners/cli/query/table_output.hpp"
#include "runners/cli/type_option.hpp"
#include "runners/search/engine.hpp"

namespace fpsynth::cli {

struct BenchArguments {
  std::vector<std::string> files;
  TypeOption type;  ///< what the files hold
  std::string precision = "double", backend = "cpu", device = "0";
  std::size_t chunks = 8;
  std::size_t first_chunk = 0;  ///< of every file
  int repetitions = 3;
  TableOutput output;
  bool layouts = false;       ///< of `bench search`
  std::size_t reference = 0;  ///< of `bench search`: chunks that the CPU walks too; 0: all
  std::optional<unsigned> shared_percent;  ///< of `bench search`: see cuda_engine()
};

/// Seconds of each repetition, without the first one, which warms caches and pages.
std::vector<double> times(int repetitions, const std::function<void()>& work);

/// The spread of repetitions in percent; empty for a single one.
results::Cell spread_percent(const std::vector<double>& seconds);

/// `count` full chunks, spread over the given files, or over the synthetic sets if there are none,
/// from `first_chunk` of each. Throws Error for a file that has not as many.
std::vector<std::vector<std::byte>> chunks_of(const BenchArguments& arguments, std::size_t count);

/// The member "run" of a benchmark's JSON, for the CPU's stages on one thread.
nlohmann::ordered_json provenance(const BenchArguments& arguments);

/// Prints a benchmark: the document of its raw figures for --json, else the table. A row of the
/// document is written when it is added, so that what was measured is there even if the process is
/// killed.
class Benchmark {
 public:
  Benchmark(std::string name, const nlohmann::ordered_json& run, TableOutput output);
  void add(const nlohmann::ordered_json& row);
  void end(const results::Table& table);

 private:
  std::string name_;
  TableOutput output_;
  std::size_t rows_ = 0;
};

/// Times searches by an engine and prints them, beside the pipelines that differ from the CPU's;
/// throws Error if any do. `roofline`: bytes per second of the shared memory.
void bench_engine(const search::EngineFactory& make, const synth::Plan& plan, double roofline,
                  const BenchArguments& arguments);

void add_bench_search(Command bench);

}  // namespace fpsynth::cli
