#pragma once
// The emulated team: the device's execution on the host, so that device logic is tested where there
// is no GPU. Phases are not run when they are met but at the next barrier, lane by lane in shuffled
// order, each lane all phases since the last barrier: a lane that reads what another one writes
// without a barrier between them reads the wrong thing, as it may on a device.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "components/teams/lanes.hpp"

namespace fpsynth::teams {

class EmulatedTeam : public LaneTeam<EmulatedTeam> {
 public:
  /// Lanes of the teams that this thread makes from now on.
  static void use_lanes(std::size_t lanes) { lanes_of_new_teams_ = lanes; }

  EmulatedTeam() : order_(lanes_of_new_teams_) { std::iota(order_.begin(), order_.end(), 0); }
  std::size_t lanes() const { return order_.size(); }

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
  // Not a template parameter: the bodies are compiled once for all numbers of lanes.
  static inline thread_local std::size_t lanes_of_new_teams_ = 1;

  std::vector<std::size_t> order_;
  std::minstd_rand random_;
  std::vector<std::function<void(std::size_t)>> pending_;
  std::vector<std::vector<std::max_align_t>> memory_;
};

}  // namespace fpsynth::teams
