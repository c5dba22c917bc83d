#include <algorithm>
#include <array>
#include <optional>
#include <random>

#include "runners/search/strategies/strategies.hpp"

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

}  // namespace

void genetic_algorithm(const synth::Plan& plan, Evaluations& evaluations, std::uint64_t seed) {
  Breeder breeder(plan, evaluations, seed);
  while (!evaluations.over()) breeder.breed();
}

}  // namespace fpsynth::search
