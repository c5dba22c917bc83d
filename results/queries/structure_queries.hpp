#pragma once
// Queries about the components and stages of pipelines (section V of the MPC paper).

#include <cstddef>
#include <vector>

#include "results/documents/runs.hpp"
#include "results/queries/table.hpp"

namespace fpsynth::results {

/// How often each component occurs in each stage of the documents' first `count` pipelines: the
/// four tables of ComponentTally (component_tally.hpp).
std::vector<Table> components(const Runs& runs, std::size_t count);

/// The patterns of the documents' first `count` pipelines, "LNV LNV | DIM ZE", and what else they
/// have in common: the five tables of PatternTally (pattern_tally.hpp).
std::vector<Table> patterns(const Runs& runs, std::size_t count);

/// Figure 2: the best ratio with 1, 2, ... stages and its share of the best with all stages.
std::vector<Table> stages(const Runs& runs);

}  // namespace fpsynth::results
