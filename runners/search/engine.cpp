#include "runners/search/engine.hpp"

#include <fmt/core.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <new>
#include <optional>
#include <utility>

#include "runners/codec/cpu/threads.hpp"
#include "runners/device/device.hpp"
#include "runners/device/device_info.hpp"
#include "runners/search/walker.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::search {
namespace {

class CpuEngine : public Engine {
 public:
  CpuEngine(const synth::Plan& plan, std::size_t word_bytes, Mode mode, int threads,
            const components::StageTable& stages, bool merge_equal)
      : plan_(plan),
        word_bytes_(word_bytes),
        mode_(mode),
        stages_(stages),
        walkers_(static_cast<std::size_t>(codec::threads_for(threads, UINT64_MAX))) {
    if (merge_equal && mode == Mode::Count) subtrees_.emplace(plan);
  }

  std::string backend() const override { return "cpu"; }
  std::string device() const override {
    return fmt::format("{}, {}", device::cpu_name(), stages_.name());
  }
  int threads() const override { return static_cast<int>(walkers_.size()); }
  std::size_t at_once() const override { return walkers_.size(); }
  std::size_t first_segment() const override { return 16 * walkers_.size(); }

  void walk(std::span<const std::span<const std::byte>> chunks, std::span<std::uint8_t> finished,
            const WalkCallbacks& callbacks) override {
    std::atomic<std::uint64_t> walked = 0;
    auto reported = Clock::now();  // of thread 0 alone
    with_walkers(chunks.size(), [&](Walker& walker, std::size_t thread, std::size_t i) {
      if (callbacks.stopped()) return;
      walker.walk(chunks[i]);
      finished[i] = 1;
      walked.fetch_add(1, std::memory_order_relaxed);
      if (thread == 0 && seconds_since(reported) > kReportSeconds) {
        callbacks.walked(walked.exchange(0));
        reported = Clock::now();
      }
    });
    callbacks.walked(walked);
  }

  bool measure(std::span<const std::span<const std::byte>> blocks,
               std::span<std::uint32_t> leaf_bytes, const std::function<bool()>& stopped) override {
    assert(mode_ == Mode::Count);
    const std::size_t leaves = plan_.leaves().size();
    std::atomic<std::size_t> measured = 0;
    with_walkers(blocks.size(), [&](Walker& walker, std::size_t, std::size_t i) {
      if (stopped()) return;
      walker.measure(blocks[i], leaf_bytes.subspan(i * leaves, leaves));
      measured.fetch_add(1, std::memory_order_relaxed);
    });
    return measured == blocks.size();
  }

  void add_to(Totals& totals) const override {
    for (const auto& walker : walkers_) {
      if (!walker) continue;
      totals.add(walker->block_bytes(), walker->failed_nodes(), walker->failed_leaves());
      totals.merged_states += walker->merged_states();
    }
  }

 private:
  /// Calls work(walker, thread, i) for every i below `count`, on all threads that have a walker.
  /// Throws Error if memory for one is insufficient; what was done then remains.
  template <class Work>
  void with_walkers(std::size_t count, Work work) {
    const int used = codec::threads_for(threads(), count);
    bool out_of_memory = false;
#pragma omp parallel num_threads(used) reduction(|| : out_of_memory)
    {
      const auto thread = static_cast<std::size_t>(omp_get_thread_num());
      auto& walker = walkers_[thread];
      try {
        // Allocated by the thread that uses it, so that its memory is on that thread's NUMA node.
        if (!walker) {
          walker = std::make_unique<Walker>(plan_, word_bytes_, mode_, stages_,
                                            subtrees_ ? &*subtrees_ : nullptr);
        }
      } catch (const std::bad_alloc&) {  // exceptions must not leave the parallel region
        out_of_memory = true;
      }
#pragma omp for schedule(dynamic, 1)
      for (std::size_t i = 0; i < count; ++i) {
        if (walker) work(*walker, thread, i);
      }
    }
    if (out_of_memory) throw Error("not enough memory for a search; use fewer --threads");
  }

