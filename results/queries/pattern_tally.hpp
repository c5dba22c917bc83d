#pragma once
// Counts what pipelines have in common, whatever the numbers in their components' names: section
// V.A of the MPC paper.

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/queries/table.hpp"
#include "synth/common/precision.hpp"
#include "synth/space.hpp"

namespace fpsynth::results {

/// Follows the text of a published pipeline, or its pattern, if the paper's text lost its cut.
inline constexpr std::string_view kCutNotKnown = " (cut not known)";

/// The kinds of a pipeline's components, by stage, with its cut: "LNV LNV | DIM ZE".
std::string pattern_of(const synth::Pipeline& pipeline);

class PatternTally {
 public:
  /// Counts a pipeline of a data set in a precision. If its cut is not known, its pattern says so,
  /// and it is left out of the table of what follows the cut.
  void add(const synth::Pipeline& pipeline, synth::Precision precision, const std::string& data_set,
           bool cut_known = true);

  /// Five tables, each with counts of pipelines by precision: patterns, most frequent first; kinds
  /// of components, with the pipelines that have one and those that have two or more; the number of
  /// reducers before the last stage; the first component behind the cut, most frequent first; and
  /// the components that reduce, by stage.
  /// `whose` completes the titles: "in the top 1 of each data set".
  std::vector<Table> tables(const synth::Space& space, const std::string& whose) const;

 private:
  /// Pipelines by precision, in the order of kPrecisions, and their data sets.
  struct Count {
    std::array<std::uint64_t, 2> pipelines{};
    std::set<std::string> data_sets;
    std::uint64_t total() const { return pipelines[0] + pipelines[1]; }
    void add(synth::Precision precision, const std::string& data_set);
  };
  /// Texts, or numbers, with their counts, in the order of a table's rows.
  using Counted = std::vector<std::pair<Cell, Count>>;
  Table table(std::string title, std::string key, const Counted& counted) const;
  Table kinds(const synth::Space& space, const std::string& whose) const;

  Table by_stage(const synth::Space& space, const std::string& whose) const;

  Count all_;
  std::map<std::string, Count> patterns_, behind_cut_;
  std::map<std::string, Count> with_one_, with_two_;  ///< by the kind's name
  std::map<std::size_t, Count> reducers_;
  std::map<std::pair<std::string, std::size_t>, Count> reducers_at_;  ///< by name and stage from 0
  std::uint64_t cut_at_end_ = 0, cut_unknown_ = 0;
};

}  // namespace fpsynth::results
