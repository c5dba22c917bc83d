#pragma once
// Strategies of others that find a good pipeline without trying all of them, to compare the race
// with. They serve the benchmark (`fpsynth bench strategies`) and not searches: unlike a race, none
// of them knows how good its best is.
//
// Each evaluates pipelines on all chunks until its budget is used up (Evaluations, which are looked
// up in the results of an exhaustive search, without running any again); its result is the best of
// these. The same seed evaluates the same pipelines on every machine.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "synth/plan.hpp"

namespace fpsynth::search {

/// The bytes of a pipeline that failed to decode.
inline constexpr std::uint64_t kNotRestored = UINT64_MAX;

/// A pipeline and its compressed bytes.
struct Evaluated {
  std::uint32_t leaf = 0;  ///< of the plan
  std::uint64_t bytes = kNotRestored;
  friend bool operator==(const Evaluated&, const Evaluated&) = default;
};

/// Evaluates pipelines, each at most once, until a budget is used up. A pipeline with NUL is the
/// shorter one without it, which is why pipelines are leaves here and not ids. Used by one thread.
class Evaluations {
 public:
  /// `leaf_bytes`, one per leaf of the plan, must outlive this. `budget` is the most pipelines that
  /// are evaluated.
  Evaluations(const std::vector<std::uint64_t>& leaf_bytes, std::uint64_t budget)
      : leaf_bytes_(leaf_bytes), budget_(budget), known_(leaf_bytes.size()) {}

  /// The compressed bytes of a pipeline; nullopt if it was not evaluated before and the budget is
  /// used up. To ask again costs nothing.
  std::optional<std::uint64_t> of(std::uint32_t leaf);

  std::uint64_t used() const { return used_; }
  std::uint64_t left() const { return budget_ - used_; }
  /// True if nothing more can be found: the budget is used up, or every pipeline was evaluated.
  bool over() const { return used_ == budget_ || used_ == leaf_bytes_.size(); }
  /// The smallest so far, the first of equal ones. Without any, one that was not restored.
  const Evaluated& best() const { return best_; }

 private:
  const std::vector<std::uint64_t>& leaf_bytes_;
  std::uint64_t budget_, used_ = 0;
  std::vector<bool> known_;
  Evaluated best_;
};

/// Evaluates distinct pipelines drawn at random, all with the same chance, without replacement.
void random_sampling(const synth::Plan& plan, Evaluations& evaluations, std::uint64_t seed);

/// The population of a genetic algorithm, and its generations, the first one included.
inline constexpr std::size_t kPopulation = 16, kGenerations = 16;

/// A genetic algorithm, started again with another random population until the budget is used up.
/// Population and generations are those that the script of the LC framework has by default.
///
/// The genes of an individual are its stages, first to last, and then its cut. Of every generation
/// the best individual stays. Each of the others is a child: both parents win a tournament of three
/// individuals drawn at random, the child takes one's genes up to a random point and the other's
/// behind it (one-point crossover), and then each gene becomes a random one with a chance of one in
/// the number of genes. An individual that was evaluated before, in whatever generation, costs
/// nothing.
void genetic_algorithm(const synth::Plan& plan, Evaluations& evaluations, std::uint64_t seed);

/// A beam search over the stages, which draws nothing: `seed` is not used. A prefix is as good as
/// the best pipeline that ends right behind it, with any of the last stages. From the empty prefix
/// on, the best prefixes of every length are extended by each component, best first. The width
/// follows from the budget: every length has an equal share of the rest of it, and a prefix is
/// extended if all its extensions' pipelines can be evaluated from that share. Needs a space with
/// NUL, in which shorter pipelines are. Without it a prefix has no pipeline of its own, and all of
/// a length count as equal.
void beam_search(const synth::Plan& plan, Evaluations& evaluations, std::uint64_t seed);

struct Strategy {
  std::string_view key;   ///< for JSON
  std::string_view name;  ///< for people
  bool draws = true;      ///< its result depends on the seed
  void (*run)(const synth::Plan& plan, Evaluations& evaluations, std::uint64_t seed) = nullptr;
};
/// All of them.
std::span<const Strategy> strategies();

}  // namespace fpsynth::search
