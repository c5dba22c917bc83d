#pragma once
// Queries over whole documents: the distribution of all ratios, and how the searches ran.

#include <vector>

#include "results/documents/runs.hpp"
#include "results/queries/table.hpp"

namespace fpsynth::results {

/// The distribution of the ratios of all pipelines of each document, without those that have but
/// some of them: quantiles, and counts in
/// kStepsPerDoubling steps per doubling of the ratio. The steps are the same for all data sets;
/// those without a pipeline are left out.
std::vector<Table> distribution(const Runs& runs);
inline constexpr int kStepsPerDoubling = 32;

/// The preludes that each search tried: on how many chunks, with what estimated ratio, and of the
/// finalists the ratio on all that was searched.
std::vector<Table> preludes(const Runs& runs);

/// Of each race: its settings, how many pipelines were left to be searched whole, how much work it
/// was compared with searching them all, and what it may have lost; and its rounds.
std::vector<Table> races(const Runs& runs);

/// One row per document: the data, how and on which machine it was searched, and how fast.
std::vector<Table> searches(const Runs& runs);

}  // namespace fpsynth::results
