#pragma once
// A search on devices: every free one gets the next batch of chunks, which is copied while the
// batch before is walked.

#include <algorithm>
#include <cassert>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runners/device/device_concept.hpp"
#include "runners/search/engine.hpp"
#include "runners/search/gpu/batches.hpp"
#include "runners/search/gpu/device_walker.hpp"

namespace fpsynth::search {

/// The engine on several devices, which share the chunks. Each has its own host thread.
template <device::Device Device>
class DeviceEngine : public Engine {
 public:
  DeviceEngine(std::vector<Device> devices, const synth::Plan& plan, std::size_t word_bytes,
               Mode mode, std::optional<std::size_t> layout = {})
      : mode_(mode) {
    for (Device& device : devices) {
      walkers_.push_back(std::make_unique<DeviceWalker<Device>>(std::move(device), plan, word_bytes,
                                                                mode, layout));
    }
  }

  std::string backend() const override { return "cuda"; }
  std::string device() const override {
    std::string names;
    for (std::size_t i = 0; i < walkers_.size();) {
      const std::string name = walkers_[i]->name();
      std::size_t same = 0;
      while (i < walkers_.size() && walkers_[i]->name() == name) ++i, ++same;
      names += (names.empty() ? "" : ", ") + (same > 1 ? std::to_string(same) + " x " : "") + name;
    }
    return names;
  }
  int threads() const override { return static_cast<int>(walkers_.size()); }
  std::size_t at_once() const override {
    std::size_t chunks = 0;
    for (const auto& walker : walkers_) chunks += walker->at_once();
    return chunks;
  }
  std::size_t first_segment() const override {
    std::size_t chunks = 0;
    for (const auto& walker : walkers_) chunks += 2 * walker->batch_chunks();
    return chunks;
  }

  void walk(std::span<const std::span<const std::byte>> chunks, std::span<std::uint8_t> finished,
            const WalkCallbacks& callbacks) override {
    Batches batches(chunks, finished, callbacks, walkers_.size());
    on_all_walkers(batches, nullptr);
  }
  bool measure(std::span<const std::span<const std::byte>> blocks,
               std::span<std::uint32_t> leaf_bytes, const std::function<bool()>& stopped) override {
    assert(mode_ == Mode::Count);
    std::vector<std::uint8_t> finished(blocks.size());
    const WalkCallbacks callbacks{stopped, [](std::uint64_t) {}};
    Batches batches(blocks, finished, callbacks, walkers_.size());
    on_all_walkers(batches, leaf_bytes.data());
    return std::ranges::find(finished, 0) == finished.end();
  }
  void add_to(Totals& totals) const override {
    for (const auto& walker : walkers_) totals.add(walker->totals());
  }

 private:
  /// Each device walks batches, in a thread of its own, until none is left. Throws the error of one
  /// that failed.
  void on_all_walkers(Batches& batches, std::uint32_t* leaf_bytes) {
    std::vector<std::exception_ptr> errors(walkers_.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < walkers_.size(); ++i) {
        threads.emplace_back([&, i] {
          try {
            walkers_[i]->walk(batches, leaf_bytes);
          } catch (...) {
            errors[i] = std::current_exception();
            batches.end();
          }
        });
      }
    }
    for (const std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(error);
    }
  }

  Mode mode_;
  std::vector<std::unique_ptr<DeviceWalker<Device>>> walkers_;
};

}  // namespace fpsynth::search
