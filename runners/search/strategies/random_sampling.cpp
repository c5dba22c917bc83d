#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "runners/search/strategies/strategies.hpp"

namespace fpsynth::search {

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

}  // namespace fpsynth::search
