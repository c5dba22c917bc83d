// The division of work for a device, and the layout of its memory. Results and failures are tested
// in device_search_test.cpp.

#include "runners/search/gpu/device_engine.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <set>
#include <stdexcept>

#include "runners/search/gpu/cuda_engine.hpp"
#include "tests/runners/search/support.hpp"

namespace fpsynth::search {
namespace {

using device::EmulatedDevice;
using synth::Precision;

const WalkCallbacks kNeverStopped{[] { return false; }, [](std::uint64_t) {}};

/// The sizes of the batches of devices with `at_once` resident blocks, which take batches in turn.
std::vector<std::size_t> dealt(std::size_t chunks, std::size_t at_once, std::size_t devices) {
  const std::vector<std::span<const std::byte>> all(chunks);
  std::vector<std::uint8_t> finished(chunks);
  std::uint64_t walked = 0;
  const WalkCallbacks callbacks{[] { return false; }, [&](std::uint64_t more) { walked += more; }};
  Batches batches(all, finished, callbacks, devices);
  std::vector<std::size_t> counts;
  for (;;) {
    const Batches::Batch batch = batches.take(4 * at_once, at_once);
    if (batch.count == 0) break;
    // Every chunk once, in their order.
    EXPECT_EQ(batch.first, std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
    counts.push_back(batch.count);
    batches.done(batch);
  }
  EXPECT_EQ(walked, chunks);
  EXPECT_EQ(finished, std::vector<std::uint8_t>(chunks, 1));
  return counts;
}

using Counts = std::vector<std::size_t>;

TEST(Batches, FillADevice) {
  EXPECT_EQ(dealt(16, 396, 1), Counts{16});
  EXPECT_EQ(dealt(396, 396, 1), Counts{396});
  EXPECT_EQ(dealt(3168, 396, 1), (Counts{1584, 792, 396, 396}));
  EXPECT_EQ(dealt(397, 396, 1), (Counts{396, 1}));
  EXPECT_EQ(dealt(1, 396, 1), Counts{1});
  EXPECT_EQ(dealt(0, 396, 1), Counts{});
}

TEST(Batches, FillSeveralDevicesAlike) {
  EXPECT_EQ(dealt(16, 396, 2), (Counts{8, 8}));
  EXPECT_EQ(dealt(16, 396, 3), (Counts{6, 6, 4}));
  EXPECT_EQ(dealt(2, 396, 3), (Counts{1, 1}));
  EXPECT_EQ(dealt(396, 396, 4), (Counts{99, 99, 99, 99}));
  EXPECT_EQ(dealt(3168, 396, 2), (Counts{792, 594, 446, 396, 396, 396, 148}));
  EXPECT_EQ(dealt(3168, 396, 8), (Counts{396, 396, 396, 396, 396, 396, 396, 396}));
}

TEST(Batches, EndWhenTheSearchIsToStop) {
  const std::vector<std::span<const std::byte>> all(10);
  std::vector<std::uint8_t> finished(10);
  bool stop = false;
  const WalkCallbacks callbacks{[&] { return stop; }, [](std::uint64_t) {}};
  Batches batches(all, finished, callbacks, 1);
  EXPECT_EQ(batches.take(4, 3).count, 4u);
  EXPECT_FALSE(batches.stopped());
  stop = true;
  EXPECT_TRUE(batches.stopped());
  EXPECT_EQ(batches.take(4, 3).count, 0u);
}

TEST(LaunchPace, BeginsSmallAndStaysBelowAQuarterOfASecond) {
  LaunchPace pace;
  EXPECT_EQ(pace.items(100, 8, 50), 8u) << "one for every block";
  EXPECT_EQ(pace.items(5, 8, 50), 5u);
  pace.took(8, 8, 50, 0.1);  // 2 ms an edge
  EXPECT_EQ(pace.items(100, 8, 50), 16u);
  EXPECT_EQ(pace.items(100, 8, 25), 40u);
  EXPECT_EQ(pace.items(100, 8, 1), 100u);
  EXPECT_EQ(pace.items(100, 8, 1000), 8u) << "at least one for every block";
  EXPECT_EQ(pace.items(5, 8, 1000), 5u);
}

TEST(LaunchPace, RemembersTheSlowestForAWhile) {
  LaunchPace pace;
  pace.took(8, 8, 50, 0.25);
  pace.took(8, 8, 50, 0.01);
  EXPECT_EQ(pace.items(100, 8, 50), 8u);
  for (int i = 0; i < 100; ++i) pace.took(8, 8, 50, 0.01);
  EXPECT_EQ(pace.items(1000, 8, 50), 200u);
}

TEST(LaunchPace, TakesNoTimeToMeanThatAllMayGo) {
  LaunchPace pace;
  pace.took(8, 8, 50, 0);
  EXPECT_EQ(pace.items(100000, 8, 50), 100000u);
}

/// Counts the launches of all its copies since reset().
class CountingDevice : public EmulatedDevice {
 public:
  using EmulatedDevice::EmulatedDevice;
  template <device::Kernel Body>
  void launch(Stream& stream, std::uint32_t blocks, std::size_t shared_bytes,
              const typename Body::Args& args) {
    EmulatedDevice::launch<Body>(stream, blocks, shared_bytes, args);
    ++(std::is_same_v<Body, SumBody> ? sums : walks);
  }
  static void reset() { walks = sums = 0; }
  static inline int walks, sums;
};

/// Chunks of the tests' input, and a walk of some of them.
class DeviceLaunches : public ::testing::Test {
 protected:
  static std::unique_ptr<Engine> engine(double launch_seconds) {
    EmulatedDevice::Options options;
    options.launch_seconds = launch_seconds;
    CountingDevice::reset();
    return engine_on<CountingDevice>({options})(small_plan(), 8, Mode::Verify);
  }
  /// Walks `chunks` chunks; returns the number of those that are then finished.
  static std::ptrdiff_t walk(Engine& engine, std::size_t chunks,
                             const WalkCallbacks& callbacks = kNeverStopped) {
    static const auto block = testing::make_block(testing::Content::Smooth, 8, 64);
    const std::vector<std::span<const std::byte>> all(chunks, block);
    std::vector<std::uint8_t> finished(chunks);
    engine.walk(all, finished, callbacks);
    return std::ranges::count(finished, 1);
  }
  /// The work items of all `chunks` chunks in one batch, for the emulated device's thread blocks.
  static std::size_t items(std::size_t chunks) {
    return schedule_of(walk_edges(small_plan()), chunks, 1,
                       EmulatedDevice::Options().resident_blocks)
        .items();
  }
};

/// The walk that `search --dry-run` times.
TEST_F(DeviceLaunches, WhatIsWalkedAtOnceIsOneBatch) {
  const auto one = engine(0);
  EXPECT_EQ(walk(*one, one->at_once()), 3);
  EXPECT_EQ(CountingDevice::sums, 1);
}

TEST_F(DeviceLaunches, LastAMoment) {
  ASSERT_GT(items(3), 20u);
  const auto fast = engine(0);
  EXPECT_EQ(walk(*fast, 3), 3);
  EXPECT_EQ(CountingDevice::walks, 2) << "all that is left, once it is known to be fast";
  const auto slow = engine(100);
  EXPECT_EQ(walk(*slow, 3), 3);
  EXPECT_EQ(std::size_t(CountingDevice::walks), (items(3) + 2) / 3) << "one item for every block";
  EXPECT_EQ(CountingDevice::sums, 1);
}

TEST_F(DeviceLaunches, OnlyThoseUnderWayAreWaitedForByOneWhoStops) {
  const auto slow = engine(100);
  const WalkCallbacks callbacks{[] { return CountingDevice::walks >= 4; }, [](std::uint64_t) {}};
  EXPECT_EQ(walk(*slow, 30, callbacks), 0);
  EXPECT_LE(CountingDevice::walks, 5);
  Totals totals(small_plan());
  slow->add_to(totals);
  EXPECT_EQ(std::accumulate(totals.block_bytes.begin(), totals.block_bytes.end(), 0ull), 0ull)
      << "an abandoned walk is not counted";
  // Later walks are not affected by the one that was stopped.
  EXPECT_EQ(walk(*slow, 3), 3);
  slow->add_to(totals);
  Totals expected(small_plan());
  const auto other = engine(0);
  EXPECT_EQ(walk(*other, 3), 3);
  other->add_to(expected);
  EXPECT_EQ(totals.block_bytes, expected.block_bytes);
}

/// The layouts that `bench search --layouts` times.
TEST(DeviceLayout, IsTheOneThatIsGiven) {
  const auto block = testing::make_block(testing::Content::Random, 8, 70);
  const std::vector<std::span<const std::byte>> chunks(2, block);
  for (const Mode mode : {Mode::Verify, Mode::Count}) {
    std::vector<std::uint8_t> finished(chunks.size());
    const auto cpu = cpu_engine(1, components::serial_stages(), true)(small_plan(), 8, mode);
    cpu->walk(chunks, finished, kNeverStopped);
    Totals expected(small_plan());
    cpu->add_to(expected);
    const auto lengths = small_plan().worst_case_bytes(8, small_plan().input_words());
    const std::size_t layouts = walk_layouts(lengths, 8192, mode == Mode::Verify).size();
    std::set<std::uint32_t> at_once;
    for (std::size_t layout = 0; layout <= layouts; ++layout) {
      EmulatedDevice::Options options;
      options.multiprocessors = 1;
      options.shared_per_multiprocessor = std::size_t{228} << 10;
      options.registers_for = 100;
      const auto make = [&] {
        return DeviceEngine<EmulatedDevice>({EmulatedDevice(options)}, small_plan(), 8, mode,
                                            layout);
      };
      if (layout == layouts) {
        EXPECT_THROW(make(), std::out_of_range);
        continue;
      }
      DeviceEngine<EmulatedDevice> engine = make();
      at_once.insert(std::uint32_t(engine.first_segment()));
      engine.walk(chunks, finished, kNeverStopped);
      Totals totals(small_plan());
      engine.add_to(totals);
      EXPECT_EQ(totals.block_bytes, expected.block_bytes) << layout;
    }
    EXPECT_GT(at_once.size(), 1u) << "they differ in how many thread blocks there are";
  }
}

/// Thread blocks are as many as the multiprocessors hold, or the search is refused.
TEST(DeviceMemory, CountersOfFiveStagesFitOrAreRefusedWithTheirAmount) {
  synth::Space space = synth::Space::paper();
  space.stages = 5;
  space.cuts.push_back(5);
  const synth::Plan plan(space);
  EmulatedDevice::Options options;
  options.lanes = 0;
  options.multiprocessors = 132;
  options.shared_per_multiprocessor = std::size_t{228} << 10;
  options.shared_per_block = std::size_t{227} << 10;
  options.registers_for = 11;
  options.memory_bytes = std::size_t{24} << 30;
  try {
    DeviceWalker<EmulatedDevice>(EmulatedDevice(options), plan, 8, Mode::Verify);
    FAIL() << "they do not fit";
  } catch (const device::DeviceUnsuitable& error) {
    const std::string message = error.what();
    EXPECT_NE(
        message.find(fmt::format("{} MiB of it for counters of {} leaves in 1452 thread "
                                 "blocks, and {} MiB are available",
                                 (2 * 1452 * 4 * plan.leaves().size() >> 20) + 1,
                                 plan.leaves().size(), (std::size_t{24} << 30) / 10 * 9 >> 20)),
        message.npos)
        << message;
  }
}

/// Thread blocks of one warp order their global memory by barriers of a warp alone, which neither
/// the emulated device nor the interpreter can get wrong: every layout with depths that are there.
TEST(GPU_SpilledWalks, LONG_AreTheProcessorsTwentyTimesOnThousandsOfChunks) {
  std::string why;
  const auto gpus = device::cuda_devices(&why, {}, 1);
  if (gpus.empty()) GTEST_SKIP() << why;
  constexpr std::uint64_t kTimes = 20;
  synth::Space space = synth::Space::paper();
  space.stages = 3;
  space.cuts = {0, 1, 2, 3};
  const synth::Plan plan(space);
  for (const std::size_t word_bytes : {8, 4, 2}) {
    std::vector<std::vector<std::byte>> blocks;
    for (const auto content : {testing::Content::Smooth, testing::Content::Random,
                               testing::Content::LongRuns, testing::Content::Sparse}) {
      blocks.push_back(testing::make_block(content, word_bytes, synth::kChunkWords));
    }
    std::vector<std::span<const std::byte>> chunks;
    while (chunks.size() < 3000) chunks.insert(chunks.end(), blocks.begin(), blocks.end());
    const auto lengths = plan.worst_case_bytes(word_bytes, plan.input_words());
    for (const Mode mode : {Mode::Verify, Mode::Count}) {
      std::vector<std::uint8_t> finished(chunks.size());
      const auto cpu = cpu_engine(0, components::default_stages(), true)(plan, word_bytes, mode);
      cpu->walk(chunks, finished, kNeverStopped);
      Totals expected(plan);
      cpu->add_to(expected);
      const auto layouts =
          walk_layouts(lengths, synth::kChunkWords * word_bytes, mode == Mode::Verify);
      for (std::size_t layout = 0; layout < layouts.size(); ++layout) {
        if (layouts[layout].room(0) > 0) continue;
        SCOPED_TRACE(fmt::format("words of {} bytes, {}, layout {}", word_bytes,
                                 mode == Mode::Verify ? "verified" : "counted", layout));
        const auto engine = cuda_engine(gpus, layout)(plan, word_bytes, mode);
        for (std::uint64_t time = 1; time <= kTimes; ++time) {
          engine->walk(chunks, finished, kNeverStopped);
          Totals found(plan);
          engine->add_to(found);
          for (std::size_t leaf = 0; leaf < found.block_bytes.size(); ++leaf) {
            ASSERT_EQ(found.block_bytes[leaf], time * expected.block_bytes[leaf])
                << "leaf " << leaf << ", time " << time;
          }
          ASSERT_EQ(found.failed_nodes, expected.failed_nodes) << "time " << time;
          ASSERT_EQ(found.failed_leaves, expected.failed_leaves) << "time " << time;
        }
      }
    }
  }
}

/// Shared memory of an architecture in KiB, and how many blocks of a search are resident on each
/// multiprocessor: verified doubles, singles and halves, then counted ones.
struct Architecture {
  const char* name;
  std::size_t of_multiprocessor, of_block;
  std::array<std::uint32_t, 6> blocks;
};

TEST(DeviceLayout, HasTheMostResidentBlocks) {
  for (const Architecture& architecture :
       {Architecture{"sm_80", 164, 163, {7, 14, 16, 8, 15, 16}},
        Architecture{"sm_86", 100, 99, {4, 9, 15, 5, 9, 16}},
        Architecture{"sm_89", 100, 99, {4, 9, 15, 5, 9, 16}},
        Architecture{"sm_90", 228, 227, {11, 16, 16, 12, 16, 16}},
        Architecture{"sm_120", 100, 99, {4, 9, 15, 5, 9, 16}}}) {
    EmulatedDevice::Options options;
    options.lanes = 0;
    options.multiprocessors = 1;
    options.shared_per_multiprocessor = architecture.of_multiprocessor << 10;
    options.shared_per_block = architecture.of_block << 10;
    std::array<std::uint32_t, 6> blocks{};
    std::size_t place = 0;
    for (const Mode mode : {Mode::Verify, Mode::Count}) {
      for (const std::size_t word_bytes : {8, 4, 2}) {
        // As the kernels ask for.
        options.registers_for =
            word_bytes < 8        ? WalkBody<std::uint32_t, true>::kBlocksPerMultiprocessor
            : mode == Mode::Count ? WalkBody<std::uint64_t, false>::kBlocksPerMultiprocessor
                                  : WalkBody<std::uint64_t, true>::kBlocksPerMultiprocessor;
        const DeviceWalker<EmulatedDevice> walker(EmulatedDevice(options), paper_plan(), word_bytes,
                                                  mode);
        blocks[place++] = static_cast<std::uint32_t>(walker.blocks());
      }
    }
    EXPECT_EQ(blocks, architecture.blocks) << architecture.name;
  }
}

}  // namespace
}  // namespace fpsynth::search
