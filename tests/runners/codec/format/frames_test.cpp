// Frames and headers of a pipeline whose stages are known at compile time, known at run time, or
// read from a device's list. The same functions handle all three and must give the same results.

#include "runners/codec/format/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "components/registry.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/codec/format/static_container.hpp"
#include "runners/codec/gpu/interpreted_program.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec {
namespace {

using namespace components;

template <unsigned N>
using Sub = Use<LnvSub, N>;
using Mpc = StaticPipeline<std::uint64_t, 4, Sub<6>, Use<Bit>, Sub<1>, Use<Ze>>;

static_assert(StageList<Mpc::Stages>);
static_assert(StageList<synth::PipelineStages>);
static_assert(StageList<StepStages<std::uint32_t>>);
static_assert(ListedStage<StepStage<std::uint64_t>>);

/// These types are not lists of stages.
struct WithoutStages {
  using Length = std::size_t;
  std::size_t size() const { return 1; }
  std::size_t cut() const { return 0; }
  std::size_t word_bytes() const { return 8; }
};
struct StageWithoutBound {
  std::uint8_t wire() const { return 0; }
  std::uint8_t parameter() const { return 0; }
  std::size_t word_bytes() const { return 8; }
  unsigned frame_fields() const { return 0; }
};
static_assert(!StageList<WithoutStages> && !StageList<int>);
static_assert(!ListedStage<StageWithoutBound>);

using Extents = std::array<Extent, kMostStages>;

/// A frame of a chunk of `words` words as a file may have it: mostly with possible lengths, often
/// the longest, and sometimes with any lengths.
Bytes some_frame(const PipelineFrames& frames, std::size_t words, std::mt19937& random) {
  Bytes frame(frames.bytes());
  std::byte* out = frame.data();
  std::size_t length = words, before = frames.stages().word_bytes();
  const bool longest = random() % 4 == 0;
  const auto some = [&](std::size_t most) {
    if (longest) return std::uint32_t(most);
    if (random() % 16 == 0) return std::uint32_t(random());
    return std::uint32_t(random() % 2 ? most : 1 + random() % most);
  };
  frames.stages().for_each([&](std::size_t, const synth::PipelineStage& stage) {
    length = rescale(length, before, stage.word_bytes());
    before = stage.word_bytes();
    if (stage.frame_fields() == 0) return true;
    const Extent extent{some(stage.bound(length)), some(length)};
    put_extent(stage, frames.wide(), extent, out);
    length = std::clamp<std::size_t>(extent.words, 1, 1u << 20);
    return true;
  });
  return frame;
}

template <class Pipeline>
void expect_parity(const char* text) {
  SCOPED_TRACE(text);
  using Word = typename Pipeline::Word;
  using Container = StaticContainer<Pipeline>;
  Header header;
  header.pipeline = synth::parse_pipeline(text);
  header.word_bytes = sizeof(Word);
  header.original_bytes = 12345;
  const PipelineFrames frames(header);
  const InterpretedProgram<Word> program =
      interpreted_program<Word>(header.pipeline, Pipeline::kChunkWords);
  const StepStages<Word> steps{program.steps, program.count};

  // The device skips NUL.
  std::vector<std::size_t> step_of(frames.stages().size(), steps.size());
  std::size_t next = 0;
  frames.stages().for_each([&](std::size_t i, const synth::PipelineStage& stage) {
    if (!stage.traits().identity) step_of[i] = next++;
    return true;
  });
  ASSERT_EQ(next, steps.size());

  EXPECT_EQ(Container::kWide, frames.wide());
  EXPECT_EQ(Container::kFrameBytes, frames.bytes());
  EXPECT_EQ(frame_bytes(steps, Pipeline::kChunkWords), frames.bytes());
  EXPECT_EQ(wide_frames(steps, Pipeline::kChunkWords), frames.wide());
  EXPECT_EQ(longest_block(steps, Pipeline::kChunkWords), Pipeline::kLongest);
  EXPECT_EQ(
      longest_block(synth::PipelineStages(header.pipeline, sizeof(Word)), Pipeline::kChunkWords),
      Pipeline::kLongest);
  const ContainerLayout fixed = Container::layout(12345), dynamic = frames.layout(12345);
  EXPECT_EQ(fixed.blocks_at, dynamic.blocks_at);
  EXPECT_EQ(fixed.bound(), dynamic.bound());
  const Bytes written = serialize(header);
  EXPECT_TRUE(
      std::ranges::equal(Container::prefix(), std::span(written).first(Container::kPrefixBytes)));
  steps.for_each([&](std::size_t i, const auto& step) {
    const auto whole = std::size_t(std::ranges::find(step_of, i) - step_of.begin());
    EXPECT_EQ(step.wire(), frames.stages()[whole].wire());
    EXPECT_EQ(step.parameter(), frames.stages()[whole].parameter());
    return true;
  });

  std::mt19937 random(3);
  std::size_t good = 0, refused = 0;
  std::uint32_t longest = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::size_t words = 1 + random() % Pipeline::kChunkWords;
    const Bytes frame = some_frame(frames, words, random);
    Extents compiled{}, listed{}, device{};
    const std::uint32_t bad = Container::read_frame(frame.data(), words, compiled.data());
    EXPECT_EQ(frames.read(frame.data(), words, listed), bad);
    EXPECT_EQ(compiled, listed);
    const std::uint32_t bad_step =
        program.read_frame(frame.data(), std::uint32_t(words), device.data());
    EXPECT_EQ(bad_step, bad == kGoodFrame ? kGoodFrame : step_of[bad]);
    if (bad != kGoodFrame) {
      ++refused;
      continue;
    }
    ++good;
    for (const Extent extent : listed) longest = std::max(longest, extent.words);
    for (std::size_t i = 0; i < step_of.size(); ++i) {
      if (step_of[i] < steps.size()) {
        EXPECT_EQ(device[step_of[i]], listed[i]) << "stage " << i;
      }
    }
    EXPECT_EQ(check_extents(typename Pipeline::Stages(), words, compiled.data()), kGoodFrame);
    EXPECT_EQ(check_extents(steps, words, device.data()), kGoodFrame);
    Bytes by_compiler(frame.size()), by_library(frame.size()), by_device(frame.size());
    write_frame(typename Pipeline::Stages(), Container::kWide, compiled.data(), by_compiler.data());
    frames.write(listed, by_library.data());
    write_frame(steps, program.wide, device.data(), by_device.data());
    EXPECT_EQ(by_compiler, frame);
    EXPECT_EQ(by_library, frame);
    EXPECT_EQ(by_device, frame);
  }
  EXPECT_GT(good, 100u);
  EXPECT_GT(refused, 100u);
  EXPECT_EQ(longest > 0xffff, Container::kWide);
}

