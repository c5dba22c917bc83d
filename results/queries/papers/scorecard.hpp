#pragma once
// Every number that a paper prints and that was measured here on the same data, beside ours.

#include <filesystem>
#include <string_view>
#include <vector>

#include "results/documents/runs.hpp"
#include "results/queries/table.hpp"

namespace fpsynth::results {

/// Three tables: the published numbers beside ours, each with the cause of its difference; how many
/// of them are equal; and throughputs, which are of other machines. `measured` are documents of
/// `fpsynth compare`, of `data info`, or of sweeps of GFC, pFPC or Holt. A data set is the papers'
/// if it has the name and the size and is not synthetic. Throws Error if a document is damaged.
std::vector<Table> scorecard(const Runs& runs, const std::vector<std::filesystem::path>& measured);

inline constexpr std::string_view kEqual = "equal to the printed digits", kNotKnown = "not known";

}  // namespace fpsynth::results
