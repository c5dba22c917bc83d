#include "runners/search/subtrees.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>
#include <utility>

#include "synth/pipeline.hpp"

namespace fpsynth::search {
namespace {

/// Stages below a node: its leaves, then its children with the number of their shape.
struct Shape {
  struct Edge {
    std::size_t family;
    unsigned parameter;
    bool on_bytes;
    std::uint32_t shape;  ///< of a child; 0 for a leaf, whose shape no child has
    auto operator<=>(const Edge&) const = default;
  };
  std::vector<Edge> edges;
  auto operator<=>(const Shape&) const = default;

  void add(const synth::PlanEdge& edge, std::uint32_t shape) {
    edges.push_back({edge.component.family, edge.component.parameter, edge.on_bytes, shape});
  }
};

/// A number for an edge and the node that it starts at.
std::uint64_t key_of(std::size_t from, const synth::PlanEdge& edge) {
  return std::uint64_t{from} << 24 | std::uint64_t{edge.component.family} << 16 |
         std::uint64_t{edge.component.parameter} << 8 | std::uint64_t{edge.on_bytes};
}

/// Sorts the stages, exchanging only neighbours that commute. Stages that are equal but for the
/// order of those that commute become equal.
void sort_commuting(std::vector<synth::PlanEdge>& stages) {
  for (std::size_t end = 1; end < stages.size(); ++end) {
    for (std::size_t i = end; i > 0; --i) {
      synth::PlanEdge &first = stages[i - 1], &second = stages[i];
      if (first.on_bytes != second.on_bytes || !(second.component < first.component) ||
          !synth::commute(first.component.family, second.component.family)) {
        break;
      }
      std::swap(first, second);
    }
  }
}

}  // namespace

Subtrees::Subtrees(const synth::Plan& plan) : subtrees_(plan.nodes().size()) {
  find_shapes(plan);
  find_same(plan);
}

void Subtrees::find_shapes(const synth::Plan& plan) {
  const auto nodes = plan.nodes();
  std::map<Shape, std::uint32_t> shapes;
  std::vector<std::vector<std::size_t>> orphans;  // by depth: nodes whose parent is still to come
  for (std::size_t n = nodes.size(); n-- > 0;) {
    const synth::PlanNode& node = nodes[n];
    orphans.resize(std::max<std::size_t>(orphans.size(), node.depth + 2u));
    std::vector<std::size_t>& children = orphans[node.depth + 1u];
    Subtree& subtree = subtrees_[n];
    subtree.end = std::uint32_t(children.empty() ? n + 1 : subtrees_[children.front()].end);
    subtree.leaf_count = node.leaf_count;
    Shape shape;
    for (std::size_t leaf = node.leaves; leaf < node.leaves + node.leaf_count; ++leaf) {
      shape.add(plan.leaves()[leaf], 0);
    }
    for (const std::size_t child : children) {
      shape.add(nodes[child].edge, subtrees_[child].shape);
      subtree.leaf_count += subtrees_[child].leaf_count;
    }
    subtree.shape =
        shapes.emplace(std::move(shape), std::uint32_t(shapes.size() + 1)).first->second;
    inner_nodes_ += !children.empty();
    children.clear();
    orphans[node.depth].push_back(n);
  }
}

void Subtrees::find_same(const synth::Plan& plan) {
  const auto nodes = plan.nodes();
  std::unordered_map<std::uint64_t, std::uint32_t> children;
  children.reserve(nodes.size());
  std::vector<std::size_t> path(1, 0);  // of nodes, by depth
  std::vector<synth::PlanEdge> stages;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    subtrees_[n].same = std::uint32_t(n);
    if (nodes[n].depth == 0) continue;
    path.resize(nodes[n].depth);
    children.emplace(key_of(path.back(), nodes[n].edge), std::uint32_t(n));
    path.push_back(n);
    stages.clear();
    for (std::size_t depth = 1; depth < path.size(); ++depth) {
      stages.push_back(nodes[path[depth]].edge);
    }
    sort_commuting(stages);
    // Nodes that come later in the walk are not yet among the children.
    std::size_t same = 0;
    for (const synth::PlanEdge& stage : stages) {
      const auto child = children.find(key_of(same, stage));
      same = child == children.end() ? n : child->second;
      if (child == children.end()) break;
    }
    if (subtrees_[same].shape == subtrees_[n].shape) subtrees_[n].same = std::uint32_t(same);
  }
}

EqualStates::EqualStates(const Subtrees& subtrees)
    : subtrees_(subtrees), table_(std::bit_ceil(2 * subtrees.inner_nodes() + 1)) {}

std::size_t EqualStates::first_equal(std::size_t node, std::span<const std::byte> block) {
  if (subtrees_.end(node) == node + 1) return node;
  const std::uint32_t shape = subtrees_.shape(node);
  const XXH128_hash_t hash = XXH3_128bits_withSeed(block.data(), block.size(), shape);
  const auto bytes = std::uint32_t(block.size());
  for (std::size_t place = hash.low64;; ++place) {
    Entry& entry = table_[place & (table_.size() - 1)];
    if (entry.chunk != chunk_) {
      entry = {hash.low64, hash.high64, bytes, std::uint32_t(node), chunk_};
      return node;
    }
    if (entry.low == hash.low64 && entry.high == hash.high64 && entry.bytes == bytes &&
        subtrees_.shape(entry.node) == shape) {
      return entry.node;
    }
  }
}

}  // namespace fpsynth::search