TEST(FrameParity, OneStageList) {
  expect_parity<StaticPipeline<std::uint64_t, 1, Use<Ze>>>("ZE");
  expect_parity<StaticPipeline<std::uint32_t, 0, Use<Rle>>>("| RLE");
}

TEST(FrameParity, ReducingStagesBeforeAndAfterTheCut) {
  expect_parity<Mpc>("LNV6s BIT LNV1s ZE");
  expect_parity<StaticPipeline<std::uint32_t, 2, Use<Rle>, Sub<1>, Use<Dim, 8>, Use<Ze>>>(
      "RLE LNV1s | DIM8 ZE");
  expect_parity<StaticPipeline<std::uint64_t, 1, Use<Ze>, Use<Bit>, Use<Rle>>>("ZE | BIT RLE");
}

TEST(FrameParity, StagesThatDoNothing) {
  expect_parity<StaticPipeline<std::uint64_t, 2, Use<Nul>, Use<Rle>, Use<Nul>, Use<Ze>>>(
      "NUL RLE | NUL ZE");
}

TEST(FrameParity, WideLengths) {
  expect_parity<StaticPipeline<std::uint64_t, 0, Use<Rle>, Use<Ze>, Use<Rle>, Use<Ze>, Use<Rle>,
                               Use<Rle>, Use<Rle>, Use<Rle>>>("| RLE ZE RLE ZE RLE RLE RLE RLE");
}