  const synth::Plan& plan_;
  std::size_t word_bytes_;
  Mode mode_;
  const components::StageTable& stages_;
  std::optional<Subtrees> subtrees_;
  std::vector<std::unique_ptr<Walker>> walkers_;  ///< one per thread
};

/// An engine that another one replaces, once, if the first one lacks memory.
class EngineOr : public Engine {
 public:
  EngineOr(std::unique_ptr<Engine> first, std::function<std::unique_ptr<Engine>()> other,
           std::function<void(const std::string& why)> told, const synth::Plan& plan)
      : engine_(std::move(first)),
        other_(std::move(other)),
        told_(std::move(told)),
        earlier_(plan),
        backend_(engine_->backend()),
        device_(engine_->device()),
        threads_(engine_->threads()) {}

  // The names of both, as in a document of a search that was continued elsewhere.
  std::string backend() const override { return backend_; }
  std::string device() const override { return device_; }
  int threads() const override { return threads_; }
  std::size_t at_once() const override { return engine_->at_once(); }
  std::size_t first_segment() const override { return engine_->first_segment(); }

  void walk(std::span<const std::span<const std::byte>> chunks, std::span<std::uint8_t> finished,
            const WalkCallbacks& callbacks) override {
    if (tried([&] { engine_->walk(chunks, finished, callbacks); })) return;
    std::vector<std::span<const std::byte>> left;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      if (finished[i]) continue;
      left.push_back(chunks[i]);
      places.push_back(i);
    }
    std::vector<std::uint8_t> done(left.size());
    engine_->walk(left, done, callbacks);
    for (std::size_t i = 0; i < left.size(); ++i) finished[places[i]] = done[i];
  }
  bool measure(std::span<const std::span<const std::byte>> blocks,
               std::span<std::uint32_t> leaf_bytes, const std::function<bool()>& stopped) override {
    bool measured = false;
    const auto work = [&] { measured = engine_->measure(blocks, leaf_bytes, stopped); };
    if (!tried(work)) work();
    return measured;
  }
  void add_to(Totals& totals) const override {
    totals.add(earlier_);
    engine_->add_to(totals);
  }

 private:
  /// Returns false if the engine lacked memory for the work; the other one is then in its place.
  template <class Work>
  bool tried(Work work) {
    std::string why;
    try {
      work();
      return true;
    } catch (const device::DeviceUnsuitable& error) {
      if (!other_) throw;
      why = error.what();
    }
    told_(why);
    engine_->add_to(earlier_);
    engine_.reset();  // its memory may be what others lack
    engine_ = std::exchange(other_, nullptr)();
    backend_ += "; " + engine_->backend();
    device_ += "; " + engine_->device();
    threads_ = std::max(threads_, engine_->threads());
    return false;
  }

  std::unique_ptr<Engine> engine_;
  std::function<std::unique_ptr<Engine>()> other_;  ///< null after it has been used
  std::function<void(const std::string& why)> told_;
  Totals earlier_;  ///< of the engine that was replaced
  std::string backend_, device_;
  int threads_;
};

}  // namespace

EngineFactory cpu_engine(int threads, const components::StageTable& stages, bool merge_equal) {
  return [=, &stages](const synth::Plan& plan, std::size_t word_bytes, Mode mode) {
    return std::make_unique<CpuEngine>(plan, word_bytes, mode, threads, stages, merge_equal);
  };
}

EngineFactory engine_or(EngineFactory first, EngineFactory second,
                        std::function<void(const std::string& why)> told) {
  return
      [=](const synth::Plan& plan, std::size_t word_bytes, Mode mode) -> std::unique_ptr<Engine> {
        const auto other = [=, &plan] { return second(plan, word_bytes, mode); };
        try {
          return std::make_unique<EngineOr>(first(plan, word_bytes, mode), other, told, plan);
        } catch (const device::DeviceUnsuitable& error) {
          told(error.what());
          return other();
        }
      };
}

}  // namespace fpsynth::search
