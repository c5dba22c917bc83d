// The division of a walk into work items: the parts that they hold, the same results of a device
// for any division and in any layout of its memory, and that a device is kept busy. The last is a
// simulation with measured costs.

#include "runners/search/gpu/work_items.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <queue>

#include "runners/search/walker.hpp"
#include "tests/runners/search/support.hpp"
#include "tests/support/ptx_device.hpp"

namespace fpsynth::search {
namespace {

using device::EmulatedDevice;

/// Checks what WalkBody requires of parts, and that no node is separated from its leaves.
void expect_whole(std::span<const WalkPart> parts, std::span<const WalkEdge> edges) {
  std::uint32_t next = 0;
  std::vector<std::uint32_t> path;
  for (const WalkPart& part : parts) {
    ASSERT_EQ(part.begin, next);
    ASSERT_LT(part.begin, part.end);
    ASSERT_TRUE(part.begin == 0 || !edges[part.begin].is_leaf());
    ASSERT_EQ(part.path_length, edges[part.begin].depth() - 1);
    ASSERT_TRUE(std::equal(part.path, part.path + part.path_length, path.begin())) << part.begin;
    for (; next < part.end; ++next) {
      if (edges[next].is_leaf()) continue;
      path.resize(edges[next].depth() - 1);
      path.push_back(next);
    }
  }
  EXPECT_EQ(next, edges.size());
}

TEST(WorkItems, HoldEveryEdgeOnceWithThePathToIt) {
  for (const synth::Plan* plan : {&small_plan(), &paper_plan()}) {
    const auto edges = walk_edges(*plan);
    for (const std::size_t most : {1, 2, 3, 10, 57, 1000, 2048, 1000000}) {
      SCOPED_TRACE(most);
      const auto parts = walk_parts(edges, most);
      expect_whole(parts, edges);
      EXPECT_LE(parts.size(), 2 * edges.size() / most + 1);
      for (const WalkPart& part : parts) {
        // A node has four leaves at most.
        ASSERT_LE(part.end - part.begin, std::max<std::size_t>(most, 5));
      }
    }
  }
}

TEST(WorkItems, RepeatLittleAndFitTheirMemory) {
  for (const synth::Plan* plan : {&small_plan(), &paper_plan()}) {
    const auto edges = walk_edges(*plan);
    for (const std::size_t blocks : {1, 3, 396, 5000}) {
      for (const std::size_t chunks : {1, 7, 16, 396, 100000}) {
        const Schedule schedule = schedule_of(edges, chunks, 1, blocks);
        EXPECT_EQ(schedule.groups, chunks);
        EXPECT_LE(double(repeated_edges(schedule.parts)), 0.07 * double(edges.size()));
        EXPECT_LE(schedule.parts.size(), most_parts(edges.size(), blocks));
      }
    }
  }
  const auto edges = walk_edges(paper_plan());
  EXPECT_EQ(schedule_of(edges, 17, 8, 396).groups, 3u);
  for (const WalkPart& part : schedule_of(edges, 100000, 1, 396).parts) {
    EXPECT_LE(part.end - part.begin, kMostEdges) << "a launch shall not wait long for the last one";
  }
}

/// Warp instructions of edges, counted while chunk 1000 of num_plasma, doubles, was walked by one
/// warp: of the stages of a family, on words and on bytes. Those of verified edges are of an
/// earlier version, and together some 12 % more than today's.
struct Cost {
  const char* type;  ///< of the family
  double on_words, on_bytes;
};
/// Verified, leaves are like nodes. Counted, all leaves of a node are counted at once: what each
/// takes is the mean of all.
constexpr Cost kVerified[] = {
    {"Inv", 1037, 1030},    {"Bit", 7536, 2357}, {"Dim", 1904, 3503}, {"LnvSub", 1669, 5124},
    {"LnvXor", 1678, 3691}, {"Ze", 3171, 4770},  {"Rle", 3530, 6590},
};
constexpr Cost kCounted[] = {
    {"Inv", 291, 492},    {"Bit", 1541, 1059}, {"Dim", 325, 852},   {"LnvSub", 352, 728},
    {"LnvXor", 350, 468}, {"Ze", 1611, 2891},  {"Rle", 1960, 4179},
};
constexpr Cost kCountedLeaves[] = {{"Ze", 440, 440}, {"Rle", 440, 440}};
constexpr double kLoad = 1200;

double cost_of(const WalkEdge& edge, bool verify) {
  std::span<const Cost> costs(kVerified);
  if (!verify) costs = edge.is_leaf() ? std::span<const Cost>(kCountedLeaves) : kCounted;
  const std::string_view type = synth::family(edge.step.family).type;
  for (const Cost& cost : costs) {
    if (cost.type == type) return edge.step.on_bytes ? cost.on_bytes : cost.on_words;
  }
  ADD_FAILURE() << "no cost of " << type;
  return 0;
}

/// The share of their time that `blocks` thread blocks spend on edges that are counted, until the
/// last one ends. Each takes the next item as soon as it has none; a path costs as much as if it
/// were verified again.
double busy(const Schedule& schedule, std::span<const WalkEdge> edges, std::size_t blocks,
            bool verify) {
  std::vector<double> costs;
  for (const WalkEdge& edge : edges) costs.push_back(cost_of(edge, verify));
  std::priority_queue<double, std::vector<double>, std::greater<>> ends;
  for (std::size_t block = 0; block < blocks; ++block) ends.push(0);
  double last = 0, counted = 0;
  for (const WalkPart& part : schedule.parts) {
    const double own = std::accumulate(costs.begin() + part.begin, costs.begin() + part.end, 0.0);
    double cost = kLoad + own;
    for (std::uint32_t i = 0; i < part.path_length; ++i) cost += costs[part.path[i]];
    for (std::uint32_t group = 0; group < schedule.groups; ++group) {
      const double end = ends.top() + cost;
      ends.pop();
      ends.push(end);
      last = std::max(last, end);
      counted += own;
    }
  }
  return counted / (double(blocks) * last);
}

TEST(WorkItems, KeepAGpuBusy) {
  const auto edges = walk_edges(paper_plan());
  // An H100 with few large thread blocks or many small ones.
  for (const std::size_t blocks : {132 * 3, 132 * 6, 132 * 8, 132 * 16}) {
    for (const bool verify : {true, false}) {
      SCOPED_TRACE((verify ? "verified by " : "counted by ") + std::to_string(blocks));
      for (const std::size_t chunks : {16, 37, 396, 1000}) {
        SCOPED_TRACE(chunks);
        EXPECT_GE(busy(schedule_of(edges, chunks, 1, blocks), edges, blocks, verify), 0.8);
      }
      // Whole chunks do not.
      const Schedule whole{walk_parts(edges, edges.size()), 1, 16};
      EXPECT_LT(busy(whole, edges, blocks, verify), 0.05);
    }
  }
}

/// The results of WalkBody on chunks, in a launch for every `items` items.
template <class W, bool Verify, class Device>
struct Found {
  std::vector<std::uint32_t> leaf_bytes, failed_nodes, failed_leaves;

