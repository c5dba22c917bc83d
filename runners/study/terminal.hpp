#pragma once
// A study on the terminal: its progress, a row or a JSON object for each document, and the place of
// the results.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/documents/document.hpp"
#include "runners/cluster/shards.hpp"
#include "runners/data/input.hpp"
#include "synth/common/clock.hpp"

namespace fpsynth::study {

/// A shard, its share of a document's chunks, and how many all are.
struct ShardShare {
  cluster::Shard shard;
  results::ChunkRange chunks;
  std::uint64_t all = 0;
  std::uint64_t size() const { return chunks.size(); }
};

/// The columns of the terminal that a descriptor is; COLUMNS if it does not say, else 80.
std::size_t columns_of(int descriptor);

/// A progress line on standard error. On a terminal the next one overwrites it, and the destructor
/// erases it; elsewhere, as in the log of a batch job, there is a line every `log_seconds`.
class ProgressLine {
 public:
  explicit ProgressLine(double log_seconds = 60);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// An empty text erases the line.
  void show(const std::string& text) const;

 private:
  bool terminal_;
  double log_seconds_;
  mutable Clock::time_point logged_ = Clock::now();
};

/// A progress text that fits in a row of so many columns. Its parts stand two spaces apart, the
/// label first and the time left last: those before the last are left out, but for one, then the
/// label is cut.
std::string fitted(std::string text, std::size_t columns);

/// "1:05" or "2:01:05" for so many seconds.
std::string duration(double seconds);

/// Prints a document's best pipeline, and how it was searched; or, if it was there `already`, that
/// it was. `width`: columns for the data set's name; `share`: of a shard, what it was to search.
void print_result(const results::Document& document, bool already, bool json, std::size_t width,
                  const std::optional<ShardShare>& share = std::nullopt);
/// Says where the results are, unless `json`. Throws Error, which says where they are listed, if
/// checks failed.
void print_end(const std::filesystem::path& directory, std::uint64_t failures, bool json,
               const std::optional<cluster::Shard>& shard = std::nullopt);

/// The program as it was called, as a word of a shell.
std::string program_word();

/// The promise of preludes for a document: how many times smaller than the best that was found they
/// are expected to make its data, and a text that says so. 0 times if they promise nothing.
struct Promise {
  double times = 0;
  std::string text;  ///< "in double about 178 times smaller, in place of 1.46, with LAGs:3"
};
/// A promise that is worth saying is of more.
inline constexpr double kWorthSaying = 1.1;

/// The promise of the structure of at most 64 MiB of the data. `shape`: known extents of the
/// values.
Promise promise_of(const results::Document& document, const data::Input& input,
                   const std::vector<std::uint64_t>& shape);

}  // namespace fpsynth::study
