#pragma once
// The Pareto front of compressors: those that no other one beats in both ratio and speed.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "results/queries/table.hpp"
#include "results/throughput/throughput.hpp"

namespace fpsynth::results {

/// A compressor's ratio and its speed in both directions.
struct ParetoPoint {
  std::string name, kind, how;
  std::uint64_t threads = 1;
  double ratio = 0;
  double compress = 0,
         decompress = 0;  ///< GB/s; on a GPU those of the kernels, if these were timed
  double speed(Direction direction) const {
    return direction == Direction::Compress ? compress : decompress;
  }
};

/// Indices of the points on the front, by descending ratio: no other point has at least their ratio
/// and speed and more of one of them. Of points with equal ratio and speed, the first one.
std::vector<std::size_t> pareto_front(std::span<const ParetoPoint> points, Direction direction);

/// A data set in one precision: its times, and those of comparisons.
struct ParetoSet {
  ThroughputDocument throughput;
  std::vector<ThroughputRow> compared;  ///< rows of a comparison on the same machine and data
};

/// The number of threads that a compressor may use: one, or any number.
enum class ThreadLimit { One, None };

/// The points of one data set. Pipelines that differ only in NULs count once. With
/// ThreadLimit::None, a compressor's point is that of the most threads with which it was timed.
std::vector<ParetoPoint> pareto_points(const ParetoSet& set, ThreadLimit limit);

/// Points over several data sets: the compressors that have a point in all of them, with the
/// harmonic mean of their ratios and total bytes / total time.
std::vector<ParetoPoint> combined_points(const std::vector<std::vector<ParetoPoint>>& sets,
                                         const std::vector<std::uint64_t>& bytes);

/// Rows of a document of `fpsynth compare` for one data set in one precision on a device. Empty if
/// the document has no such data or, with a note, if it comes from another machine.
std::vector<ThroughputRow> compared_rows(const std::filesystem::path& file,
                                         const ThroughputDocument& throughput,
                                         std::vector<std::string>& notes);

/// The points over several data sets of one precision on one backend, with each limit on threads
/// that makes a difference to them.
struct LimitedPoints {
  ThreadLimit limit;
  std::vector<ParetoPoint> points;
};
std::vector<LimitedPoints> limited_points(const std::vector<ParetoSet>& sets);

/// A table without rows on such points: a title that says `about`, the columns that cells_of()
/// fills, and notes on the sets.
Table points_table(const std::vector<ParetoSet>& sets, ThreadLimit limit, const std::string& about);
std::vector<Cell> cells_of(const ParetoPoint& point);

/// The tables for data sets of one precision on one backend, one for each direction and limit: the
/// front, the front of the pipelines alone, and all other compressors that were timed; of all only
/// those that compress and decompress at `at_least` GB/s.
std::vector<Table> pareto(const std::vector<ParetoSet>& sets, double at_least,
                          const std::vector<std::string>& notes);

/// Sending data over a link of `gbit_per_s`, one table for each limit: how fast the data arrive
/// with each compressor that was timed, the fastest first (the motive of all four papers: the MPC
/// paper, section I). Either the chunks are compressed, sent and decompressed at the same time
/// ("streamed"), or a file is compressed, sent and decompressed whole, one after the other
/// ("whole"); and the bandwidth below which compressing is faster than sending the data as they
/// are.
std::vector<Table> link(const std::vector<ParetoSet>& sets, double gbit_per_s,
                        const std::vector<std::string>& notes);

}  // namespace fpsynth::results
