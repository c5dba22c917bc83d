#pragma once
// The exhaustive search: tries every pipeline of a space on values in memory, on the CPU's cores,
// alone and, if asked to, behind preludes. Target fpsynth::fpsynth.

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <fpsynth/codec.hpp>
#include <fpsynth/error.hpp>
#include <fpsynth/results.hpp>

namespace fpsynth {

/// Which pipelines are tried. The default is the MPC paper's space of 138,240.
struct SearchSpace {
  unsigned stages = 4;  ///< 1 to 8
  /// Of all stages except the last: any of components/README.md's, as "NUL" or "LNV2s". Empty: the
  /// paper's 24.
  std::vector<std::string> components;
  std::vector<std::string> last;  ///< of the last stage, only reducers; empty: ZE, RLE
  /// The numbers of stages after which words become bytes, ascending; empty: every number from 0 to
  /// `stages`.
  std::vector<unsigned> cuts;
  std::size_t chunk_words = 1024;  ///< values of a chunk: 1024, 2048 or 4096
};

struct SearchProgress {
  std::uint64_t chunks_done = 0, chunks_total = 0;  ///< counted again behind each prelude
  double seconds = 0;                               ///< since the search began
  double pipeline_bytes_per_second = 0;             ///< pipelines × input bytes / seconds
};

struct SearchOptions {
  SearchSpace space;
  /// "all": every stage of every pipeline is decoded and compared on every chunk; "top=K": the K
  /// best pipelines compress and decompress the values; "none": only sizes are counted.
  std::string verification = "all";
  /// Preludes in front of the pipelines, which are also tried alone: "" or "none"; "auto",
  /// preludes that the values suggest; or a list, "LAGs:2401, DICT LAGs:2401". All pipelines (of a
  /// space of more than 200,000, shorter ones) are tried behind each candidate on about 64 chunks,
  /// and behind the best few, the finalists, on all chunks. If a finalist, undone, does not give
  /// back the values, all pipelines behind it have failed.
  std::string preludes;
  std::uint64_t prelude_candidates = 32;  ///< of "auto", at most; 1 to 1000
  std::uint64_t prelude_finalists = 4;    ///< at most, beside no prelude; 1 to 100
  int threads = 0;                        ///< 0: as many as OpenMP would use
  std::uint64_t sample = 1;               ///< search every `sample`-th chunk, from the first
  std::string name = "values";            ///< the data set's name in the results
  /// Called about every 0.2 s, by one thread at a time. Must not throw.
  std::function<void(const SearchProgress&)> progress;
  /// A stop request ends the search after the chunks in progress; run().complete is then false.
  std::stop_token stop;
};

/// Searches `values`, at least one, which the caller keeps and must not change meanwhile. Needs
/// memory for the space (some 20 MB for the paper's), but without preludes not for the values; with
/// them, for the values once more for each finalist and once more while one is made or undone, and
/// of finalists of more than 1 GiB in all, only one is held at a time. Several searches may run at
/// once, each on its own threads. Throws UsageError for an unknown component, verification or
/// prelude, a name with which no document can be written ("../x"), for a prelude that does not suit
/// the values' type, and as compress() does for type and shape; Error for other faults of the space
/// (a cut after the last stage, another `chunk_words`, more pipelines than a search can hold), if
/// there are no values, or if memory is insufficient.
Results search_pipelines(const Values& values, const SearchOptions& options = {});

struct BestMethod {
  std::string method;                  ///< as compress() takes it, with
  std::size_t chunk_words = 0;         ///< CompressOptions::chunk_words
  std::uint64_t compressed_bytes = 0;  ///< of the container, without what keeps type and shape
};

/// Searches, on samples of the values and behind the preludes that suit them, for the method that
/// makes the smallest container of all of them, which is decoded and compared. Memory: up to three
/// times the values. Several searches may run at once. Throws UsageError for an unknown effort, and
/// as compress() does for type and shape; Error for another length of chunks and if there are no
/// values.
BestMethod best_method(const Values& values, const CompressOptions& options = {});

}  // namespace fpsynth
