// The walks of the search, in the layouts that suit different amounts of shared memory.

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "components/stage_table.hpp"
#include "runners/check/steps.hpp"
#include "runners/search/engine.hpp"
#include "runners/search/gpu/walk_memory.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/words.hpp"
#include "synth/pipeline.hpp"
#include "synth/plan.hpp"

namespace fpsynth::check {
namespace {

using search::Mode;

/// The number of the layout among those of a search: "roomy", the one that spills nothing but
/// blocks that grow; "spilled", the first one that spills a depth; "cramped", the one with the
/// least shared memory.
std::size_t number_of(std::string_view layout, const synth::Plan& plan, std::size_t word_bytes,
                      Mode mode) {
  const auto layouts =
      search::walk_layouts(plan.worst_case_bytes(word_bytes, plan.input_words()),
                           plan.space().chunk_words * word_bytes, mode == Mode::Verify);
  auto found = layouts.begin();
  if (layout == "spilled")
    found = std::ranges::find(layouts, 0u,
                              [](const search::WalkBlocks& blocks) { return blocks.room(0); });
  if (layout == "cramped")
    found = std::ranges::min_element(layouts, {}, &search::WalkBlocks::shared_bytes);
  return std::size_t(found - layouts.begin());
}

using Chunks = std::vector<std::span<const std::byte>>;

search::Totals totals_of(search::Engine& engine, const synth::Plan& plan, const Chunks& chunks) {
  std::vector<std::uint8_t> finished(chunks.size());
  engine.walk(chunks, finished, {[] { return false; }, [](std::uint64_t) {}});
  search::Totals totals(plan);
  engine.add_to(totals);
  const auto missing = std::ranges::find(finished, 0);
  if (missing == finished.end()) return totals;
  throw Difference(fmt::format("chunk {} was not walked", missing - finished.begin()));
}

std::string pipeline_of(const synth::Plan& plan, std::size_t leaf) {
  const auto leaves = plan.leaf_of_id();
  const auto id = std::ranges::find(leaves, leaf) - leaves.begin();
  return synth::to_string(plan.space().at(std::uint64_t(id)));
}

/// The first thing that differs, or an empty text.
std::string difference(const synth::Plan& plan, const search::Totals& found,
                       const search::Totals& expected) {
  for (std::size_t node = 0; node < expected.failed_nodes.size(); ++node) {
    if (found.failed_nodes[node] == expected.failed_nodes[node]) continue;
    const synth::PlanEdge& edge = plan.nodes()[node].edge;
    return fmt::format("{}{}, stage {} (node {}), does not decode {} of the chunks, by the CPU {}",
                       synth::to_string(edge.component), edge.on_bytes ? " on bytes" : "",
                       plan.nodes()[node].depth, node, found.failed_nodes[node],
                       expected.failed_nodes[node]);
  }
  for (std::size_t leaf = 0; leaf < expected.block_bytes.size(); ++leaf) {
    if (found.block_bytes[leaf] != expected.block_bytes[leaf]) {
      return fmt::format("{} gives {} bytes, not {}", pipeline_of(plan, leaf),
                         found.block_bytes[leaf], expected.block_bytes[leaf]);
    }
    if (found.failed_leaves[leaf] != expected.failed_leaves[leaf]) {
      return fmt::format("the last stage of {} does not decode {} of the chunks, by the CPU {}",
                         pipeline_of(plan, leaf), found.failed_leaves[leaf],
                         expected.failed_leaves[leaf]);
    }
  }
  return {};
}

std::unique_ptr<search::Engine> cpu(const synth::Plan& plan, std::size_t word_bytes, Mode mode) {
  return search::cpu_engine(0, components::default_stages(), true)(plan, word_bytes, mode);
}

std::string search_in(Target& target, std::string_view layout, std::size_t word_bytes, Mode mode) {
  const synth::Plan plan(target.work().space);
  const std::size_t number = number_of(layout, plan, word_bytes, mode);
  const std::size_t chunk = plan.space().chunk_words, rest = 77;
  const auto data = sample(target.work().searched_chunks * chunk + rest, word_bytes, chunk);
  Chunks chunks;
  for (std::size_t at = 0; at < data.size(); at += chunk * word_bytes) {
    chunks.push_back(std::span(data).subspan(at, std::min(chunk * word_bytes, data.size() - at)));
  }
  const auto start = Clock::now();
  const auto on_device = target.engine(plan, word_bytes, mode, number);
  const double ready = seconds_since(start);  // with what the driver has to load or compile
  const auto found = totals_of(*on_device, plan, chunks);
  const auto expected = totals_of(*cpu(plan, word_bytes, mode), plan, chunks);
  const std::string all = difference(plan, found, expected);
  if (all.empty()) {
    return fmt::format("{} of {}, layout {}, ready after {:.3f} s",
                       counted(plan.leaves().size(), "pipeline"), counted(chunks.size(), "chunk"),
                       number, ready);
  }
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const Chunks alone{chunks[i]};
    const std::string one =
        difference(plan, totals_of(*target.engine(plan, word_bytes, mode, number), plan, alone),
                   totals_of(*cpu(plan, word_bytes, mode), plan, alone));
    if (one.empty()) continue;
    throw Difference(
        fmt::format("the walking kernel differs on all chunks: {}; alone, first on chunk {} ({} "
                    "bytes): {}",
                    all, i, chunks[i].size(), one));
  }
  throw Difference("the walking kernel differs on all chunks, and on none of them alone: " + all);
}

}  // namespace

void add_search_steps(std::vector<Step>& steps) {
  for (const char* const layout : {"roomy", "spilled", "cramped"}) {
    for (const std::size_t word_bytes : {8, 4}) {
      for (const Mode mode : {Mode::Verify, Mode::Count}) {
        steps.push_back(
            {fmt::format("search {} {} {}", layout, word_bytes == 8 ? "doubles" : "singles",
                         mode == Mode::Verify ? "verified" : "counted"),
             [=](Target& target) { return search_in(target, layout, word_bytes, mode); }});
      }
    }
  }
}

}  // namespace fpsynth::check
