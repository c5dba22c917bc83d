#pragma once
// Evaluations of pipelines on all chunks, looked up in the results of an exhaustive search. They
// show the pipelines that a strategy would have found, without running any again.

#include <cstdint>
#include <optional>
#include <vector>

#include "results/documents/document.hpp"
#include "synth/plan.hpp"

namespace fpsynth::search {

/// The compressed bytes of every distinct pipeline of an exhaustive search, by leaf of its plan;
/// kNotRestored for one that failed to decode. Of a search behind preludes, those of pipelines
/// alone. `plan` is that of the document's space without preludes. Throws Error if it is not, or if
/// the document is raced or not complete, because then some sizes are not known.
std::vector<std::uint64_t> leaf_bytes(const results::Document& document, const synth::Plan& plan);
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

}  // namespace fpsynth::search
