#pragma once
// The figures that the papers print, from results/reference/, which is embedded in the program.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/data_set.hpp"
#include "results/documents/runs.hpp"
#include "results/queries/table.hpp"
#include "synth/common/precision.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::results {

/// One printed figure.
struct Published {
  std::string paper;       ///< "mpc", "gfc", "pfpc", "holt"
  std::string table;       ///< "II", "III", ...; empty for figures in the text
  std::string compressor;  ///< as printed: "bzip2 --best", "GFC"; "best" for searched pipelines
  std::string parameters;  ///< "10 chunks", a pipeline; may be empty
  std::string data_set;    ///< a name, or "HarMean" for the mean over a table's data sets
  synth::Precision precision = synth::Precision::Double;
  std::string quantity;  ///< kRatio, kCompress or kDecompress
  double value = 0;
  std::string hardware;   ///< of throughputs
  bool cut_known = true;  ///< whether a pipeline's text has the cut, which the paper may not print
  bool cut_inferred = false;  ///< from what the paper's text says of cuts

  /// The pipeline of `parameters`, of Table II; without a known cut, the cut is at the end.
  synth::Pipeline pipeline() const;
};

inline constexpr std::string_view kRatio = "ratio";             ///< original / compressed bytes
inline constexpr std::string_view kCompress = "compress GB/s";  ///< 1e9 original bytes
inline constexpr std::string_view kDecompress = "decompress GB/s";
/// The name of a mean over data sets.
inline constexpr std::string_view kHarmonicMean = "HarMean";

extern const std::string_view kPaperTables;
/// A note on PublishedFigures::papers_name().
inline constexpr std::string_view kPapersData =
    "data are the paper's by their checksum where that is known, otherwise by name and size";

class PublishedFigures {
 public:
  /// The figures that are embedded in the program.
  static const PublishedFigures& built_in();
  /// Parses such a file's text; messages call it `file`. Throws Error, which names the field.
  PublishedFigures(std::string_view text, std::string_view file);

  const std::vector<Published>& figures() const& { return figures_; }
  /// Author, title and venue of a paper. Empty if the paper is not known.
  std::string citation(std::string_view paper) const;
  /// The papers' name of a data set, empty if it is none of theirs. Its checksum decides if that of
  /// the papers' is known, and otherwise name and size, of data that fpsynth has not made.
  std::string papers_name(const DataSet& data) const;
  /// A figure of a paper's table, the first one if there are several parameters; null if the paper
  /// has none.
  const Published* find(std::string_view paper, std::string_view quantity,
                        std::string_view compressor, std::string_view data_set,
                        synth::Precision precision) const;

 private:
  std::vector<Published> figures_;
  std::vector<std::pair<std::string, std::string>> citations_;
  std::vector<DataSet> sets_;  ///< in each precision; checksums are empty where they are not known
};

/// By how many percent `ours` is above the published value; negative if it is below.
double difference_percent(double ours, double published);

/// The components of the pipelines in the MPC paper's Table II (section V.A), without Best: the
/// four of component_tables().
std::vector<Table> published_components(const PublishedFigures& published);

/// The patterns of these pipelines: the five of pattern_tables().
std::vector<Table> published_patterns(const PublishedFigures& published);

/// The table of means() with the paper's figures: its Best, and the harmonic mean of its data sets'
/// own best, which it does not print. Includes precisions without results of ours.
Table means_with_published(const Table& means, const PublishedFigures& published);

/// The table of best() with the figures of the MPC paper's Table II for its data sets, and the
/// ratio and the rank that the paper's pipeline has on our data, where its cut is known and the
/// pipeline is in the space.
Table with_published(const Table& best, const Runs& runs, const PublishedFigures& published);

/// Dimensionalities that descriptions record, by data set: "2, known".
using RecordedDimensionalities = std::map<std::string, std::string>;

/// Fits what the MPC paper's figures leave open to their printed digits, on its data sets that
/// were searched: the cut of each pipeline of Table II, which the paper's text lost or which was
/// inferred, and the dimensionality that MPC was told in Tables III and IV. A note names the data
/// sets without a run.
Table published_fits(const Runs& runs, const PublishedFigures& published,
                     const RecordedDimensionalities& dimensionalities);

}  // namespace fpsynth::results
