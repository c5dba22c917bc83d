#pragma once
// The exhaustive search of one data set in one precision: chunks in parallel, each walked through
// the plan by a thread of the processor or a thread block of a GPU.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "components/stage_table.hpp"
#include "results/documents/document.hpp"
#include "runners/data/input.hpp"
#include "runners/search/engine.hpp"
#include "synth/plan.hpp"

namespace fpsynth::search {

/// How a search proves that what it ranks decodes.
struct Verification {
  enum class Kind {
    All,   ///< every stage on every block is decoded and compared
    Top,   ///< the codec compresses and decompresses the data with the `top` best pipelines
    None,  ///< nothing is proved
  };
  Kind kind = Kind::All;
  std::uint64_t top = 0;

  /// "all", "none" or "top=K". Throws UsageError.
  static Verification parse(std::string_view text);
  std::string text() const;
};

struct Progress {
  std::uint64_t chunks_done = 0, chunks_total = 0;
  double seconds = 0;                    ///< since this search began
  double pipeline_bytes_per_second = 0;  ///< over those seconds
};

struct SearchOptions {
  /// The engine that walks; null: the processor's, with `threads` and `stages`.
  EngineFactory engine;
  int threads = 0;  ///< 0: as many as OpenMP has
  Verification verification;
  std::uint64_t sample = 1;  ///< search every `sample`-th chunk, from the first
  /// The stages that the processor runs; null: components::default_stages().
  const components::StageTable* stages = nullptr;
  /// Set from outside (a signal handler) to end the search after the chunks under way.
  const std::atomic<bool>* stop = nullptr;
  /// Called now and then by one thread.
  std::function<void(const Progress&)> progress;
  /// Called about once a minute, between chunks, with the state so far.
  std::function<void(const results::Document&)> checkpoint;
};

/// Searches what `done`, the state of an earlier search of the same data, has left to do, and
/// returns the whole: complete, or not if `stop` was set. `input` is already in the precision that
/// is to be searched. Throws Error where `done` is of other data or options, or there is not one
/// word; device::DeviceError where a device fails, after a last checkpoint with what was done.
results::Document search(const data::Input& input, const synth::Plan& plan,
                         const SearchOptions& options, const results::Document* done = nullptr);

/// The chunks that a search with `sample` looks at, back to back, with the tail: the file whose
/// size the search predicts.
std::vector<std::byte> sampled(const data::Input& input, std::uint64_t sample);

}  // namespace fpsynth::search
