#include <algorithm>
#include <vector>

#include "runners/search/strategies/strategies.hpp"
#include "runners/search/subtrees.hpp"

namespace fpsynth::search {
namespace {

/// A node of the plan, which is a prefix, with the bytes of its best leaf.
struct Prefix {
  std::size_t node = 0;
  std::uint64_t bytes = kNotRestored;
};

class Beam {
 public:
  Beam(const synth::Plan& plan, Evaluations& evaluations)
      : plan_(plan), evaluations_(evaluations), ends_(subtree_ends(plan)) {}

  void search() {
    const unsigned longest = plan_.space().stages - 1;
    std::vector<Prefix> prefixes = {evaluated(0)};
    for (unsigned length = 1; length <= longest && !evaluations_.over(); ++length) {
      prefixes = extended(prefixes, evaluations_.left() / (longest - length + 1));
    }
  }

 private:
  template <class Use>
  void for_each_child(std::size_t node, Use use) const {
    for (std::size_t child = node + 1; child < ends_[node]; child = ends_[child]) use(child);
  }

  /// Makes a prefix and evaluates all of its leaves, as far as the budget goes.
  Prefix evaluated(std::size_t node) {
    Prefix prefix{node};
    const synth::PlanNode& its = plan_.nodes()[node];
    for (std::uint32_t leaf = its.leaves; leaf < its.leaves + its.leaf_count; ++leaf) {
      prefix.bytes = std::min(prefix.bytes, evaluations_.of(leaf).value_or(kNotRestored));
    }
    return prefix;
  }

  /// The prefixes that are one stage longer, of the best of these that `share` evaluations take; of
  /// the best one in any case.
  std::vector<Prefix> extended(std::vector<Prefix>& prefixes, std::uint64_t share) {
    std::ranges::stable_sort(prefixes, {}, &Prefix::bytes);
    std::vector<Prefix> longer;
    std::uint64_t used = 0;
    for (const Prefix& prefix : prefixes) {
      std::uint64_t needed = 0;
      for_each_child(prefix.node,
                     [&](std::size_t child) { needed += plan_.nodes()[child].leaf_count; });
      if (!longer.empty() && used + needed > share) break;
      used += needed;
      for_each_child(prefix.node, [&](std::size_t child) { longer.push_back(evaluated(child)); });
    }
    return longer;
  }

  const synth::Plan& plan_;
  Evaluations& evaluations_;
  std::vector<std::size_t> ends_;  ///< one past the last node of each node's subtree
};

}  // namespace

void beam_search(const synth::Plan& plan, Evaluations& evaluations, std::uint64_t) {
  Beam(plan, evaluations).search();
}

std::span<const Strategy> strategies() {
  static constexpr Strategy kStrategies[] = {
      {"random_sampling", "random", true, random_sampling},
      {"genetic_algorithm", "genetic", true, genetic_algorithm},
      {"beam_search", "beam", false, beam_search}};
  return kStrategies;
}

}  // namespace fpsynth::search
