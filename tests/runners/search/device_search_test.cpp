// The search on devices: the same numbers as on the processor, whatever the device is like. The
// emulated device runs the kernels lane by lane; the tests named Ptx interpret what nvcc made of
// them, those named Gpu run on a GPU where there is one.

#include <gtest/gtest.h>

#include "runners/data/synthetic/synthetic_sets.hpp"
#include "runners/search/gpu/cuda_engine.hpp"
#include "tests/runners/search/support.hpp"
#include "tests/support/messages.hpp"
#include "tests/support/ptx_device.hpp"

namespace fpsynth::search {
namespace {

using device::EmulatedDevice;
using ptx::PtxDevice;
using synth::Precision;
using testing::Content;
using tests::contains, tests::message_of;

constexpr Precision kWalked[] = {Precision::Double, Precision::Single, Precision::Half};

EmulatedDevice::Options with_lanes(std::uint32_t lanes) {
  EmulatedDevice::Options options;
  options.lanes = lanes;
  return options;
}

/// Memory for blocks no longer than a chunk in shared memory, so that all that grow leave it.
template <class Device>
typename Device::Options cramped() {
  typename Device::Options options;
  options.shared_per_block = std::size_t{24} << 10;
  return options;
}

struct Case {
  std::string name;
  EngineFactory engine;    ///< null: all GPUs
  std::size_t words = 70;  ///< for the whole space: a tile of BIT and some
  bool ptx = false;
};

Case interpreted(const char* name, const PtxDevice::Options& options, std::size_t words = 70) {
  return {name, engine_on<PtxDevice>({options}), words, true};
}

std::string case_name(const ::testing::TestParamInfo<Case>& a_case) { return a_case.param.name; }

class Devices : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (GetParam().ptx) FPSYNTH_NEEDS_PTX();
    if (GetParam().engine) {
      options_.engine = GetParam().engine;
      return;
    }
    std::string why;
    const auto gpus = device::cuda_devices(&why);
    if (gpus.empty()) GTEST_SKIP() << why;
    options_.engine = cuda_engine(gpus);
  }

  void expect_the_processors_findings(const data::Input& input, const synth::Plan& plan,
                                      const char* verification) {
    SCOPED_TRACE(verification);
    SearchOptions on_cpu;
    on_cpu.verification = options_.verification = Verification::parse(verification);
    const auto expected = search(input, plan, on_cpu);
    const auto document = search(input, plan, options_);
    expect_same_findings(document, expected);
    EXPECT_EQ(document.run.failures, 0u);
    EXPECT_EQ(document.run.backend, "cuda");
  }
  void expect_the_processors_findings(const data::Input& input, const synth::Plan& plan) {
    for (const char* verification : {"all", "none"}) {
      expect_the_processors_findings(input, plan, verification);
    }
  }

  SearchOptions options_;
};

TEST_P(Devices, GiveTheProcessorsNumbers) {
  for (const Precision precision : kWalked) {
    SCOPED_TRACE(synth::to_string(precision));
    expect_the_processors_findings(several_chunks(precision), small_plan());
  }
}

synth::Plan plan_of_three_stages(std::initializer_list<const char*> components) {
  synth::Space space = synth::Space::paper();
  space.stages = 3;
  space.cuts = {0, 1, 2, 3};
  space.components.clear();
  for (const char* name : components) space.components.push_back(*synth::parse_component(name));
  return synth::Plan(space);
}

TEST_P(Devices, RefuseComponentsThatTheyDoNotHave) {
  try {
    search(several_chunks(Precision::Double), synth::Plan(wide_space()), options_);
    ADD_FAILURE() << "no error";
  } catch (const device::DeviceUnsuitable& error) {
    EXPECT_NE(std::string_view(error.what()).find("do not have RRE"), std::string_view::npos)
        << error.what();
  }
}

TEST_P(Devices, GiveTheProcessorsNumbersOnLongerChunks) {
  synth::Space space = small_plan().space();
  space.chunk_words = 2048;
  expect_the_processors_findings(several_chunks(Precision::Single), synth::Plan(space));
}

