#include "runners/search/strategies/strategies.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <utility>

#include "runners/search/subtrees.hpp"

namespace fpsynth::search {
namespace {

/// Runs populations, one after the other, on one space and budget.
class Breeder {
 public:
  Breeder(const synth::Plan& plan, Evaluations& evaluations, std::uint64_t seed)
      : plan_(plan), space_(plan.space()), evaluations_(evaluations), random_(seed) {
    for (unsigned stage = 0; stage < space_.stages; ++stage) {
      choices_[stage] = stage + 1 < space_.stages ? space_.components.size() : space_.last.size();
    }
    choices_[space_.stages] = space_.cuts.size();
    genes_ = space_.stages + 1;
  }

  /// A population from its first generation to its last, or to the end of the budget.
  void breed() {
    std::array<Individual, kPopulation> population;
    for (Individual& individual : population) {
      for (std::size_t gene = 0; gene < genes_; ++gene) individual.genes[gene] = draw(gene);
      if (!evaluate(individual)) return;
    }
    for (std::size_t generation = 1; generation < kGenerations; ++generation) {
      std::array<Individual, kPopulation> next;
      next[0] = *std::ranges::min_element(population, {}, &Individual::bytes);
      for (std::size_t i = 1; i < kPopulation; ++i) {
        const Individual& front = winner(population);
        next[i] = child(front, winner(population));
        if (!evaluate(next[i])) return;
      }
      population = next;
    }
  }

 private:
  struct Individual {
    /// For every stage, the index of its component among those that it may have; then that of the
    /// cut.
    std::array<std::uint32_t, synth::kMaxStages + 1> genes{};
    std::uint64_t bytes = kNotRestored;
  };

  /// A number below `count`; the same everywhere, which the standard library's distributions are
  /// not.
  std::size_t below(std::size_t count) { return random_() % count; }
  std::uint32_t draw(std::size_t gene) { return static_cast<std::uint32_t>(below(choices_[gene])); }

  /// The best of three drawn at random, with replacement.
  const Individual& winner(const std::array<Individual, kPopulation>& population) {
    const Individual* best = &population[below(kPopulation)];
    for (int i = 1; i < 3; ++i) {
      const Individual& other = population[below(kPopulation)];
      if (other.bytes < best->bytes) best = &other;
    }
    return *best;
  }

  Individual child(const Individual& front, const Individual& back) {
    Individual child = front;
    const std::size_t point = below(genes_ + 1);
    std::copy(back.genes.begin() + point, back.genes.begin() + genes_, child.genes.begin() + point);
    for (std::size_t gene = 0; gene < genes_; ++gene) {
      if (below(genes_) == 0) child.genes[gene] = draw(gene);
    }
    return child;
  }

  /// Returns false if the budget is used up.
  bool evaluate(Individual& individual) {
    std::uint64_t id = individual.genes[space_.stages];
    for (unsigned stage = 0; stage < space_.stages; ++stage) {
      id = id * choices_[stage] + individual.genes[stage];
    }
    const std::optional<std::uint64_t> bytes = evaluations_.of(plan_.leaf_of_id()[id]);
    individual.bytes = bytes.value_or(kNotRestored);
    return bytes.has_value();
  }

  const synth::Plan& plan_;
  const synth::Space& space_;
  Evaluations& evaluations_;
  std::mt19937_64 random_;
  std::array<std::size_t, synth::kMaxStages + 1> choices_{};  ///< how many a gene has
  std::size_t genes_ = 0;
};

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

std::optional<std::uint64_t> Evaluations::of(std::uint32_t leaf) {
  if (!known_[leaf]) {
    if (used_ == budget_) return std::nullopt;
    known_[leaf] = true;
    ++used_;
    if (leaf_bytes_[leaf] < best_.bytes) best_ = {leaf, leaf_bytes_[leaf]};
  }
  return leaf_bytes_[leaf];
}

void random_sampling(const synth::Plan& plan, Evaluations& evaluations, std::uint64_t seed) {
  std::vector<std::uint32_t> leaves(plan.leaves().size());
  std::iota(leaves.begin(), leaves.end(), 0u);
  // std::mt19937_64 is the same everywhere; the standard library's distributions and shuffles are
  // not. A plan has so few leaves, compared with 2^64, that the remainder is uniform enough.
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < leaves.size() && !evaluations.over(); ++i) {
    std::swap(leaves[i], leaves[i + random() % (leaves.size() - i)]);
    evaluations.of(leaves[i]);
  }
}

void genetic_algorithm(const synth::Plan& plan, Evaluations& evaluations, std::uint64_t seed) {
  Breeder breeder(plan, evaluations, seed);
  while (!evaluations.over()) breeder.breed();
}

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
