#include "runners/codec/cpu/ordered_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace fpsynth::codec {
namespace {

constexpr std::size_t kItems = 1000;
constexpr int kThreads = 4;

/// Waits until other threads make a condition true, for up to a minute because a machine may be
/// busy.
template <class Condition>
bool comes_true(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

TEST(ThreadsFor, NoThreadWithoutItsWork) {
  EXPECT_EQ(threads_for(8, 0, 16), 1);
  EXPECT_EQ(threads_for(8, 1, 16), 1);
  EXPECT_EQ(threads_for(8, 31, 16), 1);
  EXPECT_EQ(threads_for(8, 32, 16), 2);
  EXPECT_EQ(threads_for(8, kItems, 16), 8);
  EXPECT_EQ(threads_for(8, 3), 3);
  EXPECT_EQ(threads_for(1, kItems), 1);
  EXPECT_GE(threads_for(0, kItems), 1);
}

TEST(ThreadsFor, NoMoreThanTheMachineIsWorth) {
  EXPECT_GE(most_threads(), 4 * processors());
  EXPECT_EQ(threads_for(1 << 20, UINT64_MAX), most_threads());
  EXPECT_EQ(threads_for(most_threads(), UINT64_MAX), most_threads());
  EXPECT_LE(default_threads(), most_threads());
}

TEST(OrderedPool, OneThreadNeedsOneBuffer) {
  EXPECT_EQ(OrderedPool(1, kItems, 8).buffers(), 1u);
  EXPECT_EQ(OrderedPool(2, kItems, 8).buffers(), 8u);
  EXPECT_EQ(OrderedPool(2, 3, 8).buffers(), 3u);
  EXPECT_EQ(OrderedPool(2, 0, 8).buffers(), 1u);
}

TEST(OrderedPool, ConsumesInOrderAndFinishesEveryItemOnce) {
  for (const int threads : {1, 2, kThreads, 16}) {
    for (const std::size_t buffers : {std::size_t{3}, std::size_t{64}, kItems}) {
      OrderedPool pool(threads, kItems, buffers);
      ASSERT_TRUE(pool.allocate());
      std::vector<std::uint64_t> memory(pool.buffers());
      std::vector<std::atomic<bool>> busy(pool.threads());
      std::size_t next = 0;
      std::vector<std::atomic<int>> finished(kItems);
      const bool good = pool.run(
          [&](std::uint64_t item, std::size_t buffer, std::size_t thread) {
            EXPECT_FALSE(busy[thread].exchange(true)) << "a thread's number on two threads";
            memory[buffer] = item;
            busy[thread] = false;
          },
          [&](std::uint64_t item, std::size_t buffer) {
            EXPECT_EQ(item, next++);
            EXPECT_EQ(memory[buffer], item);
            return true;
          },
          [&](std::uint64_t item, std::size_t buffer) {
            EXPECT_EQ(memory[buffer], item) << "a buffer in use was given away";
            ++finished[item];
          });
      EXPECT_TRUE(good);
      EXPECT_EQ(next, kItems);
      EXPECT_TRUE(std::ranges::all_of(finished, [](const auto& count) { return count == 1; }));
    }
  }
}

TEST(OrderedPool, ConsumesNothingAfterARefusedItem) {
  for (const int threads : {1, 2, kThreads}) {
    OrderedPool pool(threads, kItems, 64);
    ASSERT_TRUE(pool.allocate());
    std::size_t consumed = 0;
    std::atomic<std::size_t> finished = 0;
    const bool good = pool.run([](std::uint64_t, std::size_t, std::size_t) {},
                               [&](std::uint64_t item, std::size_t) {
                                 ++consumed;
                                 return item != 100;
                               },
                               [&](std::uint64_t item, std::size_t) {
                                 EXPECT_LT(item, 100u);
                                 ++finished;
                               });
    EXPECT_FALSE(good);
    EXPECT_EQ(consumed, 101u);
    EXPECT_EQ(finished, 100u);
  }
}

#if defined(_OPENMP)

/// Runs with the first item's thread delayed, as if another program had its processor, until the
/// other thread has produced `ahead` items. Returns how many it produced until the delay ended.
std::size_t produced_during_a_delay(std::size_t buffers, std::size_t ahead) {
  OrderedPool pool(2, kItems, buffers);
  EXPECT_TRUE(pool.allocate());
  std::atomic<std::size_t> others = 0;
  std::size_t seen = 0;
  const bool good = pool.run(
      [&](std::uint64_t item, std::size_t, std::size_t) {
        if (item == 0) {
          EXPECT_TRUE(comes_true([&] { return others >= ahead; })) << others << " items produced";
          // Without a limit, the other thread would continue now.
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          seen = others;
        } else {
          ++others;
        }
      },
      [](std::uint64_t, std::size_t) { return true; }, [](std::uint64_t, std::size_t) {});
  EXPECT_TRUE(good);
  EXPECT_EQ(others, kItems - 1);
  return seen;
}

TEST(OrderedPool, NoThreadWaitsForADelayedOne) {
  EXPECT_EQ(produced_during_a_delay(kItems, kItems - 1), kItems - 1);
}

TEST(OrderedPool, BuffersAreTheLimit) { EXPECT_EQ(produced_during_a_delay(64, 63), 63u); }

#endif

}  // namespace
}  // namespace fpsynth::codec
