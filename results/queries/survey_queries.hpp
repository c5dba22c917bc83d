#pragma once
// Queries that survey whole documents: how all ratios spread, and how the searches ran.

#include <vector>

#include "results/documents/runs.hpp"
#include "results/queries/table.hpp"

namespace fpsynth::results {

/// How the ratios of all pipelines of each document spread: quantiles, and counts in steps of
/// 1/kStepsPerDoubling of a doubling of the ratio (those that hold none are left out), which are
/// the same for all data sets.
std::vector<Table> distribution(const Runs& runs);
inline constexpr int kStepsPerDoubling = 32;

/// One row per document: the data, how and on what it was searched, and how fast.
std::vector<Table> searches(const Runs& runs);

}  // namespace fpsynth::results
