#pragma once
// Divides the walk of a batch of chunks into work items for the thread blocks of a device. Every
// item is a part of the plan on a group of chunks (WalkPart, WalkBody). The division depends on the
// arguments alone.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runners/search/gpu/walk_kernel.hpp"
#include "synth/plan.hpp"

namespace fpsynth::search {

/// The plan's edges in the order of the walk.
inline std::vector<WalkEdge> walk_edges(const synth::Plan& plan) {
  std::vector<WalkEdge> edges;
  auto add = [&](const synth::PlanEdge& edge, std::size_t depth, std::size_t index) {
    edges.push_back({{edge.component.family, edge.component.parameter, edge.on_bytes,
                      static_cast<std::uint8_t>(depth)},
                     static_cast<std::uint32_t>(index)});
  };
  for (std::size_t n = 0; n < plan.nodes().size(); ++n) {
    const synth::PlanNode& node = plan.nodes()[n];
    if (node.depth > 0) add(node.edge, node.depth, n);
    for (std::size_t leaf = node.leaves; leaf < node.leaves + node.leaf_count; ++leaf) {
      add(plan.leaves()[leaf], (node.depth + 1u) | WalkEdge::kLeaf, leaf);
    }
  }
  return edges;
}

/// Stages that parts run in addition to the plan's: those of their paths, and one for every chunk
/// loaded again, which takes about as long.
inline std::size_t repeated_edges(std::span<const WalkPart> parts) {
  std::size_t repeated = parts.size() - 1;
  for (const WalkPart& part : parts) repeated += part.path_length;
  return repeated;
}

/// Divides the walk into parts of at most `most` edges, or of one node with its leaves, which are
/// never separated. A part ends in the second half of what it may have, where the next one's path
/// is shortest, so that there are at most 2 * edges / most + 1 parts unless nodes have more leaves.
inline std::vector<WalkPart> walk_parts(std::span<const WalkEdge> edges, std::size_t most) {
  const auto depth = [&](std::size_t i) { return edges[i].depth(); };
  const auto is_node = [&](std::size_t i) { return !edges[i].is_leaf(); };
  std::vector<WalkPart> parts;
  std::uint32_t path[WalkPart::kLongestPath + 1] = {};  // of edge `begin`
  for (std::size_t begin = 0; begin < edges.size();) {
    std::size_t end = std::min(begin + most, edges.size());
    if (end < edges.size()) {
      std::size_t best = edges.size();
      for (std::size_t i = end; i > begin + most / 2; --i) {
        if (is_node(i) && (best == edges.size() || depth(i) < depth(best))) best = i;
      }
      if (best == edges.size()) {
        while (end < edges.size() && !is_node(end)) ++end;
      } else {
        end = best;
      }
    }
    WalkPart part{
        static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), depth(begin) - 1u, {}};
    std::copy_n(path, part.path_length, part.path);
    parts.push_back(part);
    for (; begin < end; ++begin) {
      if (is_node(begin)) path[depth(begin) - 1] = static_cast<std::uint32_t>(begin);
    }
  }
  return parts;
}

/// The work items of a batch.
struct Schedule {
  std::vector<WalkPart> parts;
  std::uint32_t group = 1, groups = 0;  ///< as WalkBody::Args

  std::size_t items() const { return parts.size() * groups; }
};

/// Items per thread block, so that blocks end at about the same time whatever an item takes.
constexpr std::size_t kItemsPerBlock = 8;
/// Most edges of an item: some ten milliseconds on a GPU, much less than a launch.
constexpr std::size_t kMostEdges = 2048;
/// Most that parts may repeat, as a share of the plan's edges.
constexpr double kMostRepeated = 0.07;

/// The number of groups of chunks from which a device with `blocks` resident thread blocks is busy
/// with items of kMostEdges.
inline std::size_t groups_to_fill(std::size_t edges, std::size_t blocks) {
  const std::size_t groups = (kItemsPerBlock * blocks * kMostEdges + edges - 1) / edges;
  return std::clamp<std::size_t>(groups, 1, std::max<std::size_t>(blocks, 1));
}

/// The number of edges of an item that leaves kItemsPerBlock of them for each thread block.
inline std::size_t item_edges(std::size_t edges, std::size_t groups, std::size_t blocks) {
  return std::clamp<std::size_t>(edges * groups / (kItemsPerBlock * blocks), 1, kMostEdges);
}
/// Most parts that schedule_of() makes of a plan.
inline std::size_t most_parts(std::size_t edges, std::size_t blocks) {
  return 2 * edges / item_edges(edges, 1, blocks) + 1;
}

/// Divides the walk of `chunks` chunks, at least one, in groups of `group`, for `blocks` thread
/// blocks: into items of item_edges(), or of more if these repeat too much.
inline Schedule schedule_of(std::span<const WalkEdge> edges, std::size_t chunks, std::size_t group,
                            std::size_t blocks) {
  Schedule schedule;
  schedule.group = static_cast<std::uint32_t>(group);
  schedule.groups = static_cast<std::uint32_t>((chunks + group - 1) / group);
  std::size_t most = item_edges(edges.size(), schedule.groups, blocks);
  do {
    schedule.parts = walk_parts(edges, most);
    most += most / 4 + 1;
  } while (double(repeated_edges(schedule.parts)) > kMostRepeated * double(edges.size()));
  return schedule;
}

}  // namespace fpsynth::search
