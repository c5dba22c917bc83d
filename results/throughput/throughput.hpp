#pragma once
// Documents of timed compressors: ThroughputDocument, all that was timed on one data set in one
// precision on one device; and Comparison, compressors beside each other on several data sets.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/data_set.hpp"
#include "results/documents/document.hpp"

namespace fpsynth {
class JsonValue;
}

namespace fpsynth::results {

enum class Direction { Compress, Decompress };
inline constexpr Direction kDirections[] = {Direction::Compress, Direction::Decompress};
std::string_view to_string(Direction direction);

/// A compressor's name in comparisons: the best pipeline of a search.
inline constexpr std::string_view kBestSearched = "best searched";

/// The middle one of the values, or the mean of the two in the middle; 0 of none.
double median(std::vector<double> values);
/// (longest - shortest) / median; 0 if the median is 0, none of fewer than two times.
std::optional<double> spread(const std::vector<double>& seconds);
/// 1e9 bytes per second at the median; 0 if the median is 0 or there are no times.
double gb_per_s(const std::vector<double>& seconds, std::uint64_t bytes);

/// The machine and the input of the timings.
struct ThroughputRun {
  std::string program_version;
  std::string commit;
  std::string compiler;
  std::string backend;          ///< "cpu" or "cuda"
  std::string device;           ///< the processor's or the GPU's name
  std::string instruction_set;  ///< the stage table on a CPU ("avx512"), the architecture of a GPU
  std::uint64_t threads = 1;    ///< of the CPU; the maximum for a row
  std::uint64_t repetitions = 1;
  /// Original bytes of one timing of a pipeline: the data set, or its whole chunks repeated up to
  /// several times the size of the cache.
  std::uint64_t input_bytes = 0;
  std::uint64_t copies = 1;       ///< of the data set in these bytes; 1: not repeated
  std::uint64_t cache_bytes = 0;  ///< of the last level; 0: not known

  static void list(auto& fields, auto& run) {
    fields("program_version", run.program_version, "commit", run.commit, "compiler", run.compiler,
           "backend", run.backend, "device", run.device, "instruction_set", run.instruction_set,
           "threads", run.threads, "repetitions", run.repetitions, "input_bytes", run.input_bytes,
           "copies", run.copies, "cache_bytes", run.cache_bytes);
  }
  friend bool operator==(const ThroughputRun&, const ThroughputRun&) = default;
};

/// Repeated times of one direction, in order.
struct Times {
  /// Wall seconds, from host memory to host memory; on a GPU they include both transfers.
  std::vector<double> seconds;
  /// Seconds of the kernels alone and of the transfers alone, by the GPU's events. Empty on a CPU,
  /// otherwise as many as `seconds`.
  std::vector<double> kernel_seconds, transfer_seconds;

  /// `bytes`: of one timing. Medians, spreads and speeds follow from the seconds.
  static void list(auto& fields, auto& times, std::uint64_t bytes);
  friend bool operator==(const Times&, const Times&) = default;
};

/// One compressor with one implementation (`how`) and number of threads.
struct ThroughputRow {
  std::string name;      ///< a pipeline's text, or "GFC", "zstd -3", "memcpy"
  std::string kind;      ///< "pipeline", "baseline", "peer" or "copy"
  std::string pipeline;  ///< of pipelines, and of baselines that are pipelines; otherwise empty
  std::string how;       ///< "library" or "generated"
  std::string version;   ///< of the library, or of the compiler of the generated code
  std::uint64_t threads = 1;
  std::uint64_t original_bytes = 0;    ///< of the data set, once
  std::uint64_t input_bytes = 0;       ///< original bytes of one timing
  std::uint64_t compressed_bytes = 0;  ///< of the data set, once: the file that is written
  Times compress, decompress;

  double ratio() const { return results::ratio(original_bytes, compressed_bytes); }
  double gb_per_s(const Times& times) const {
    return results::gb_per_s(times.seconds, input_bytes);
  }
  static void list(auto& fields, auto& row);
  friend bool operator==(const ThroughputRow&, const ThroughputRow&) = default;
};

struct ThroughputDocument {
  DataSet data;
  ThroughputRun run;
  std::vector<ThroughputRow> rows;
  std::vector<std::string> notes;

