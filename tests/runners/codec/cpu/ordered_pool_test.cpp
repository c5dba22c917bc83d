#include "runners/codec/cpu/static_ordered_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

namespace fpsynth::codec {
namespace {

struct Worker {
  std::atomic<bool> busy = false;
};
struct Made {
  std::size_t slice;
  std::byte* room;
};
using Crew = StaticOrderedPool<Worker, Made>;

constexpr std::size_t kSlices = 1000;
constexpr int kThreads = 4;

/// Waits for what other threads do, which may be long on a busy machine, but not for ever.
template <class Condition>
bool comes_true(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

TEST(StaticOrderedPool, AThreadsWorthOfSlicesIsTheLeast) {
  EXPECT_EQ(Crew(8, 0).size(), 1u);
  EXPECT_EQ(Crew(8, 1).size(), 1u);
  EXPECT_EQ(Crew(8, 2 * Crew::kSlicesPerThread - 1).size(), 1u);
  EXPECT_EQ(Crew(8, 2 * Crew::kSlicesPerThread).size(), 2u);
  EXPECT_EQ(Crew(8, kSlices).size(), 8u);
  EXPECT_EQ(Crew(1, kSlices).size(), 1u);
  EXPECT_GE(Crew(0, kSlices).size(), 1u);
}

TEST(StaticOrderedPool, TakesInOrderAndPutsEverySliceOnce) {
  for (const int threads : {1, 2, kThreads, 16}) {
    Crew crew(threads, kSlices);
    ASSERT_TRUE(crew.hire(sizeof(std::size_t)));
    std::size_t next = 0;
    std::vector<std::atomic<int>> puts(kSlices);
    const bool good = crew.run(
        [&](std::size_t slice, Worker& worker, std::byte* room) {
          EXPECT_FALSE(worker.busy.exchange(true)) << "a worker on two threads";
          if (room) std::memcpy(room, &slice, sizeof slice);
          worker.busy = false;
          return Made{slice, room};
        },
        [&](std::size_t slice, Made& made) {
          EXPECT_EQ(slice, next++);
          EXPECT_EQ(slice, made.slice);
          return true;
        },
        [&](const Made& made) {
          std::size_t kept = made.slice;
          if (made.room) std::memcpy(&kept, made.room, sizeof kept);
          EXPECT_EQ(kept, made.slice) << "a room in use was given away";
          ++puts[made.slice];
        });
    EXPECT_TRUE(good);
    EXPECT_EQ(next, kSlices);
    EXPECT_TRUE(std::ranges::all_of(puts, [](const auto& count) { return count == 1; }));
  }
}

TEST(StaticOrderedPool, NothingIsTakenBehindWhatWasRefused) {
  for (const int threads : {1, 2, kThreads}) {
    Crew crew(threads, kSlices);
    ASSERT_TRUE(crew.hire(1));
    std::size_t takes = 0;
    std::atomic<std::size_t> puts = 0;
    const bool good = crew.run(
        [](std::size_t slice, Worker&, std::byte* room) {
          return Made{slice, room};
        },
        [&](std::size_t slice, Made&) {
          ++takes;
          return slice != 100;
        },
        [&](const Made& made) {
          EXPECT_LT(made.slice, 100u);
          ++puts;
        });
    EXPECT_FALSE(good);
    EXPECT_EQ(takes, 101u);
    EXPECT_EQ(puts, 100u);
  }
}

#if defined(_OPENMP)

/// Runs with the first slice's thread held up, as by another program on its processor, until the
/// others have made `ahead` slices. Returns how many they made in all while it was.
std::size_t made_while_one_is_held_up(std::size_t room, std::size_t ahead) {
  Crew crew(2, kSlices);
  EXPECT_TRUE(crew.hire(room));
  std::atomic<std::size_t> others = 0;
  std::size_t seen = 0;
  const bool good = crew.run(
      [&](std::size_t slice, Worker&, std::byte* place) {
        if (slice == 0) {
          EXPECT_TRUE(comes_true([&] { return others >= ahead; })) << others << " slices made";
          // Were there no limit, the other thread would go on meanwhile.
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          seen = others;
        } else {
          ++others;
        }
        return Made{slice, place};
      },
      [](std::size_t, Made&) { return true; }, [](const Made&) {});
  EXPECT_TRUE(good);
  EXPECT_EQ(others, kSlices - 1);
  return seen;
}

TEST(StaticOrderedPool, NoThreadWaitsForOneThatIsHeldUp) {
  EXPECT_EQ(made_while_one_is_held_up(0, kSlices - 1), kSlices - 1);
}

TEST(StaticOrderedPool, RoomsAreTheLimit) {
  const std::size_t rooms = 2 * Crew::kRoomsPerThread;
  EXPECT_EQ(made_while_one_is_held_up(1, rooms - 1), rooms - 1);
}

#endif

}  // namespace
}  // namespace fpsynth::codec