/// Three reducing stages after each other, on data that none of them reduces.
TEST_P(Devices, HandleBlocksThatGrow) {
  const synth::Plan plan = plan_of_three_stages({"RLE", "ZE", "LNV1s"});
  for (const Precision precision : kWalked) {
    for (const Content content : {Content::Random, Content::Smooth, Content::Pairs}) {
      expect_the_processors_findings(
          input_of(testing::make_block(content, synth::word_bytes(precision), 1500), precision),
          plan);
    }
  }
}

TEST_P(Devices, ResumeWhatTheProcessorBegan) {
  const auto input = data::make_input(data::synthetic_sets()[0], 20 * 8192).in(Precision::Single);
  const auto whole = search(input, small_plan(), {});
  SearchOptions half;
  std::atomic<bool> stop = false;
  half.stop = &stop;
  half.threads = 1;
  results::Document part;
  half.checkpoint = [&](const results::Document& state) {
    part = state;
    stop = true;
  };
  search(input, small_plan(), half);
  ASSERT_FALSE(part.run.complete);
  expect_same_findings(search(input, small_plan(), options_, &part), whole);
}

/// Shared memory for the blocks of the last two depths alone, which suffices for counting; and
/// components that are not in the registry with these parameters.
template <class Device>
void expect_counts_in_little_memory() {
  const synth::Plan plan =
      plan_of_three_stages({"DIM8", "DIM7", "LNV1s", "LNV9x", "BIT", "INV", "ZE", "RLE"});
  typename Device::Options little;
  little.shared_per_block = std::size_t{22} << 10;
  SearchOptions options, on_cpu;
  options.verification = on_cpu.verification = Verification::parse("none");
  options.engine = engine_on<Device>({little});
  for (const Precision precision : kWalked) {
    SCOPED_TRACE(synth::to_string(precision));
    const auto input = several_chunks(precision);
    expect_same_findings(search(input, plan, options), search(input, plan, on_cpu));
  }
}
TEST(DeviceMemory, CountingNeedsLittle) { expect_counts_in_little_memory<EmulatedDevice>(); }
TEST(DeviceMemory, PTX_CountingNeedsLittle) {
  FPSYNTH_NEEDS_PTX();
  expect_counts_in_little_memory<PtxDevice>();
}

/// All 138,240 pipelines: lane by lane, a minute of one core.
class DevicesOnTheWholeSpace : public Devices {};
TEST_P(DevicesOnTheWholeSpace, EXHAUSTIVE_GiveTheProcessorsNumbers) {
  expect_the_processors_findings(
      input_of(testing::make_block(Content::Smooth, 8, GetParam().words), Precision::Double),
      paper_plan(), "all");
  expect_the_processors_findings(
      input_of(testing::make_block(Content::LongRuns, 4, GetParam().words), Precision::Single),
      paper_plan(), "none");
}

INSTANTIATE_TEST_SUITE_P(Emulated, Devices,
                         ::testing::Values(Case{"32_lanes", engine_on({with_lanes(32)})},
                                           Case{"LONG_256_lanes", engine_on({with_lanes(256)})},
                                           Case{"two_devices",
                                                engine_on({with_lanes(32), with_lanes(64)})},
                                           Case{"cramped", engine_on({cramped<EmulatedDevice>()})}),
                         case_name);
INSTANTIATE_TEST_SUITE_P(PTX_, Devices,
                         ::testing::Values(interpreted("roomy", PtxDevice::Options()),
                                           interpreted("cramped", cramped<PtxDevice>())),
                         case_name);
INSTANTIATE_TEST_SUITE_P(GPU_, Devices, ::testing::Values(Case{"all", nullptr}), case_name);

INSTANTIATE_TEST_SUITE_P(Emulated, DevicesOnTheWholeSpace,
                         ::testing::Values(Case{"32_lanes", engine_on({with_lanes(32)})}),
                         case_name);
