#include "synth/plan.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "synth/common/raise.hpp"

namespace fpsynth::synth {
namespace {

/// A node of the tree of a list during construction. Children are sorted by key.
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
  // Prefixes with the same stages on words and on bytes are one node, whatever their NULs and their
  // cut were. So pairs of lengths are counted.
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
    raise(
        "the space has {} {}, but a search can hold at most {}; use fewer stages, components or "
        "cuts, or race them (search --strategy race)",
        count, what, most);
  };
  refuse(space.size(), "pipelines", Plan::kMostPipelines);
  refuse(leaves, "distinct pipelines", Plan::kMostLeaves);
}

namespace {

/// Writes the tree of a whole space into the members of a plan, node by node: a draft of five
/// stages would take more than ten times the memory of the plan.
class TreeWriter {
 public:
  TreeWriter(const Space& space, std::vector<PlanNode>& nodes, std::vector<PlanEdge>& leaves,
             std::vector<std::uint32_t>& leaf_of_id)
      : space_(space), nodes_(nodes), leaves_(leaves), leaf_of_id_(leaf_of_id) {
    for (std::size_t i = 0; i < space.components.size(); ++i) {
      (family(space.components[i].family).identity ? identities_ : inner_)
          .push_back({space.components[i], i});
    }
    for (std::size_t i = 0; i < space.last.size(); ++i) last_.push_back({space.last[i], i});
    std::ranges::sort(inner_, {}, &Choice::component);
    std::ranges::sort(last_, {}, &Choice::component);
    std::vector<Beginning> root;
    for (std::size_t cut = 0; cut < space.cuts.size(); ++cut) {
      root.push_back({space.cuts[cut], 0, cut});
    }
    write({}, 0, std::move(root));
  }

 private:
  struct Choice {
    Component component;
    std::uint64_t index;  ///< in the space
  };
  /// The beginning of pipelines: the cut, the number of stages, and these stages as the leading
  /// digits of an id.
  struct Beginning {
    unsigned cut, stages;
    std::uint64_t id;
    bool next_on_bytes() const { return stages >= cut; }
  };

  /// Writes a node and all below it. `same`: the beginnings of the pipelines that reach the node,
  /// without NULs behind it.
  void write(const PlanEdge& edge, std::uint8_t depth, std::vector<Beginning> same) {
    const unsigned inner = space_.stages - 1;
    for (std::size_t i = 0; i < same.size(); ++i) {
      if (same[i].stages == inner) continue;
      for (const Choice& identity : identities_) same.push_back(extended(same[i], identity));
    }
    const auto first = static_cast<std::uint32_t>(leaves_.size());
    for (const Choice& last : last_) {
      for (const bool on_bytes : {false, true}) write_leaf(last, on_bytes, same);
    }
    nodes_.push_back({edge, depth, first, static_cast<std::uint32_t>(leaves_.size()) - first});
    for (const Choice& next : inner_) {
      for (const bool on_bytes : {false, true}) {
        std::vector<Beginning> child;
        for (const Beginning& one : same) {
          if (one.stages == inner || one.next_on_bytes() != on_bytes) continue;
          child.push_back(extended(one, next));
        }
        if (!child.empty()) write({next.component, on_bytes}, depth + 1, std::move(child));
      }
    }
  }

  void write_leaf(const Choice& last, bool on_bytes, const std::vector<Beginning>& same) {
    bool any = false;
    for (const Beginning& one : same) {
      if (one.stages + 1 < space_.stages || one.next_on_bytes() != on_bytes) continue;
      leaf_of_id_[one.id * space_.last.size() + last.index] =
          static_cast<std::uint32_t>(leaves_.size());
      any = true;
    }
    if (any) leaves_.push_back({last.component, on_bytes});
  }

  Beginning extended(const Beginning& one, const Choice& next) const {
    return {one.cut, one.stages + 1, one.id * space_.components.size() + next.index};
  }

  const Space& space_;
  std::vector<PlanNode>& nodes_;
  std::vector<PlanEdge>& leaves_;
  std::vector<std::uint32_t>& leaf_of_id_;
  std::vector<Choice> identities_, inner_, last_;  ///< the latter two by component
};

}  // namespace

Plan::Plan(const Space& space, std::size_t input_words)
    : space_(space), input_words_(input_words ? input_words : space.chunk_words) {
  if (space_.only.empty()) {
    const PlanSize size = plan_size(space_);
    size.check(space_);  // before any of it is made
    nodes_.reserve(size.nodes);
    leaves_.reserve(size.leaves);
    leaf_of_id_.resize(space_.pipelines());
    TreeWriter(space_, nodes_, leaves_, leaf_of_id_);
    return;
  }
  space_.validate();
  const Draft root = listed(space_);
  PlanSize made;
  count(root, made);
  made.check(space_);
  leaf_of_id_.resize(space_.pipelines());
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
