#pragma once
// The emulated team: the device's execution on the host, so that device logic is tested where there
// is no GPU. Phases are not run when they are met but at the next barrier, lane by lane in shuffled
// order, each lane all phases since the last barrier: a lane that reads what another one writes
// without a barrier between them reads the wrong thing, as it may on a device.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "components/teams/lanes.hpp"

namespace fpsynth::teams {

template <std::size_t Lanes>
class EmulatedTeam : public LaneTeam<EmulatedTeam<Lanes>> {
 public:
  static constexpr std::size_t kLanes = Lanes;

  EmulatedTeam() : order_(Lanes) {
    for (std::size_t lane = 0; lane < Lanes; ++lane) order_[lane] = lane;
  }

  /// f(lane) on every lane, up to the next barrier concurrently with other phases.
  template <class F>
  void phase(F f) {
    pending_.push_back(std::move(f));
  }
  void barrier() {
    std::ranges::shuffle(order_, random_);
    for (const std::size_t lane : order_) {
      for (const auto& phase : pending_) phase(lane);
    }
    pending_.clear();
  }
  /// Memory of one value per item that is shared by the lanes until the team goes.
  template <class T>
  T* shared(std::size_t items) {
    memory_.emplace_back(items * sizeof(T) / sizeof(std::max_align_t) + 1);
    return reinterpret_cast<T*>(memory_.back().data());
  }
  void atomic_xor(std::uint64_t* word, std::uint64_t bits) { *word ^= bits; }
  void atomic_or(std::uint64_t* word, std::uint64_t bits) { *word |= bits; }

 private:
  std::vector<std::size_t> order_;
  std::minstd_rand random_;
  std::vector<std::function<void(std::size_t)>> pending_;
  std::vector<std::vector<std::max_align_t>> memory_;
};

}  // namespace fpsynth::teams
