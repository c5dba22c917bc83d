#pragma once
// What further stages buy: Figure 2 of the MPC paper carried on past its four stages, out of
// searches of the same data sets in spaces of more stages, all pipelines of them or raced.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/documents/runs.hpp"
#include "results/queries/table.hpp"

namespace fpsynth::results {

/// A pipeline without NULs, and its ratio.
struct StageBest {
  synth::Pipeline pipeline;
  double ratio = 0;
  bool raced = false;  ///< the best of what a race has left
};

/// The best of one search by number of stages: all that is kept of a document, which may have
/// millions of sizes.
struct StageBests {
  DataSet data;
  synth::Space space;  ///< all its pipelines, without preludes
  std::uint64_t sample = 1;
  bool complete = false;
  /// [n - 1]: with at most n stages. Of a raced search only the last one, because a race for the
  /// best does not keep the best of the shorter ones. Empty where no pipeline has so few.
  std::vector<std::optional<StageBest>> at_most;
};

/// Of pipelines without preludes, which are in all searches of a data set.
StageBests stage_bests(const Document& document);

/// The searches of a directory of those data sets and precisions that `base` has; documents of
/// others are not read, and never more than one is in memory. Throws Error if there are none.
std::vector<StageBests> load_deeper(const std::filesystem::path& directory, const Runs& base);

/// The best ratio by number of stages, with all that `deeper` adds to `base`, whose number of
/// stages all others are compared with: the table of stages() with further columns; its harmonic
/// means over the data sets; each winner; what the winners of each number of stages look like; and
/// the kinds of their components by stage. The best with at most n stages is that of all searches
/// of up to n stages, so that it is never worse than with fewer. Searches of other data, of other
/// chunks or not complete are left out, with a note. Throws Error if a space differs from that of
/// `base` in more than the stages and cuts.
std::vector<Table> deeper_stages(const Runs& base, const std::vector<StageBests>& deeper);

}  // namespace fpsynth::results
