#pragma once
// Queries that rank pipelines, on each data set and over all of them (section V of the MPC paper).

#include <cstddef>
#include <string_view>
#include <vector>

#include "results/documents/runs.hpp"
#include "results/queries/table.hpp"

namespace fpsynth::results {

/// Table II: the best pipeline of each data set in both precisions, and in the last row the one
/// with the highest harmonic mean over the data sets.
std::vector<Table> best(const Runs& runs);

/// The first `count` pipelines of each document, with the number of others of the same size; and
/// of each best pipeline, what shares its size and by how much the next size is larger. Pipelines
/// that differ only in NULs are one algorithm.
std::vector<Table> top(const Runs& runs, std::size_t count);

/// The `count` best pipelines over all data sets by harmonic mean, without those that failed on one
/// of them; and the cross-validation: the ratio on each data set of the best pipeline of the
/// others.
std::vector<Table> overall(const Runs& runs, std::size_t count);

/// One pipeline, or a method, named by its text or by its id, on every data set whose search tried
/// it. NULs are prepended to a pipeline that is shorter than the space's. Ids of methods with a
/// prelude are known if the runs are one document. Throws ParseError, and UsageError if the method
/// is in no document's space.
std::vector<Table> pipeline(const Runs& runs, std::string_view text);

/// Harmonic means over the data sets of each precision: the highest mean of a single pipeline (Best
/// in Table II), and the mean of each data set's own best pipeline, which no single one reaches.
std::vector<Table> means(const Runs& runs);
inline constexpr std::string_view kOneForAll = "one pipeline for all";
inline constexpr std::string_view kEachItsOwn = "each data set's own best";

}  // namespace fpsynth::results
