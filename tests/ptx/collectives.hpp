#pragma once
// A kernel that calls every operation of the hardware (components/teams/hardware.hpp) and stores
// the results of every lane.

#include <cstdint>

#include "components/teams/hardware.hpp"

namespace fpsynth::ptx {

struct CollectivesKernel {
  static constexpr std::uint32_t kLanes = 96, kAnswers = 24, kSharedWords = kLanes + 2;
  static constexpr std::size_t kSharedBytes = kSharedWords * sizeof(std::uint32_t);

  /// The target of the atomic operations of all lanes of a launch; 0 at first.
  struct Totals {
    std::uint64_t added_wide, greatest;
    std::uint32_t added, flipped, set, tickets;
  };
  struct Args {
    std::uint64_t* answers;  ///< kAnswers for each lane of the launch
    Totals* totals;
    std::uint64_t* published;  ///< one word for each block, 0 at first
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hw, const Args& args) {
    const std::uint32_t lane = hw.lane(), number = hw.block() * hw.lanes() + lane;
    std::uint64_t* const answers = args.answers + std::uint64_t{number} * kAnswers;
    std::uint32_t count = 0;
    const auto answer = [&](std::uint64_t value) { answers[count++] = value; };
    const std::uint64_t wide = number * 0x9e3779b97f4a7c15;
    const std::uint32_t word = std::uint32_t(wide >> 32), short_lane = lane % hw.warp_lanes();
    answer(hw.lanes()), answer(hw.blocks()), answer(hw.warp_lanes());

    auto* const shared = reinterpret_cast<std::uint32_t*>(hw.shared());
    shared[lane] = word;
    if (lane == 0) shared[kLanes] = shared[kLanes + 1] = 0;
    hw.barrier();
    answer(shared[kLanes - 1 - lane]);
    answer(hw.any(lane == 77)), answer(hw.any(lane > kLanes));
    shared[lane] = word + 1;
    hw.warp_barrier();
    answer(shared[lane ^ 1]);

    answer(hw.ballot(word % 3 == 0));
    answer(hw.reduce(words::Plus{}, word)), answer(hw.reduce(words::Xor{}, word));
    answer(hw.reduce(words::Max{}, word));
    answer(hw.shuffle(std::uint8_t(word), (short_lane + 5) % hw.warp_lanes()));
    answer(hw.shuffle(std::uint16_t(word), 7)), answer(hw.shuffle(wide, 31 - short_lane));
    answer(hw.shuffle_up(word, 4)), answer(hw.shuffle_up(wide, 1));
    answer(hw.shuffle_xor(word, 16)), answer(hw.shuffle_xor(wide, 3));

    hw.atomic_xor(shared + kLanes, word);
    hw.atomic_or(shared + kLanes + 1, 1u << word % 32);
    hw.barrier();
    answer(shared[kLanes]), answer(shared[kLanes + 1]);

    hw.atomic_add(&args.totals->added, word), hw.atomic_add(&args.totals->added_wide, wide);
    hw.atomic_max(&args.totals->greatest, wide);
    hw.atomic_xor(&args.totals->flipped, word), hw.atomic_or(&args.totals->set, word % 64);

    // Every block reads what blocks that began before it published.
    if (lane == 0) shared[0] = hw.atomic_add(&args.totals->tickets, 1u);
    hw.barrier();
    if (lane == 0) {
      const std::uint32_t ticket = shared[0];
      std::uint64_t before = 1;
      while (ticket > 0 && (before = hw.atomic_load(args.published + ticket - 1)) == 0) hw.pause();
      hw.atomic_store(args.published + ticket, 2 * before);
    }
  }
};

}  // namespace fpsynth::ptx