  static void list(auto& fields, auto& document);
  friend bool operator==(const ThroughputDocument&, const ThroughputDocument&) = default;
};

/// One compressor of a comparison, on one data set.
struct ComparedRow : ThroughputRow {
  std::uint64_t one_chunk_in = 0;  ///< the search's sampling: one chunk in so many; 0: not searched
  std::uint64_t dimensionality = 0;  ///< that a baseline was told; 0: none
  std::string dimensionality_is;     ///< how that was found
  bool verified = false;             ///< the round trip; without it, there are no sizes and times
  std::string refused;               ///< why the compressor cannot hold such data; else empty
  std::string failure;               ///< what went wrong in the round trip; else empty

  static void list(auto& fields, auto& row);
};

/// The source of data that fpsynth has made, in a comparison.
inline constexpr std::string_view kMadeSource = "made";

/// A data set in one precision.
struct ComparedSet {
  std::string name;
  synth::Precision precision = synth::Precision::Double;
  std::string source;
  std::uint64_t bytes = 0;
  std::string xxh3;
  std::uint64_t dimensionality = 0;  ///< MPC's
  std::string dimensionality_is;
  std::vector<ComparedRow> rows;
  std::string type;  ///< of integers; empty for floats, as in result documents

  static void list(auto& fields, auto& set);
};

/// A speed over data sets.
struct MeanSpeed {
  double arithmetic = 0, harmonic = 0;  ///< GB/s
  std::optional<double> spread = {};    ///< the largest
  bool on_front = false;  ///< no other compressor has a smaller average size and a higher speed;
                          ///< those that lack a data set are not compared
};

/// A compressor in one precision, over those of `of` data sets that it has.
struct ComparedMeans {
  std::string compressor, library;  ///< the latter with its version
  synth::Precision precision = synth::Precision::Double;
  std::uint64_t threads = 1, of = 0;
  std::map<std::string, double> ratios = {};  ///< by data set
  double cost = 0;                            ///< sum of compressed / original
  MeanSpeed compress = {}, decompress = {};

  double ratio() const { return double(ratios.size()) / cost; }  ///< the harmonic mean
  static void list(auto& fields, auto& means);
};

/// A compressor that the build or the machine lacks, and the reason.
struct Missing {
  std::string compressor, reason;
  static void list(auto& fields, auto& missing);
};

struct Comparison {
  std::string program_version, commit, compiler, cpu;
  std::uint64_t machine_threads = 1;
  std::string command, study;
  std::uint64_t repetitions = 0;
  std::vector<Missing> missing;
  std::vector<ComparedSet> sets;
  std::vector<std::string> notes;

  /// Those of the compressors in a precision, in the order of their first appearance.
  std::vector<ComparedMeans> means(synth::Precision precision) const;
  static void list(auto& fields, auto& comparison);
};

inline constexpr std::string_view kComparisonSchema = "fpsynth-comparison";

/// The document's JSON text.
std::string to_json(const Comparison& comparison);
/// Reads a document. Throws Error, which names the file and the field.
Comparison read_comparison(const JsonValue& document);

inline constexpr std::string_view kThroughputSchema = "fpsynth-throughput";
inline constexpr std::uint64_t kThroughputVersion = 1;

/// DIR/<name>.<precision>.<backend>.throughput.json. Throws UsageError if the name cannot be part
/// of a file name.
std::filesystem::path throughput_path(const std::filesystem::path& directory, std::string_view name,
                                      synth::Precision precision, std::string_view backend);

/// Files in a directory that are named as by throughput_path(), sorted by name. Empty if the
/// directory does not exist.
std::vector<std::filesystem::path> throughput_files(const std::filesystem::path& directory);

/// The document's JSON text, with a line for each row.
std::string to_json(const ThroughputDocument& document);

/// Writes a document. The file is complete or does not exist.
void write_throughput(const std::filesystem::path& path, const ThroughputDocument& document);

/// Reads a document. Throws Error, which names the file and the field, if a field is missing or of
/// another type, or its speeds are not those of its times.
ThroughputDocument read_throughput(const std::filesystem::path& path);

}  // namespace fpsynth::results
