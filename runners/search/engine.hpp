#pragma once
// An engine walks chunks through a plan, on the CPU's cores or on GPUs.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "components/stage_table.hpp"
#include "runners/search/totals.hpp"
#include "synth/plan.hpp"

namespace fpsynth::search {

class Engine {
 public:
  virtual ~Engine() = default;

  /// "cpu" or "cuda", and the names of the devices.
  virtual std::string backend() const = 0;
  virtual std::string device() const = 0;
  /// Number of the host's threads that walk.
  virtual int threads() const = 0;
  /// Number of chunks that keep it busy: a walk of fewer takes as long per chunk or longer.
  virtual std::size_t at_once() const = 0;
  /// Number of chunks for the first walk: enough to keep it busy for a moment.
  virtual std::size_t first_segment() const = 0;

  /// Walks `chunks`, each of 1..plan.input_words() whole words. finished[i] becomes 1
  /// if chunk i is in the totals. Called by one thread at a time. Throws Error if memory is
  /// insufficient, and device::DeviceError if a device fails; chunks marked as finished are then
  /// still counted.
  virtual void walk(std::span<const std::span<const std::byte>> chunks,
                    std::span<std::uint8_t> finished, const WalkCallbacks& callbacks) = 0;

  /// Measures every leaf on every block by itself: leaf_bytes[i * leaves + leaf] becomes the length
  /// in bytes of the leaf's output on blocks[i], where leaves are those of the plan. The blocks are
  /// chunks or outputs of earlier stages: each of 1..plan.input_words() whole words of the engine's
  /// word size, which may be 1 if all edges of the plan are on bytes. For engines of mode Count;
  /// does not change what add_to() adds. Called by one thread at a time. `stopped` is called as
  /// that of walk(); returns false if it ended the work before all were measured, and leaf_bytes
  /// are then unspecified. Throws as walk() does.
  virtual bool measure(std::span<const std::span<const std::byte>> blocks,
                       std::span<std::uint32_t> leaf_bytes,
                       const std::function<bool()>& stopped) = 0;
  virtual void add_to(Totals& totals) const = 0;
};

/// Creates the engine of a search. The plan must outlive it.
using EngineFactory = std::function<std::unique_ptr<Engine>(const synth::Plan& plan,
                                                            std::size_t word_bytes, Mode mode)>;

/// The engine on the CPU, with `threads` OpenMP threads (0: as many as OpenMP has), but at most
/// codec::most_threads(). A walk of fewer chunks uses as many threads as there are chunks. In mode
/// Count, equal states are merged if `merge_equal` (EqualStates).
EngineFactory cpu_engine(int threads, const components::StageTable& stages, bool merge_equal);

/// The engine `first`. If its device does not suit a search of a plan, or its memory is exhausted
/// during a walk, `second` does what is left; `told` is then called with the reason.
EngineFactory engine_or(EngineFactory first, EngineFactory second,
                        std::function<void(const std::string& why)> told);

}  // namespace fpsynth::search
