#pragma once
// What a search found: the result documents that `fpsynth search` writes, and the outcome of
// search_pipelines(). Target fpsynth::fpsynth.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fpsynth/error.hpp>

namespace fpsynth {

/// The data that was searched.
struct DataFacts {
  std::string name;
  std::size_t word_bytes = 8;        ///< 8: doubles; 4: floats
  std::uint64_t bytes = 0;           ///< of the original
  std::uint64_t values = 0;          ///< whole words
  std::uint64_t searched_bytes = 0;  ///< fewer than `bytes` if only a sample was searched
  std::string xxh3;                  ///< XXH3-64 of the original, 16 lower-case hexadecimal digits
  std::string source;                ///< a file, or how the data was made
};

/// How the search ran.
struct RunFacts {
  std::string version, device;
  std::string verification;  ///< "all", "top=K" or "none"
  std::uint64_t sample = 1;  ///< one chunk in this many was searched
  std::uint64_t chunks_total = 0, chunks_done = 0;
  bool complete = false;  ///< false: the search was stopped before its end
  double seconds = 0;
};

struct RankedPipeline {
  std::string pipeline;
  std::uint64_t id = 0;                ///< its place in the space that was searched
  std::uint64_t compressed_bytes = 0;  ///< of the container; of the searched part of the data
  double ratio = 0;                    ///< original / compressed
};

/// The outcome of a search on one data set in one precision. Immutable; copies share what they
/// hold and may be used by several threads at once.
class Results {
 public:
  DataFacts data() const;
  RunFacts run() const;

  /// Number of pipelines in the space.
  std::uint64_t pipelines() const;
  /// "4 stages, 24 components, 2 last, cuts 0 1 2 3 4: 138240 pipelines".
  std::string space() const;

  /// The pipeline with the fewest compressed bytes. Throws Error where no pipeline decodes.
  RankedPipeline best() const;
  /// The first `most` pipelines, best first; equally good ones by id. Pipelines that failed to
  /// decode are not among them.
  std::vector<RankedPipeline> ranking(std::size_t most) const;
  /// What was found of a pipeline, even if it failed to decode; nothing if it is not in the space.
  /// A pipeline shorter than the space's is the one with NUL in front. Throws UsageError for what
  /// is no pipeline.
  std::optional<RankedPipeline> find(std::string_view pipeline) const;
  /// Pipelines that failed verification, by id.
  std::vector<std::string> failed() const;

  /// Writes the result document, as `fpsynth search` does: whole, or not at all. Throws Error.
  void write(const std::filesystem::path& path) const;

 private:
  struct Content;
  friend struct ResultsMaker;  // the library's own
  explicit Results(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

  std::shared_ptr<const Content> content_;
};

/// Reads a result document. Throws Error naming the file and what is wrong with it.
Results read_results(const std::filesystem::path& file);

/// Reads all result documents of a folder, by data set, doubles before floats. Throws Error for a
/// damaged one, for documents of different spaces, and where there is none.
std::vector<Results> read_results_folder(const std::filesystem::path& folder);

}  // namespace fpsynth
