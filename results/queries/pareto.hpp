#pragma once
// Which compressors are worth having: those that no other one beats in ratio and in speed at once.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/documents/document.hpp"
#include "results/queries/table.hpp"
#include "results/throughput/throughput.hpp"

namespace fpsynth::results {

/// A compressor's place in both directions.
struct ParetoPoint {
  std::string name, kind, how;
  std::uint64_t threads = 1;
  double ratio = 0;
  double compress = 0,
         decompress = 0;  ///< GB/s; on a GPU of the kernels, where there are such times
  double speed(Direction direction) const {
    return direction == Direction::Compress ? compress : decompress;
  }
};

/// Indices of the points on the front, by descending ratio: no other point has at least their ratio
/// and their speed and more of one. Of points alike in both, the first one.
std::vector<std::size_t> pareto_front(std::span<const ParetoPoint> points, Direction direction);

/// A data set in one precision: what was timed there, and what else is known.
struct ParetoSet {
  ThroughputDocument throughput;
  std::optional<Document> search;       ///< for predictions; of the same data
  std::vector<ThroughputRow> compared;  ///< rows of a comparison on the same machine and data
};

/// Whether a compressor may use one thread or as many as it likes.
enum class ThreadLimit { One, None };

/// The points of one data set: timed ones, and where there is a model, what it predicts for every
/// other pipeline that was searched and did not fail. A pipeline with NUL is the shorter one
/// without it and counts once. Under ThreadLimit::None each compressor is taken with the most
/// threads that it was timed with.
std::vector<ParetoPoint> pareto_points(const ParetoSet& set, ThreadLimit limit);

/// Points over several data sets: those that are in all of them, with the harmonic mean of their
/// ratios and all bytes over all the time. Predicted where one of them is.
std::vector<ParetoPoint> combined_points(const std::vector<std::vector<ParetoPoint>>& sets,
                                         const std::vector<std::uint64_t>& bytes);

/// Rows of a document of `fpsynth compare` for one data set in one precision on a device; none
/// where it has no such data or comes from another machine, which is noted.
std::vector<ThroughputRow> compared_rows(const std::filesystem::path& file,
                                         const ThroughputDocument& throughput,
                                         std::vector<std::string>& notes);

/// The answer for data sets of one precision on one backend: a table for each direction and limit,
/// with the front, that of the pipelines alone, and beside them whatever else was timed.
std::vector<Table> pareto(const std::vector<ParetoSet>& sets,
                          const std::vector<std::string>& notes);

}  // namespace fpsynth::results