TEST(FrameParity, FindsTheSameBlocksInContainers) {
  const Bytes original = signal(100 * 8192 + 5, 8);
  const synth::Pipeline pipeline = synth::parse_pipeline("LNV6s BIT LNV1s ZE");
  const Bytes container = compress(original, pipeline, 8);
  const Header header = parse_header(container, "x");
  const PipelineFrames frames(header);
  using Container = StaticContainer<Mpc>;
  struct Found {
    Fault fault;
    std::vector<std::uint64_t> starts;
  };
  const auto find = [](const auto& stages, bool wide, const ContainerLayout& layout,
                       const Bytes& in) {
    Found found;
    found.fault = find_blocks(
        stages, wide, layout, in.data(), in.size(),
        [&](std::uint64_t, std::uint64_t at, std::uint64_t) { found.starts.push_back(at); });
    return found;
  };
  const ContainerLayout layout = frames.layout(original.size());
  const auto expect = [&](const Bytes& in, FaultKind kind, std::uint64_t chunk,
                          std::uint64_t bytes) {
    const Found fixed =
        find(Mpc::Stages(), Container::kWide, Container::layout(original.size()), in);
    const Found dynamic = find(frames.stages(), frames.wide(), layout, in);
    for (const Found& found : {fixed, dynamic}) {
      EXPECT_EQ(found.fault.kind, kind);
      EXPECT_EQ(found.fault.chunk, chunk);
      EXPECT_EQ(found.fault.bytes, bytes);
      EXPECT_EQ(found.starts, fixed.starts);
    }
    EXPECT_EQ(fixed.starts.size(),
              kind == FaultKind::None || kind == FaultKind::Trailing ? 100 : chunk);
  };
  expect(container, FaultKind::None, 0, 0);
  Bytes bad = container;
  bad.resize(bad.size() + 3);
  expect(bad, FaultKind::Trailing, 0, 3);
  bad.resize(container.size() - 1);
  expect(bad, FaultKind::End, 99, 0);
  bad = container;
  store(&bad[layout.frame_at(42)], std::uint16_t{0});
  expect(bad, FaultKind::Frame, 42, 0);
}

TEST(ContainerLayout, RefusesSizesWithTooFewFrames) {
  const ContainerLayout empty = StaticContainer<Mpc>::layout(0);
  EXPECT_EQ(empty.accept(35), Status::Damaged);
  EXPECT_EQ(empty.accept(36), Status::Ok);
  const ContainerLayout layout = StaticContainer<Mpc>::layout(10 * 8192 + 9);
  EXPECT_EQ(layout.chunks, 11u);
  EXPECT_EQ(layout.blocks_at, 36u + 1 + 11 * 2);
  EXPECT_EQ(layout.accept(layout.blocks_at), Status::Ok);
  EXPECT_EQ(layout.accept(layout.blocks_at - 1), Status::Damaged);
  EXPECT_EQ(layout.accept(0), Status::Damaged);
  const ContainerLayout forged = StaticContainer<Mpc>::layout(SIZE_MAX);
  EXPECT_EQ(forged.accept(std::uint64_t{1} << 40), Status::Damaged);
  EXPECT_EQ(forged.bound(), 0u);
}

TEST(ContainerLayout, SlicesAreRunsOfChunks) {
  const ContainerLayout layout = StaticContainer<Mpc>::layout(2 * kSliceBytes + 8192 + 16 + 3);
  ASSERT_EQ(layout.slices(), 3u);
  EXPECT_EQ(layout.slice_bytes(), kSliceBytes);
  EXPECT_EQ(layout.bytes_of(0), kSliceBytes);
  EXPECT_EQ(layout.bytes_of(2), 8192u + 16);
  EXPECT_EQ(layout.first_chunk(2), 32u);
  EXPECT_EQ(layout.end_chunk(2), 34u);
  EXPECT_EQ(layout.words_of(33), 2u);
  EXPECT_EQ(StaticContainer<Mpc>::layout(7).slices(), 0u);
}

}  // namespace
}  // namespace fpsynth::codec
