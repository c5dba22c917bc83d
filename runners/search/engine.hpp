#pragma once
// Engines, which walk chunks through a plan on the CPU's cores or on GPUs: their modes, their sums,
// and their callbacks to the search.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "components/stage_table.hpp"
#include "synth/plan.hpp"

namespace fpsynth::search {

enum class Mode {
  Count,   ///< the last stages' output is measured, not written
  Verify,  ///< every edge is run, decoded and compared with its input, bit for bit
};

/// The sums of walks over chunks.
struct Totals {
  std::vector<std::uint64_t> block_bytes;    ///< by leaf of the plan: the bytes of its blocks
  std::vector<std::uint32_t> failed_nodes;   ///< by node: on how many chunks it failed to decode
  std::vector<std::uint32_t> failed_leaves;  ///< by leaf; both are 0 in mode Count
  std::uint64_t merged_states = 0;           ///< see Walker::merged_states()

  explicit Totals(const synth::Plan& plan)
      : block_bytes(plan.leaves().size()),
        failed_nodes(plan.nodes().size()),
        failed_leaves(plan.leaves().size()) {}
  /// The counts of failures may be empty, in mode Count.
  void add(std::span<const std::uint64_t> bytes, std::span<const std::uint32_t> nodes,
           std::span<const std::uint32_t> leaves) {
    const auto add_each = [](auto& to, auto from) {
      for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
    };
    add_each(block_bytes, bytes);
    add_each(failed_nodes, nodes);
    add_each(failed_leaves, leaves);
  }
  void add(const Totals& other) {
    add(other.block_bytes, other.failed_nodes, other.failed_leaves);
    merged_states += other.merged_states;
  }
};

/// Progress is told this often.
inline constexpr double kReportSeconds = 0.2;

/// Callbacks from an engine to the search.
struct WalkCallbacks {
  /// Called between chunks, or between launches on a device: true ends the walk after those in
  /// progress. A chunk that is then only partly walked is not finished.
  std::function<bool()> stopped;
  /// Called from time to time, by one thread at a time, with the number of chunks walked since the
  /// last call.
  std::function<void(std::uint64_t chunks)> walked;
};

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
