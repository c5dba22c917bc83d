#pragma once
// The options of a search, its progress, and the processes that search together.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "components/stage_table.hpp"
#include "results/documents/document.hpp"
#include "runners/search/engine.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::search {

/// The proof that the ranked pipelines of a search decode.
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

/// Ranks of a cluster. Every process does its share of a step and learns the findings of the
/// others. One thread of each process calls, in the same order in all.
class Peers {
 public:
  using Bytes = std::vector<std::uint8_t>;

  virtual ~Peers() = default;

  virtual std::size_t rank() const = 0;   ///< of this process, from 0
  virtual std::size_t count() const = 0;  ///< of processes
  /// Gives this process's bytes of a step and waits for those of all others. Returns all, by rank.
  /// Throws Error if a process does not give them, and PeersStopped.
  virtual std::vector<Bytes> exchange(std::string_view step, Bytes own) = 0;
  /// The same, but rank 0 alone gets the bytes; the others return at once with none.
  virtual std::vector<Bytes> gather(std::string_view step, Bytes own) = 0;
};

/// Another process was asked to end, so that the step stays undone in all.
class PeersStopped : public Error {
 public:
  PeersStopped() : Error("another process was asked to end") {}
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
  /// The race that chose the pipelines of a space that is a list, for the document.
  std::optional<results::Race> race;
  /// A search that only counts walks the subtrees of equal blocks once (on the processor).
  bool merge_equal = true;
  /// The stages that the processor runs; null: components::default_stages().
  const components::StageTable* stages = nullptr;
  /// The processes that search the document together, which all call search() with equal arguments
  /// but `done`, of which that of rank 0 counts. Null: this process alone.
  Peers* peers = nullptr;
  /// Set from outside (a signal handler) to end the search after the chunks in progress, on devices
  /// after the launches in progress.
  const std::atomic<bool>* stop = nullptr;
  /// Called now and then by one thread.
  std::function<void(const Progress&)> progress;
  /// Called between chunks, about every `checkpoint_seconds`, with the state so far.
  std::function<void(const results::Document&)> checkpoint;
  double checkpoint_seconds = 60;

  bool stopped() const { return stop && stop->load(std::memory_order_relaxed); }
  const components::StageTable& stage_table() const {
    return stages ? *stages : components::default_stages();
  }
  std::unique_ptr<Engine> make_engine(const synth::Plan& plan, std::size_t word_bytes,
                                      Mode mode) const {
    return (engine ? engine : cpu_engine(threads, stage_table(), merge_equal))(plan, word_bytes,
                                                                               mode);
  }
  /// The chunks to be searched, of `chunks`.
  results::ChunkRange part_of(std::uint64_t chunks) const;
};

}  // namespace fpsynth::search
