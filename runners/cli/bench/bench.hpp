#pragma once
// Common parts of the benchmarks: chunks, repetitions, provenance, output.

#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/cli/arguments.hpp"
#include "runners/cli/type_option.hpp"

namespace fpsynth::cli {

struct BenchArguments {
  std::vector<std::string> files;
  TypeOption type;  ///< what the files hold
  std::string precision = "double", backend = "cpu", device = "0";
  std::size_t chunks = 8;
  std::size_t first_chunk = 0;  ///< of every file
  int repetitions = 3;
  bool json = false;
  bool layouts = false;  ///< of `bench search`
};

/// Seconds of each repetition, without the first one, which warms caches and pages.
std::vector<double> times(int repetitions, const std::function<void()>& work);

/// The spread of repetitions in percent; empty for a single one.
results::Cell spread_percent(const std::vector<double>& seconds);

/// `count` full chunks, spread over the given files, or over the synthetic sets if there are none,
/// from `first_chunk` of each. Throws Error for a file that has not as many.
std::vector<std::vector<std::byte>> chunks_of(const BenchArguments& arguments, std::size_t count);

/// The member "run" of a benchmark's JSON.
nlohmann::ordered_json provenance(const BenchArguments& arguments, std::size_t chunks,
                                  const std::string& device, const std::string& stages);

/// The same for the CPU's stages on one thread.
nlohmann::ordered_json provenance_here(const BenchArguments& arguments);

/// Prints a benchmark: the document of its raw figures with `json`, else the table.
void put_benchmark(const std::string& name, const nlohmann::ordered_json& run,
                   const nlohmann::ordered_json& rows, const results::Table& table, bool json);

/// Adds --repetitions and --json.
void add_repetitions(Command command, int& repetitions, bool& json);
/// Adds the arguments of benchmarks on chunks.
void add_common(Command command, const std::shared_ptr<BenchArguments>& arguments,
                void (*run)(const BenchArguments&));

/// `bench search --layouts`.
void bench_layouts(const BenchArguments& arguments);

void add_bench_search(Command bench);
void add_bench_stages(Command bench);
void add_bench_preludes(Command bench);
void add_bench_strategies(Command bench);

}  // namespace fpsynth::cli
