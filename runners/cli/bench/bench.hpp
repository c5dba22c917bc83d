#pragma once
// What the benchmarks share.

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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
};

/// Seconds of each repetition, without the first one, which warms caches and pages.
std::vector<double> times(int repetitions, const std::function<void()>& work);

/// The spread of repetitions in percent; "-" for a single one.
std::string spread_text(const std::vector<double>& seconds);

/// `count` full chunks, spread over the given files, or over the synthetic sets if there are none,
/// from `first_chunk` of each. Throws Error for a file that has not as many.
std::vector<std::vector<std::byte>> chunks_of(const BenchArguments& arguments, std::size_t count);

/// The member "run" of a benchmark's JSON.
nlohmann::ordered_json provenance(const BenchArguments& arguments, std::size_t chunks,
                                  const std::string& device, const std::string& stages);

/// The same for the CPU's stages on one thread.
nlohmann::ordered_json provenance_here(const BenchArguments& arguments);

/// Times every component at every word size on blocks of the chunks, beside a copy of each block,
/// and prints them.
void bench_stages(const BenchArguments& arguments);

/// Times the search on one GPU with all its thread blocks. Throws DeviceError without a GPU.
void bench_search_on_gpu(const BenchArguments& arguments);

void add_bench_preludes(Command bench);
void add_bench_strategies(Command bench);

}  // namespace fpsynth::cli
