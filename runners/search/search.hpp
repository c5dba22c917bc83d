#pragma once
// The exhaustive search of one data set in one precision. Chunks are processed in parallel: a
// thread of the CPU walks each through the plan, thread blocks of a GPU take parts of the plan on
// chunks.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "components/stage_table.hpp"
#include "results/documents/document.hpp"
#include "runners/data/input.hpp"
#include "runners/search/engine.hpp"
#include "synth/plan.hpp"

namespace fpsynth::search {

/// How a search proves that the ranked pipelines decode.
struct Verification {
  enum class Kind {
    All,   ///< every stage on every block is decoded and compared
    Top,   ///< the codec compresses and decompresses the data with the `top` best pipelines
    None,  ///< no verification
  };
  Kind kind = Kind::All;
  std::uint64_t top = 0;

  /// "all", "none" or "top=K". Throws UsageError.
  static Verification parse(std::string_view text);
  std::string text() const;
};

struct Progress {
  std::uint64_t chunks_done = 0, chunks_total = 0;  ///< of the part, if only that is searched
  double seconds = 0;                               ///< since this search began
  double pipeline_bytes_per_second = 0;             ///< over those seconds
};

struct SearchOptions {
  /// Creates the engine that walks; null: the CPU's, with `threads` and `stages`.
  EngineFactory engine;
  int threads = 0;  ///< 0: as many as OpenMP has
  Verification verification;
  std::uint64_t sample = 1;  ///< search every `sample`-th chunk, from the first
  /// Search only these of the chunks that the sample has; all if not given.
  std::optional<results::ChunkRange> part;
  /// How the pipelines of a space that is a list were chosen, for the document.
  std::optional<results::Race> race;
  /// Whether a search that only counts walks the subtrees of equal blocks once (on the processor).
  bool merge_equal = true;
  /// The stages that the processor runs; null: components::default_stages().
  const components::StageTable* stages = nullptr;
  /// Set from outside (a signal handler) to end the search after the chunks in progress, on devices
  /// after the launches in progress.
  const std::atomic<bool>* stop = nullptr;
  /// Called now and then by one thread.
  std::function<void(const Progress&)> progress;
  /// Called between chunks, about every `checkpoint_seconds`, with the state so far.
  std::function<void(const results::Document&)> checkpoint;
  double checkpoint_seconds = 60;
};

/// Searches the chunks that `done`, the state of an earlier search of the same data, lacks, and
/// returns the results of both: complete, or incomplete if `stop` was set or only a part was to be
/// searched. `input` is already in
/// the precision to be searched. Throws Error if `done` is of other data or options, or if the
/// input has no whole word; device::DeviceError if a device fails, after a last checkpoint with the
/// results so far.
results::Document search(const data::Input& input, const synth::Plan& plan,
                         const SearchOptions& options, const results::Document* done = nullptr);

/// The document of a search that has searched nothing yet, without how and on what it runs.
results::Document empty_document(results::DataSet data, const synth::Space& space,
                                 const SearchOptions& options);

/// Chunk number `index` of those that a search with `sample` searches.
std::span<const std::byte> chunk_of(const data::View& view, std::size_t chunk_words,
                                    std::size_t word_bytes, std::uint64_t sample,
                                    std::uint64_t index);

/// The chunks that a search with `sample` searches, concatenated, and the tail: the file whose
/// compressed size the search predicts.
std::vector<std::byte> sampled(const data::Input& input, std::uint64_t sample,
                               std::size_t chunk_words = synth::kChunkWords);

}  // namespace fpsynth::search
