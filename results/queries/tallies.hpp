#pragma once
// Counts the components of pipelines, and what the pipelines have in common, whatever the numbers
// in the components' names: section V.A of the MPC paper.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "results/queries/table.hpp"
#include "synth/common/precision.hpp"
#include "synth/space.hpp"

namespace fpsynth::results {

/// Follows the text of a published pipeline, or its pattern, if the paper's text lost its cut.
inline constexpr std::string_view kCutNotKnown = " (cut not known)";

/// "LNV" of LNV2s.
std::string_view kind_of(synth::Component component);

/// The kinds of a pipeline's components, by stage, with its cut: "LNV LNV | DIM ZE".
std::string pattern_of(const synth::Pipeline& pipeline, bool cut_known = true);

/// A pipeline of a data set. Without its cut, it is left out of tables of cuts.
struct Counted {
  const synth::Pipeline& pipeline;
  synth::Precision precision;
  const std::string& data_set;
  bool cut_known = true;
};

/// Calls what it is given with each pipeline that is to be counted.
using CountedPipelines = std::function<void(const std::function<void(const Counted&)>&)>;

/// Four tables: components by stage; families by stage, with each family's share of all stages;
/// the number of pipelines with each cut of the space; and the first table in percent of the
/// pipelines. Rows are in the order of the space's components, including those with a count of 0.
/// The pipelines have the space's number of stages. `whose` completes the titles: "in the top 100
/// of each data set".
std::vector<Table> component_tables(const CountedPipelines& pipelines, const synth::Space& space,
                                    const std::string& whose);

/// Five tables, each with counts of pipelines by precision: patterns, most frequent first; kinds
/// of components, with the pipelines that have one and those that have two or more; the number of
/// reducers before the last stage; the first component behind the cut, most frequent first; and
/// the components that reduce, by stage.
std::vector<Table> pattern_tables(const CountedPipelines& pipelines, const synth::Space& space,
                                  const std::string& whose);

}  // namespace fpsynth::results
