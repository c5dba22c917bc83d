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

/// The node of a stage below another one, which is made if it does not exist.
Draft& child_of(Draft& node, Component component, bool on_bytes) {
  std::unique_ptr<Draft>& child = node.children[{component, on_bytes}];
  if (!child) child = std::make_unique<Draft>(Draft{{component, on_bytes}, {}, {}});
  return *child;
}

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
      grow(child_of(node, component, on_bytes), stage + 1, child_id);
    }
  }

  const Space& space_;
  unsigned cut_;
};

/// The tree of a list of pipelines.
Draft listed(const Space& space) {
  Draft root;
  for (std::uint64_t id = 0; id < space.only.size(); ++id) {
    const Pipeline pipeline = space.at(id);
    Draft* node = &root;
    for (unsigned stage = 0; stage + 1 < space.stages; ++stage) {
      const Component component = pipeline.stages[stage];
      if (family(component.family).identity) continue;
      node = &child_of(*node, component, stage >= pipeline.cut);
    }
    node->leaves[{pipeline.stages.back(), space.stages - 1 >= pipeline.cut}].push_back(id);
  }
  return root;
}

void count(const Draft& draft, PlanSize& size) {
  ++size.nodes;
  size.leaves += draft.leaves.size();
  for (const auto& [key, child] : draft.children) count(*child, size);
}

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

}  // namespace

PlanSize plan_size(const Space& space) {
  space.validate();
  space.size();
  if (!space.only.empty()) {
    PlanSize size;
    count(listed(space), size);
    return size;
  }
  const unsigned inner = space.stages - 1;  // all stages but the last
  const auto identities = static_cast<std::uint64_t>(std::ranges::count_if(
      space.components, [](Component component) { return family(component.family).identity; }));
  const std::uint64_t choices = space.components.size() - identities;
  // Two prefixes are one node if they have the same stages on words and on bytes, however many NULs
  // were among them, and whatever the cut was. So what is counted are pairs of lengths.
  PlanSize size;
  for (unsigned words = 0; words <= inner; ++words) {
    for (unsigned bytes = 0; words + bytes <= inner; ++bytes) {
      bool node = false, leaf_on_words = false, leaf_on_bytes = false;
      for (const unsigned cut : space.cuts) {
        const unsigned before = std::min(cut, inner), behind = inner - before;
        if (words > before || bytes > behind) continue;
        const bool whole = words == before && bytes == behind;
        // A node may be on the way to a longer prefix; then all its stages before the cut are
        // there.
        node |= identities > 0 || bytes == 0 || words == before;
        if (identities == 0 && !whole) continue;
        (cut == space.stages ? leaf_on_words : leaf_on_bytes) = true;
      }
      std::uint64_t prefixes = 1;
      for (unsigned stage = 0; stage < words + bytes; ++stage) prefixes = times(prefixes, choices);
      if (node) size.nodes = add(size.nodes, prefixes);
      const std::uint64_t last = (leaf_on_words + leaf_on_bytes) * space.last.size();
      size.leaves = add(size.leaves, times(prefixes, last));
    }
  }
  return size;
}

std::uint64_t PlanSize::edges() const { return add(nodes - 1, leaves); }

void PlanSize::check(const Space& space) const {
  const auto refuse = [](std::uint64_t count, const char* what, std::uint64_t most) {
    if (count <= most) return;
    throw Error(
        fmt::format("the space has {} {}, but a search can hold at most {}; use fewer stages, "
                    "components or cuts",
                    count, what, most));
  };
  refuse(space.size(), "pipelines", Plan::kMostPipelines);
  refuse(leaves, "distinct pipelines", Plan::kMostLeaves);
}

Plan::Plan(const Space& space, std::size_t input_words)
    : space_(space), input_words_(input_words ? input_words : space.chunk_words) {
  const std::uint64_t size = space_.pipelines();
  Draft root;
  if (space_.only.empty()) {
    plan_size(space_).check(space_);  // before any of it is made
    for (std::size_t cut = 0; cut < space_.cuts.size(); ++cut) CutGrower(space_, cut, root);
  } else {
    space_.validate();
    root = listed(space_);
    PlanSize made;
    count(root, made);
    made.check(space_);
  }

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
