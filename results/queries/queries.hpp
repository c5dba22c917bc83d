#pragma once
// The queries on result documents. Each gives tables.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/runs.hpp"
#include "results/queries/table.hpp"
#include "results/throughput/throughput.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth::results {

// Measurements of comparisons, sweeps and timings on GPUs, for the queries that read them.

/// The ratio and the speed of a compressor on a data set, out of a comparison or a sweep.
struct Measurement {
  std::string compressor;  ///< as in the papers' tables; "sweep gfc" of a sweep
  std::string data_set;
  synth::Precision precision = synth::Precision::Double;
  std::string xxh3 = {};      ///< of its bytes, where a comparison has it
  std::string pipeline = {};  ///< of "best searched"
  bool made = false;          ///< data that fpsynth has made, as a comparison says
  std::uint64_t bytes = 0, timed_bytes = 0;
  std::uint64_t dimensionality = 0;    ///< that a comparison took for MPC
  std::string dimensionality_is = {};  ///< how it was found, as in the document
  std::uint64_t threads = 1, machine_threads = 1;
  std::uint64_t tables = 0;  ///< bytes, of pFPC
  std::uint64_t chunks = 0;  ///< GFC's number of them, or pFPC's values in each
  double ratio = 0;
  double percent = 0;                   ///< of the residuals, of kResidualsOfSix
  double compress = 0, decompress = 0;  ///< GB/s, of a GPU's kernels alone; 0: not known
  double compress_transfers = 0, decompress_transfers = 0;  ///< GB/s of a GPU's transfers alone
  bool gpu = false;                                         ///< measured on a GPU
};

/// GFC's residuals with six leading zero bytes, of its sweep's second table.
inline constexpr std::string_view kResidualsOfSix = "residuals of six";

/// True of what is neither a guess nor the best of all for MPC.
inline bool is_known(std::string_view dimensionality_is) {
  return dimensionality_is.starts_with("known");
}

/// Those of a document of `fpsynth compare`, or of the sweep of GFC, pFPC or Holt. Throws Error if
/// it is damaged or is another document.
std::vector<Measurement> measurements(const std::filesystem::path& file);
/// Those of a document of timings on a GPU; none of another one.
std::vector<Measurement> measurements(const ThroughputDocument& document);

// Of pipelines: their order, on each data set and over all of them (section V of the MPC paper).

/// Table II: the best pipeline of each data set in both precisions, and in the last row the one
/// with the highest harmonic mean over the data sets.
std::vector<Table> best(const Runs& runs);

/// The best pipelines of two runs beside each other, by data set and precision, and by how much the
/// ratio of `b` is higher. Notes say what is in one of them alone, or has other values in each.
std::vector<Table> diff(const Runs& a, const Runs& b);

/// The first `count` pipelines of each document, with the number of others of the same size; and
/// of each best pipeline, what shares its size and by how much the next size is larger. Pipelines
/// that differ only in NULs are one algorithm.
std::vector<Table> top(const Runs& runs, std::size_t count);

/// The `count` best pipelines over all data sets by harmonic mean, without those that failed on one
/// of them; the cross-validation: the ratio on each data set of the best pipeline of the others;
/// and, of searches in both precisions, the best pipelines of each and of both in the other.
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

// Of the components and stages of pipelines (section V of the MPC paper).

/// The occurrences of each component in each stage of the documents' first `count` pipelines: the
/// four of component_tables() (tallies.hpp).
std::vector<Table> components(const Runs& runs, std::size_t count);

/// The patterns of the documents' first `count` pipelines, "LNV LNV | DIM ZE", and what else they
/// have in common: the five of pattern_tables() (tallies.hpp).
std::vector<Table> patterns(const Runs& runs, std::size_t count);

/// Figure 2: the best ratio with 1, 2, ... stages and its share of the best with all stages.
std::vector<Table> stages(const Runs& runs);
/// Adds its columns: ratios by number of stages, and their shares of the ratio with `all` stages.
void add_stage_columns(Table& table, unsigned stages, unsigned all);

// Of further stages: Figure 2 of the MPC paper carried on past its four stages, out of searches of
// the same data sets in spaces of more stages, of all their pipelines or raced.

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

/// MPC of a comparison, whose first component has the data's dimensionality, against Best, the one
/// pipeline with the highest harmonic mean: on each data set that was searched and compared, by
/// dimensionality; and the means up to and above the largest n that the search could choose for
/// LNV. Data sets with other values than those searched are left out and named in a note.
std::vector<Table> dimensionality(const Runs& runs, const std::vector<Measurement>& measured);

// Of whole documents: the distribution of all ratios, and how the searches ran.

/// The distribution of the ratios of all pipelines of each document, without those that have but
/// some of them: quantiles, and counts in
/// kStepsPerDoubling steps per doubling of the ratio. The steps are the same for all data sets;
/// those without a pipeline are left out.
std::vector<Table> distribution(const Runs& runs);
inline constexpr int kStepsPerDoubling = 32;

/// One row per document: the data, how and on which machine it was searched, and how fast. Of
/// searches that tried preludes: on how many chunks, with what estimated ratio, and of the
/// finalists the ratio on all that was searched. Of races: their settings, how many pipelines were
/// left to be searched whole, how much work they were compared with searching them all, and what
/// they may have lost; and their rounds.
std::vector<Table> searches(const Runs& runs);

// Of timed compressors.

/// A row for each row of the documents, in their order. After them, two rows of means for each
/// compressor that was timed on all data sets of a precision on a device, if there are several. The
/// data set of the first is "harmonic mean" (as in the GFC, pFPC and Holt papers, also for
/// throughputs), of the second "mean" (arithmetic for throughputs; the ratio is again the harmonic
/// mean). Throughputs are 1e9 original bytes per second at the median, of the wall time, which
/// includes transfers, and of a GPU's kernels alone.
Table timed(std::span<const ThroughputDocument> documents);

/// A table for each document, all with the same columns for CSV, where they become one.
std::vector<Table> throughputs(const std::vector<ThroughputDocument>& documents, bool csv);

/// Of each precision, Tables III and IV (ratios) and V (throughputs) of the MPC paper.
std::vector<Table> compared(const Comparison& comparison);

// The Pareto front of compressors: those that no other one beats in both ratio and speed.

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

inline constexpr std::string_view kAuto = "auto";  ///< begins its rows' names

// The best methods that searches found beside other compressors, out of documents of `fpsynth
// compare`.

/// The searches that the best methods of a comparison may be of: of pipelines alone, with preludes,
/// with preludes in the wide space, with longer chunks in races, and those of `compress auto`.
inline constexpr std::string_view kSearchedIn[] = {"pipelines", "preludes", "wide", "longer",
                                                   kAuto};

/// A document of `fpsynth compare`.
struct ComparedFile {
  std::filesystem::path path;
  std::string_view ours =
      {};  ///< of kSearchedIn: only the best searched count, or what auto found; else the others do
};

/// Three tables: the ratios on each input, a data set in a precision, with the speeds of the best
/// of ours on one core; the means of all methods that were timed on one core, over the inputs that
/// all of them have; and on how many inputs the best of ours is ahead. Inputs with other values
/// than in the first document that has them are left out, with a note. Throws Error if a document
/// is damaged.
std::vector<Table> peers(const std::vector<ComparedFile>& files);

}  // namespace fpsynth::results