INSTANTIATE_TEST_SUITE_P(PTX_, DevicesOnTheWholeSpace,
                         ::testing::Values(interpreted("a_chunk", ptx::without_race_checks(),
                                                       1024)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(GPU_, DevicesOnTheWholeSpace,
                         ::testing::Values(Case{"all", nullptr, 300 * 1024 + 5}), case_name);

TEST(DeviceFaults, StagesThatDoNotDecodeFailTheirPipelines) {
  const auto input = several_chunks(Precision::Double);
  SearchOptions options;
  options.engine = engine_on({faulty()});
  const auto document = search(input, small_plan(), options);
  const auto bit = *synth::parse_component("BIT");
  std::vector<std::uint64_t> expected;
  for (std::uint64_t id = 0; id < small_plan().space().size(); ++id) {
    const synth::Pipeline pipeline = small_plan().space().at(id);
    if (pipeline.stages[0] == bit && pipeline.cut > 0) expected.push_back(id);
  }
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(document.failed, expected);
}

TEST(DeviceFaults, WhatWasDoneBeforeADeviceFailsIsKept) {
  const auto input = data::make_input(data::synthetic_sets()[0], 20 * 8192).in(Precision::Single);
  const auto whole = search(input, small_plan(), {});
  EmulatedDevice::Options failing;
  failing.resident_blocks = 1;
  failing.launch_seconds = 0;
  // Two walks and a sum for each of the first two batches, of a chunk each, then a walk and a sum
  // for every batch.
  failing.launches_before_failure = 8;
  SearchOptions options;
  options.engine = engine_on({failing});
  results::Document kept;
  options.checkpoint = [&](const results::Document& state) { kept = state; };
  const std::string said =
      message_of<device::DeviceError>([&] { search(input, small_plan(), options); });
  EXPECT_TRUE(contains(said, "emulated device: an illegal memory access"));
  EXPECT_TRUE(contains(said, "of 20 chunks"));
  ASSERT_FALSE(kept.run.complete);
  ASSERT_GT(kept.run.chunks_done, 0u);
  expect_same_findings(search(input, small_plan(), {}, &kept), whole);
}

TEST(DeviceFaults, TooLittleMemoryIsAnErrorThatSaysHowMuchIsNeeded) {
  for (const bool shared : {true, false}) {
    EmulatedDevice::Options small;
    (shared ? small.shared_per_block : small.memory_bytes) = std::size_t{16} << 10;
    SearchOptions options;
    options.engine = engine_on({small});
    const std::string said = message_of<device::DeviceError>(
        [&] { search(several_chunks(Precision::Double), small_plan(), options); });
    EXPECT_TRUE(contains(said, shared ? "KiB of shared memory" : "MiB of device memory"));
    EXPECT_TRUE(contains(said, "--backend cpu"));
  }
}

/// The fallback of `--backend auto`.
TEST(DeviceFaults, ADeviceThatIsTooSmallLeavesTheWorkToTheProcessor) {
  EmulatedDevice::Options small;
  small.shared_per_block = std::size_t{16} << 10;
  const auto cpu = cpu_engine(1, components::default_stages(), true);
  std::vector<std::string> reasons;
  SearchOptions options;
  options.engine =
      engine_or(engine_on({small}), cpu, [&](const std::string& why) { reasons.push_back(why); });
  const auto input = several_chunks(Precision::Double);
  const auto document = search(input, small_plan(), options);
  EXPECT_EQ(document.run.backend, "cpu");
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_TRUE(contains(reasons[0], "KiB of shared memory"));
  expect_same_findings(document, search(input, small_plan(), {}));

  // A device that is large enough does the work. One that fails does not leave it to the processor.
  options.engine = engine_or(engine_on({{}}), cpu, [&](const std::string&) { FAIL(); });
  EXPECT_EQ(search(input, small_plan(), options).run.backend, "cuda");
  // So does a search that begins when another program has taken the memory.
  EmulatedDevice::Options starved;
  starved.allocations_before_failure = 5;
  reasons.clear();
  options.engine =
      engine_or(engine_on({starved}), cpu, [&](const std::string& why) { reasons.push_back(why); });
  EXPECT_EQ(search(input, small_plan(), options).run.backend, "cpu");
  EXPECT_EQ(reasons, std::vector<std::string>{"emulated device: out of memory"});
  EmulatedDevice::Options failing;
  failing.launches_before_failure = 0;
  options.engine = engine_or(engine_on({failing}), cpu, [&](const std::string&) { FAIL(); });
  EXPECT_THROW(search(input, small_plan(), options), device::DeviceError);
}

/// Lacks memory for its launches after some of them, as a GPU on which another program has started.
class StarvedDevice : public EmulatedDevice {
 public:
  using EmulatedDevice::EmulatedDevice;
  template <device::Kernel Body>
  void launch(Stream& stream, std::uint32_t blocks, std::size_t shared_bytes,
              const typename Body::Args& args) {
    if (launches_ == 0) throw device::DeviceUnsuitable("no memory for a launch");
    --launches_;
    EmulatedDevice::launch<Body>(stream, blocks, shared_bytes, args);
  }

 private:
  int launches_ = 8;
};

TEST(DeviceFaults, MemoryThatEndsDuringASearchLeavesTheRestToTheProcessor) {
  const auto input = data::make_input(data::synthetic_sets()[0], 20 * 8192).in(Precision::Single);
  const auto cpu = cpu_engine(1, components::default_stages(), true);
  // As above: the first two chunks are walked, and what is begun with the others is lost.
  EmulatedDevice::Options one_block;
  one_block.resident_blocks = 1;
  one_block.launch_seconds = 0;
  for (const char* verification : {"all", "none"}) {
    SCOPED_TRACE(verification);
    std::vector<std::string> reasons;
    SearchOptions options, on_cpu;
    options.verification = on_cpu.verification = Verification::parse(verification);
    options.engine = engine_or(engine_on<StarvedDevice>({one_block}), cpu,
                               [&](const std::string& why) { reasons.push_back(why); });
    const auto document = search(input, small_plan(), options);
    EXPECT_EQ(reasons, std::vector<std::string>{"no memory for a launch"});
    EXPECT_EQ(document.run.backend, "cuda; cpu");
    expect_same_findings(document, search(input, small_plan(), on_cpu));
    // Without a processor it is an error like others.
    options.engine = engine_on<StarvedDevice>({one_block});
    EXPECT_THROW(search(input, small_plan(), options), device::DeviceError);
  }
}

TEST(DeviceFaults, MemoryThatIsMissingForMeasuresLeavesThemToTheProcessor) {
  EmulatedDevice::Options starved;
  std::vector<std::string> reasons;
  const auto cpu = cpu_engine(1, components::default_stages(), true);
  const auto block = testing::make_block(Content::Smooth, 8, 64);
  const std::vector<std::span<const std::byte>> blocks(5, block);
  const std::size_t leaves = small_plan().leaves().size();
  std::vector<std::uint32_t> expected(5 * leaves), measured(5 * leaves);
  const auto never = [] { return false; };
  ASSERT_TRUE(cpu(small_plan(), 8, Mode::Count)->measure(blocks, expected, never));
  // The engine is made with 21 allocations, 10 for each of two batches; measures need two more.
  starved.allocations_before_failure = 25;
  const auto engine = engine_or(engine_on({starved}), cpu, [&](const std::string& why) {
    reasons.push_back(why);
  })(small_plan(), 8, Mode::Count);
  EXPECT_EQ(engine->backend(), "cuda");
  EXPECT_TRUE(engine->measure(blocks, measured, never));
  EXPECT_EQ(engine->backend(), "cuda; cpu");
  EXPECT_EQ(reasons.size(), 1u);
  EXPECT_EQ(measured, expected);
}

}  // namespace
}  // namespace fpsynth::search
