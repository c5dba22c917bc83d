// Engine::measure finds the leaves' lengths on every block that walk() finds on that block alone,
// on the processor and on devices.

#include <gtest/gtest.h>

#include "runners/search/gpu/cuda_engine.hpp"
#include "runners/search/walker.hpp"
#include "tests/runners/search/support.hpp"
#include "tests/support/ptx_device.hpp"

namespace fpsynth::search {
namespace {

using testing::Content;
using Bytes = std::vector<std::byte>;

const auto kNotStopped = [] { return false; };

/// `stages` stages of each kind: those that are counted in the block before them, reducers, and
/// some that commute.
synth::Space space_of(unsigned stages, std::vector<unsigned> cuts) {
  synth::Space space = synth::Space::paper();
  space.stages = stages;
  space.cuts = std::move(cuts);
  space.components.clear();
  for (const char* name : {"NUL", "INV", "BIT", "DIM2", "DIM4", "LNV1s", "RLE"}) {
    space.components.push_back(*synth::parse_component(name));
  }
  return space;
}

/// The output of a stage for a block.
Bytes after(const char* name, const Bytes& block, std::size_t word_bytes) {
  const synth::Component component = *synth::parse_component(name);
  const std::size_t words = block.size() / word_bytes;
  const std::size_t most = synth::worst_case(component, word_bytes, words) * word_bytes;
  components::BlockBuffer in(block.size()), out(most);
  const components::ScratchBuffer scratch(std::max(most, block.size()));
  std::ranges::copy(block, in.data());
  const auto extent =
      components::serial_stages()
          .at(component.family, word_bytes)
          .encode(in.data(), words, out.data(), component.parameter, scratch.view());
  return {out.data(), out.data() + extent.words * word_bytes};
}

/// Blocks and a plan for them.
struct Work {
  std::vector<Bytes> blocks;
  synth::Plan plan;
  std::size_t word_bytes;

  Work(std::vector<Bytes> of_blocks, const synth::Space& space, std::size_t bytes_of_word)
      : blocks(std::move(of_blocks)),
        plan(space, longest(blocks) / bytes_of_word),
        word_bytes(bytes_of_word) {}
  static std::size_t longest(const std::vector<Bytes>& blocks) {
    std::size_t bytes = 0;
    for (const Bytes& block : blocks) bytes = std::max(bytes, block.size());
    return bytes;
  }
  std::vector<std::span<const std::byte>> spans() const { return {blocks.begin(), blocks.end()}; }
  std::size_t leaves() const { return plan.leaves().size(); }
  std::unique_ptr<Engine> engine(const EngineFactory& factory) const {
    return factory(plan, word_bytes, Mode::Count);
  }

  /// The sizes that the serial team finds, a block at a time.
  std::vector<std::uint32_t> expected() const {
    std::vector<std::uint32_t> leaf_bytes;
    for (const Bytes& block : blocks) {
      Walker walker(plan, word_bytes, Mode::Count, components::serial_stages());
      walker.walk(block);
      leaf_bytes.insert(leaf_bytes.end(), walker.block_bytes().begin(), walker.block_bytes().end());
    }
    return leaf_bytes;
  }
};

/// Chunks, a short one, a word, and what stages on words make of chunks, some longer than these.
Work words_of(std::size_t word_bytes, unsigned stages, std::size_t words) {
  std::vector<Bytes> blocks;
  for (const Content content : {Content::Smooth, Content::LongRuns, Content::Random}) {
    blocks.push_back(testing::make_block(content, word_bytes, words));
  }
  blocks.push_back(testing::make_block(Content::Specials, word_bytes, 77));
  blocks.push_back(testing::make_block(Content::Random, word_bytes, 1));
  for (const std::size_t i : {0, 1, 2}) {
    blocks.push_back(after("LNV1s", blocks[i], word_bytes));
    blocks.push_back(after("ZE", blocks[i], word_bytes));
    blocks.push_back(after("RLE", after("RLE", blocks[i], word_bytes), word_bytes));
  }
  EXPECT_GT(Work::longest(blocks), words * word_bytes);
  std::vector<unsigned> cuts;
  for (unsigned cut = 0; cut <= stages; ++cut) cuts.push_back(cut);
  return {std::move(blocks), space_of(stages, std::move(cuts)), word_bytes};
}

/// Outputs of stages on chunks of words of `word_bytes` bytes, as bytes: of odd lengths and grown.
Work bytes_of(std::size_t word_bytes, unsigned stages, std::size_t words) {
  std::vector<Bytes> blocks;
  for (const Content content : {Content::Smooth, Content::Pairs, Content::Random}) {
    const Bytes chunk = testing::make_block(content, word_bytes, words);
    blocks.push_back(chunk);
    blocks.push_back(after("ZE", chunk, 1));
    blocks.push_back(after("RLE", after("ZE", chunk, 1), 1));
  }
  blocks.push_back(Bytes(blocks[0].begin(), blocks[0].begin() + 13));
  EXPECT_TRUE(std::ranges::any_of(blocks, [](const Bytes& block) { return block.size() % 2; }));
  EXPECT_GT(Work::longest(blocks), words * word_bytes);
  return {std::move(blocks), space_of(stages, {0}), 1};
}

struct MeasureCase {
  std::string name;
  EngineFactory engine;  ///< null: all GPUs
  unsigned stages = 3;
  std::size_t words = 1024;  ///< of a chunk
  bool ptx = false;
};

class Measures : public ::testing::TestWithParam<MeasureCase> {
 protected:
  void SetUp() override {
    if (GetParam().ptx) FPSYNTH_NEEDS_PTX();
    factory_ = GetParam().engine;
    if (factory_) return;
    std::string why;
    const auto gpus = device::cuda_devices(&why);
    if (gpus.empty()) GTEST_SKIP() << why;
    factory_ = cuda_engine(gpus);
  }
  Work words(std::size_t word_bytes) const {
    return words_of(word_bytes, GetParam().stages, GetParam().words);
  }
  Work bytes(std::size_t word_bytes) const {
    return bytes_of(word_bytes, GetParam().stages, GetParam().words);
  }
  void expect_what_is_walked(const Work& work) const {
    const auto engine = work.engine(factory_);
    std::vector<std::uint32_t> leaf_bytes(work.blocks.size() * work.leaves(), 0xa5a5a5a5);
    ASSERT_TRUE(engine->measure(work.spans(), leaf_bytes, kNotStopped));
    const auto expected = work.expected();
    for (std::size_t i = 0; i < work.blocks.size(); ++i) {
      const auto begin = std::ptrdiff_t(i * work.leaves()),
                 end = begin + std::ptrdiff_t(work.leaves());
      EXPECT_TRUE(std::equal(leaf_bytes.begin() + begin, leaf_bytes.begin() + end,
                             expected.begin() + begin))
          << "block " << i << " of " << work.blocks[i].size() << " bytes";
    }
  }

