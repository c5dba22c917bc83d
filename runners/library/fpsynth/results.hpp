#pragma once
// The results of a search: the result documents that `fpsynth search` writes, and what
// search_pipelines() returns. Target fpsynth::fpsynth.

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

/// The data that were searched.
struct DataFacts {
  std::string name;
  std::size_t word_bytes = 8;        ///< 8: doubles; 4: floats
  std::uint64_t bytes = 0;           ///< size of the original
  std::uint64_t values = 0;          ///< whole words
  std::uint64_t searched_bytes = 0;  ///< less than `bytes` if only a sample was searched
  std::string xxh3;                  ///< XXH3-64 of the original, 16 lower-case hexadecimal digits
  std::string source;                ///< a file, or how the data were generated
};

/// The circumstances of a search.
struct RunFacts {
  std::string version, device;
  std::string verification;  ///< "all", "top=K" or "none"
  std::uint64_t sample = 1;  ///< one chunk in this many was searched
  std::uint64_t chunks_total = 0, chunks_done = 0;
  bool complete = false;  ///< false: the search was stopped before its end
  double seconds = 0;
};

struct RankedPipeline {
  std::string pipeline;                ///< behind a prelude, "PRELUDE / PIPELINE"
  std::uint64_t id = 0;                ///< its number in the space that was searched
  std::uint64_t compressed_bytes = 0;  ///< of the container of the searched data
  double ratio = 0;                    ///< original / compressed
  std::string prelude;                 ///< the one that `pipeline` stands behind; empty: none
};

/// The results of a search on one data set in one precision. Immutable; copies share their
/// contents, and several threads may use them at once.
class Results {
 public:
  DataFacts data() const;
  RunFacts run() const;

  /// Number of pipelines in the space, counted again behind each prelude; of a race, of those that
  /// it left.
  std::uint64_t pipelines() const;
  /// "4 stages, 24 components, 2 last, cuts 0 1 2 3 4: 138240 pipelines".
  std::string space() const;

  /// The pipeline with the fewest compressed bytes. Throws Error if no pipeline decodes.
  RankedPipeline best() const;
  /// The best `most` pipelines, best first; equally good ones are ordered by id. Excludes pipelines
  /// that failed to decode.
  std::vector<RankedPipeline> ranking(std::size_t most) const;
  /// The results of a pipeline, even if it failed to decode; nullopt if it is not in the space. A
  /// pipeline shorter than the space's stands for the one with NUL before it. Throws UsageError if
  /// `pipeline` is neither a pipeline nor one behind a prelude.
  std::optional<RankedPipeline> find(std::string_view pipeline) const;
  /// Pipelines that failed verification, ordered by id.
  std::vector<std::string> failed() const;

  /// Writes the result document, as `fpsynth search` does: completely, or not at all. Throws Error.
  void write(const std::filesystem::path& path) const;

 private:
  struct Content;
  friend struct ResultsMaker;  // internal to the library
  explicit Results(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

  std::shared_ptr<const Content> content_;
};

/// Reads a result document. Throws Error naming the file and what is wrong with it.
Results read_results(const std::filesystem::path& file);

/// Reads all result documents of a folder, ordered by data set, doubles before floats. Throws Error
/// if one is damaged, if they are of different spaces, or if the folder has none.
std::vector<Results> read_results_folder(const std::filesystem::path& folder);

}  // namespace fpsynth