  static constexpr std::size_t kChunkBytes = synth::kChunkWords * sizeof(W);

  /// With room for a chunk in each block of shared memory, unless the layout is given.
  Found(const synth::Plan& plan, std::span<const WalkPart> parts, std::uint32_t group,
        std::span<const std::vector<std::byte>> chunks, std::uint32_t items,
        const typename Device::Options& options, std::optional<WalkBlocks> layout = {}) {
    using Body = WalkBody<W, Verify>;
    constexpr std::uint32_t kBlocks = 2;
    Device device(options);
    auto stream = device.make_stream();
    const auto on_device = [&]<class T>(const std::vector<T>& values) {
      auto buffer = device.template allocate<T>(values.size());
      device.to_device(stream, buffer.data(), values.data(), values.size());
      return buffer;
    };
    std::vector<std::byte> data(chunks.size() * kChunkBytes);
    std::vector<std::uint32_t> lengths;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      std::copy(chunks[i].begin(), chunks[i].end(), data.begin() + std::ptrdiff_t(i * kChunkBytes));
      lengths.push_back(static_cast<std::uint32_t>(chunks[i].size()));
    }
    const auto leaves = static_cast<std::uint32_t>(plan.leaves().size());
    const auto nodes = static_cast<std::uint32_t>(plan.nodes().size());
    const WalkBlocks blocks = layout.value_or(
        walk_blocks(plan.worst_case_bytes(sizeof(W), synth::kChunkWords), kChunkBytes, Verify));
    auto device_data = on_device(data);
    auto device_lengths = on_device(lengths);
    auto device_parts = on_device(std::vector<WalkPart>(parts.begin(), parts.end()));
    auto edges = on_device(walk_edges(plan));
    auto counters = on_device(std::vector<std::uint32_t>(kBlocks * leaves + nodes + leaves + 1));
    auto spilled = device.template allocate<std::byte>(kBlocks * blocks.spilled_bytes);
    const auto groups = static_cast<std::uint32_t>((chunks.size() + group - 1) / group);
    const auto all = static_cast<std::uint32_t>(parts.size()) * groups;
    for (std::uint32_t first = 0; first < all; first += items) {
      typename Body::Args args{};
      args.data = device_data.data();
      args.chunk_lengths = device_lengths.data();
      args.chunk_bytes = kChunkBytes;
      args.chunks = static_cast<std::uint32_t>(chunks.size());
      args.group = group;
      args.groups = groups;
      args.first_item = first;
      args.items = std::min(items, all - first);
      args.leaf_bytes = counters.data();
      args.failed_nodes = args.leaf_bytes + kBlocks * leaves;
      args.failed_leaves = args.failed_nodes + nodes;
      args.next = args.failed_leaves + leaves;
      args.parts = device_parts.data();
      args.edges = edges.data();
      args.leaves = leaves;
      args.blocks = blocks;
      args.spilled = spilled.data();
      device.clear(stream, args.next, 1);
      device.template launch<Body>(stream, kBlocks,
                                   Body::shared_bytes(blocks, device.template lanes<Body>()), args);
    }
    std::vector<std::uint32_t> all_counters(counters.size());
    device.to_host(stream, all_counters.data(), counters.data(), counters.size());
    device.wait(stream);
    auto take = [&, at = all_counters.begin()](std::size_t count) mutable {
      const auto begin = std::exchange(at, at + std::ptrdiff_t(count));
      return std::vector<std::uint32_t>(begin, at);
    };
    leaf_bytes = take(leaves);
    const auto of_second_block = take(leaves);
    std::ranges::transform(leaf_bytes, of_second_block, leaf_bytes.begin(), std::plus<>());
    failed_nodes = take(nodes);
    failed_leaves = take(leaves);
  }
  bool operator==(const Found&) const = default;
};

/// A plan whose nodes are three deep, of stages of all kinds.
const synth::Plan& deep_plan() {
  static const synth::Plan plan([] {
    synth::Space space = synth::Space::paper();
    space.cuts = {0, 2, 4};
    space.components = {*synth::parse_component("BIT"), *synth::parse_component("RLE"),
                        *synth::parse_component("LNV1s")};
    return space;
  }());
  return plan;
}

/// Chunks that grow, shrink and are short.
template <class W>
std::vector<std::vector<std::byte>> different_chunks() {
  using testing::Content;
  std::vector<std::vector<std::byte>> chunks;
  for (const auto& [content, words] :
       {std::pair{Content::Smooth, 100}, {Content::Random, 67}, {Content::LongRuns, 130}}) {
    chunks.push_back(testing::make_block(content, sizeof(W), words));
  }
  return chunks;
}

template <class W, bool Verify, class Device>
void expect_the_same_however_divided(const typename Device::Options& options = {},
                                     bool failures = false) {
  const auto edges = walk_edges(deep_plan());
  const auto chunks = different_chunks<W>();
  using Result = Found<W, Verify, Device>;
  const Result whole(deep_plan(), walk_parts(edges, edges.size()), 1, chunks, 1000000, options);
  Walker walker(deep_plan(), sizeof(W), Mode::Count, components::default_stages());
  for (const auto& chunk : chunks) walker.walk(chunk);
  if (!failures) {
    EXPECT_TRUE(std::ranges::equal(whole.leaf_bytes, walker.block_bytes()));
  }
  const auto failed = [](const std::vector<std::uint32_t>& counts) {
    return std::ranges::any_of(counts, [](std::uint32_t count) { return count > 0; });
  };
  EXPECT_EQ(failed(whole.failed_nodes), failures);
  const auto every_node = walk_parts(edges, 1);
  ASSERT_TRUE(std::ranges::any_of(every_node, [](auto& part) { return part.path_length == 2; }));
  for (const std::uint32_t group : {1, 2, 5}) {
    SCOPED_TRACE(group);
    EXPECT_TRUE(whole == Result(deep_plan(), every_node, group, chunks, 50, options));
  }
  EXPECT_TRUE(whole == Result(deep_plan(), walk_parts(edges, 20), 1, chunks, 7, options));
}

TEST(WorkItems, DoNotChangeWhatIsFound) {
  expect_the_same_however_divided<std::uint64_t, true, EmulatedDevice>();
  expect_the_same_however_divided<std::uint64_t, false, EmulatedDevice>();
  expect_the_same_however_divided<std::uint32_t, true, EmulatedDevice>();
}

TEST(WorkItems, ReportAFailureOnce) {
  expect_the_same_however_divided<std::uint64_t, true, EmulatedDevice>(faulty(), true);
}

TEST(WorkItems, PTX_DoNotChangeWhatIsFound) {
  FPSYNTH_NEEDS_PTX();
  expect_the_same_however_divided<std::uint64_t, true, ptx::PtxDevice>();
  expect_the_same_however_divided<std::uint32_t, false, ptx::PtxDevice>();
}

/// A chunk that RLE expands by half, behind INV too, in every layout that a device may choose: RLE
/// is tried in less, and what did not fit is done again, for nodes (also of a path) and leaves.
/// Counted, leaves write no block.
template <class W, bool Verify, class Device>
void expect_the_processors_numbers_where_rle_outgrows_memory() {
  SCOPED_TRACE((Verify ? "verified, words of " : "counted, words of ") + std::to_string(sizeof(W)));
  using Result = Found<W, Verify, Device>;
  synth::Space space = synth::Space::paper();
  space.stages = 3;
  space.cuts = {0};
  space.components = {*synth::parse_component("INV"), *synth::parse_component("RLE")};
  const synth::Plan plan(space);
  const auto parts = walk_parts(walk_edges(plan), 1);
  const std::vector<std::vector<std::byte>> chunks = {
      testing::make_block(testing::Content::Pairs, 1, Result::kChunkBytes)};
  const Mode mode = Verify ? Mode::Verify : Mode::Count;
  Walker walker(plan, sizeof(W), mode, components::serial_stages());
  walker.walk(chunks[0]);
  std::size_t tried_in_less = 0;
  const auto lengths = plan.worst_case_bytes(sizeof(W), synth::kChunkWords);
  for (const WalkBlocks& layout : walk_layouts(lengths, Result::kChunkBytes, Verify)) {
    SCOPED_TRACE(layout.shared_bytes);
    const Result found(plan, parts, 1, chunks, 1000, {}, layout);
    EXPECT_TRUE(std::ranges::equal(found.leaf_bytes, walker.block_bytes()));
    EXPECT_EQ(std::ranges::count(found.failed_nodes, 0u), std::ranges::ssize(found.failed_nodes));
    EXPECT_EQ(std::ranges::count(found.failed_leaves, 0u), std::ranges::ssize(found.failed_leaves));
    const std::uint32_t room = layout.room(1);
    tried_in_less += room >= Result::kChunkBytes && room < std::ranges::max(walker.block_bytes());
  }
  EXPECT_GT(tried_in_less, 0u);
}
template <class Device>
void expect_the_processors_numbers_where_rle_outgrows_memory() {
  expect_the_processors_numbers_where_rle_outgrows_memory<std::uint64_t, true, Device>();
  expect_the_processors_numbers_where_rle_outgrows_memory<std::uint64_t, false, Device>();
  expect_the_processors_numbers_where_rle_outgrows_memory<std::uint32_t, true, Device>();
  expect_the_processors_numbers_where_rle_outgrows_memory<std::uint32_t, false, Device>();
}

TEST(WalkLayouts, GiveTheProcessorsNumbersWhereRleOutgrowsThem) {
  expect_the_processors_numbers_where_rle_outgrows_memory<EmulatedDevice>();
}
TEST(WalkLayouts, PTX_GiveTheProcessorsNumbersWhereRleOutgrowsThem) {
  FPSYNTH_NEEDS_PTX();
  expect_the_processors_numbers_where_rle_outgrows_memory<ptx::PtxDevice>();
}

}  // namespace
}  // namespace fpsynth::search
