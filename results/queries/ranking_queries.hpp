#pragma once
// Queries that rank: which pipelines are best, on each data set and over all of them (section V of
// the MPC paper).

#include <cstddef>
#include <string_view>
#include <vector>

#include "results/documents/runs.hpp"
#include "results/queries/table.hpp"

namespace fpsynth::results {

/// Table II: the best pipeline of each data set in both precisions, and in the last row the one
/// with the highest harmonic mean over the data sets.
std::vector<Table> best(const Runs& runs);

/// The first `count` pipelines of each document.
std::vector<Table> top(const Runs& runs, std::size_t count);

/// The `count` best pipelines over all data sets by harmonic mean, without those that failed
/// anywhere; and the cross-validation: what the best of the other data sets does on each one.
std::vector<Table> overall(const Runs& runs, std::size_t count);

/// One pipeline on every data set. A pipeline shorter than the space's is looked up with NULs in
/// front. Throws ParseError, and UsageError where it is not in the space.
std::vector<Table> pipeline(const Runs& runs, std::string_view text);

/// Harmonic means over the data sets of each precision: that of the one pipeline with the highest
/// (Best in Table II), and that of each data set's own best, which no single pipeline reaches.
std::vector<Table> means(const Runs& runs);
inline constexpr std::string_view kOneForAll = "one pipeline for all";
inline constexpr std::string_view kEachItsOwn = "each data set's own best";

}  // namespace fpsynth::results
