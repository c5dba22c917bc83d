#include "synth/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>

namespace fpsynth::synth {
namespace {

/// A node of the tree during construction. Children are sorted by key.
struct Draft {
  struct Key {
    Component component;
    bool on_bytes;
    auto operator<=>(const Key&) const = default;
  };
  PlanEdge edge;
  std::map<Key, std::unique_ptr<Draft>> children;
  std::map<Key, std::vector<std::uint64_t>> leaves;  ///< the ids of each leaf
};

/// Adds all pipelines with one cut.
class CutGrower {
 public:
  CutGrower(const Space& space, std::size_t cut_index, Draft& root)
      : space_(space), cut_(space.cuts[cut_index]) {
    grow(root, 0, cut_index);
  }

 private:
  void grow(Draft& node, unsigned stage, std::uint64_t id) {
    const bool on_bytes = stage >= cut_;
    if (stage + 1 == space_.stages) {
      for (std::size_t f = 0; f < space_.last.size(); ++f) {
        node.leaves[{space_.last[f], on_bytes}].push_back(id * space_.last.size() + f);
      }
      return;
    }
    for (std::size_t c = 0; c < space_.components.size(); ++c) {
      const Component component = space_.components[c];
      const std::uint64_t child_id = id * space_.components.size() + c;
      if (family(component.family).identity) {
        grow(node, stage + 1, child_id);
        continue;
      }
      std::unique_ptr<Draft>& child = node.children[{component, on_bytes}];
      if (!child) child = std::make_unique<Draft>(Draft{{component, on_bytes}, {}, {}});
      grow(*child, stage + 1, child_id);
    }
  }

  const Space& space_;
  unsigned cut_;
};

}  // namespace

Plan::Plan(const Space& space) : space_(space) {
  space_.validate();
  const std::uint64_t size = space_.size();
  if (size > kMostPipelines) {
    throw Error(
        fmt::format("the space has {} pipelines, but a search can hold at most {}; use fewer "
                    "stages, components or cuts",
                    size, kMostPipelines));
  }
  Draft root;
  for (std::size_t cut = 0; cut < space_.cuts.size(); ++cut) CutGrower(space_, cut, root);

  leaf_of_id_.resize(size);
  auto flatten = [&](auto&& self, const Draft& draft, std::uint8_t depth) -> void {
    nodes_.push_back({draft.edge, depth, static_cast<std::uint32_t>(leaves_.size()),
                      static_cast<std::uint32_t>(draft.leaves.size())});
    for (const auto& [key, ids] : draft.leaves) {
      for (const std::uint64_t id : ids)
        leaf_of_id_[id] = static_cast<std::uint32_t>(leaves_.size());
      leaves_.push_back({key.component, key.on_bytes});
    }
    for (const auto& [key, child] : draft.children) self(self, *child, depth + 1);
  };
  flatten(flatten, root, 0);
  if (leaves_.size() > kMostLeaves) {
    throw Error(
        fmt::format("the space has {} distinct pipelines, but a search can hold at most {}; use "
                    "fewer stages, components or cuts",
                    leaves_.size(), kMostLeaves));
  }
}

std::vector<std::size_t> Plan::worst_case_bytes(std::size_t word_bytes,
                                                std::size_t chunk_words) const {
  std::vector<std::size_t> bytes{chunk_words * word_bytes};
  for (unsigned stage = 0; stage < space_.stages; ++stage) {
    std::size_t worst = bytes.back();
    for (const Component component : stage + 1 < space_.stages ? space_.components : space_.last) {
      for (const std::size_t size : {word_bytes, std::size_t{1}}) {
        // A block of words may be as long as the longest block of bytes, rounded down to words.
        worst = std::max(worst, worst_case(component, size, bytes.back() / size) * size);
      }
    }
    bytes.push_back(worst);
  }
  return bytes;
}

}  // namespace fpsynth::synth
