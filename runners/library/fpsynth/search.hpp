#pragma once
// The exhaustive search: tries every pipeline of a space on values in memory, on the CPU's cores.
// Target fpsynth::fpsynth.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <fpsynth/error.hpp>
#include <fpsynth/results.hpp>

namespace fpsynth {

/// Which pipelines are tried. The default is the MPC paper's space of 138,240.
struct SearchSpace {
  unsigned stages = 4;                  ///< 1 to 8
  std::vector<std::string> components;  ///< of all stages except the last; empty: the paper's 24
  std::vector<std::string> last;        ///< of the last stage, ZE and RLE; empty: both
  /// The numbers of stages after which words become bytes, ascending; empty: every number from 0 to
  /// `stages`.
  std::vector<unsigned> cuts;
};

struct SearchProgress {
  std::uint64_t chunks_done = 0, chunks_total = 0;
  double seconds = 0;                    ///< since the search began
  double pipeline_bytes_per_second = 0;  ///< pipelines × input bytes / seconds
};

struct SearchOptions {
  SearchSpace space;
  /// "all": every stage of every pipeline is decoded and compared on every chunk; "top=K": the K
  /// best pipelines compress and decompress the values; "none": only sizes are counted.
  std::string verification = "all";
  int threads = 0;              ///< 0: as many as OpenMP would use
  std::uint64_t sample = 1;     ///< search every `sample`-th chunk of 1024 values, from the first
  std::string name = "values";  ///< the data set's name in the results
  /// Called about every 0.2 s, by one thread at a time. Must not throw.
  std::function<void(const SearchProgress&)> progress;
  /// A stop request ends the search after the chunks in progress; run().complete is then false.
  std::stop_token stop;
};

/// Searches `values`, at least one, which the caller keeps and must not change meanwhile. Needs
/// memory for the space (some 20 MB for the paper's), but not for the values. Several searches may
/// run at once, each on its own threads. Throws UsageError for an unknown component or
/// verification, and Error for other faults of the space (a cut after the last stage, more
/// pipelines than a search can hold) or if there are no values.
Results search_pipelines(std::span<const double> values, const SearchOptions& options = {});
Results search_pipelines(std::span<const float> values, const SearchOptions& options = {});

}  // namespace fpsynth