  EngineFactory factory_;
};

TEST_P(Measures, AreWhatIsWalkedOnWords) {
  for (const std::size_t word_bytes : {8, 4, 2}) {
    SCOPED_TRACE(word_bytes);
    expect_what_is_walked(words(word_bytes));
  }
}

TEST_P(Measures, AreWhatIsWalkedOnBytes) {
  for (const std::size_t word_bytes : {8, 4, 2}) {
    SCOPED_TRACE(word_bytes);
    expect_what_is_walked(bytes(word_bytes));
  }
}

TEST_P(Measures, StandBesideTheTotals) {
  const Work work = words(8);
  const auto engine = work.engine(factory_);
  std::vector<std::uint32_t> leaf_bytes(work.blocks.size() * work.leaves());
  std::vector<std::uint8_t> finished(work.blocks.size());
  const WalkCallbacks callbacks{kNotStopped, [](std::uint64_t) {}};
  ASSERT_TRUE(engine->measure(work.spans(), leaf_bytes, kNotStopped));
  engine->walk(work.spans(), finished, callbacks);
  ASSERT_TRUE(engine->measure(work.spans(), leaf_bytes, kNotStopped));
  Totals totals(work.plan), walked_alone(work.plan);
  engine->add_to(totals);
  const auto other = work.engine(factory_);
  other->walk(work.spans(), finished, callbacks);
  other->add_to(walked_alone);
  EXPECT_EQ(totals.block_bytes, walked_alone.block_bytes);
  EXPECT_EQ(totals.merged_states, walked_alone.merged_states);
  EXPECT_EQ(leaf_bytes, work.expected());
}

TEST_P(Measures, CanBeStoppedAndBegunAgain) {
  const Work work = words(4);
  const auto engine = work.engine(factory_);
  std::vector<std::uint32_t> leaf_bytes(work.blocks.size() * work.leaves());
  EXPECT_FALSE(engine->measure(work.spans(), leaf_bytes, [] { return true; }));
  std::atomic<int> asked = 0;
  EXPECT_FALSE(engine->measure(work.spans(), leaf_bytes, [&] { return ++asked > 2; }));
  EXPECT_TRUE(engine->measure(work.spans(), leaf_bytes, kNotStopped));
  EXPECT_EQ(leaf_bytes, work.expected());
  EXPECT_TRUE(engine->measure({}, {}, kNotStopped)) << "of nothing, all";
}

/// Less shared memory than a chunk that grows, and more thread blocks and lanes.
device::EmulatedDevice::Options little_shared_memory() {
  device::EmulatedDevice::Options options;
  options.shared_per_block = std::size_t{22} << 10;
  options.lanes = 64;
  options.resident_blocks = 5;
  return options;
}

INSTANTIATE_TEST_SUITE_P(
    , Measures,
    ::testing::Values(MeasureCase{"Processor", cpu_engine(1, components::default_stages(), false)},
                      MeasureCase{"ProcessorMergingEqualStates",
                                  cpu_engine(3, components::default_stages(), true), 4},
                      MeasureCase{"SerialTeam", cpu_engine(2, components::serial_stages(), true)},
                      MeasureCase{"EmulatedDevice", engine_on({{}}), 3},
                      MeasureCase{"EmulatedDeviceWithLittleSharedMemory",
                                  engine_on({little_shared_memory()}), 2},
                      MeasureCase{"TwoEmulatedDevices", engine_on({{}, {}}), 2, 200},
                      MeasureCase{"PTX_", engine_on<ptx::PtxDevice>({{}}), 2, 130, true},
                      MeasureCase{"GPU_", {}, 3}),
    [](const auto& a_case) { return a_case.param.name; });

TEST(MeasuresOnDevices, TellOfADeviceThatFails) {
  const Work work = words_of(8, 2, 100);
  device::EmulatedDevice::Options failing;
  failing.launches_before_failure = 1;
  const auto engine = work.engine(engine_on({failing}));
  std::vector<std::uint32_t> leaf_bytes(work.blocks.size() * work.leaves());
  EXPECT_THROW(engine->measure(work.spans(), leaf_bytes, kNotStopped), device::DeviceError);
}

}  // namespace
}  // namespace fpsynth::search
