#pragma once
// Counts the components of pipelines: section V.A of the MPC paper.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "results/queries/table.hpp"
#include "synth/space.hpp"

namespace fpsynth::results {

class ComponentTally {
 public:
  explicit ComponentTally(unsigned stages) : stages_(stages), by_cut_(stages + 1) {}

  /// Counts a pipeline, which must have the constructor's number of stages. If its cut is not
  /// known, it is left out of the table of cuts.
  void add(const synth::Pipeline& pipeline, bool cut_known = true);

  /// Four tables: components by stage; families by stage, with each family's share of all stages;
  /// the number of pipelines with each cut of the space; and the first table in percent of the
  /// pipelines. Rows are in the order of the space's components, including those with a count of 0.
  /// `whose` completes the titles: "in the top 100 of each data set".
  std::vector<Table> tables(const synth::Space& space, const std::string& whose) const;

 private:
  /// Counts by stage.
  using Counts = std::vector<std::uint64_t>;

  Table components(const std::vector<synth::Component>& order, const std::string& whose) const;
  Table families(const std::vector<synth::Component>& order, const std::string& whose) const;
  Table cuts(const std::vector<unsigned>& cuts, const std::string& whose) const;
  Table shares(const std::vector<synth::Component>& order, const std::string& whose) const;
  Counts counts_of(synth::Component component) const;

  unsigned stages_;
  std::uint64_t counted_ = 0;
  std::uint64_t counted_cuts_ = 0;
  std::map<synth::Component, Counts> by_component_;
  std::vector<std::uint64_t> by_cut_;
};

}  // namespace fpsynth::results
