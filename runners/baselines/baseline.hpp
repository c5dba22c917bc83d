#pragma once
// A baseline: one of the papers' compressors, with all that commands, comparisons, sweeps and
// timings know of it. A new one is a folder with a class that is derived from Baseline, and a line
// in baseline.cpp.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/baselines/compressor.hpp"
#include "runners/baselines/device_common.hpp"
#include "runners/codec/streams.hpp"
#include "runners/data/input.hpp"
#include "runners/data/registry/datasets.hpp"
#include "runners/device/device_info.hpp"
#include "runners/timing/measure.hpp"
#include "runners/timing/timed_codec.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth::baselines {

// Sweeps: the figures of a baseline's paper, measured on other data.

/// An option of a command. Its value is a number in least..most, or several of them.
struct Parameter {
  std::string names;  ///< "--dim", or "--instances,--threads"
  std::string help;
  /// The variable, whose value is the default. A text holds a number or the `word`.
  std::variant<unsigned*, double*, bool*, std::string*, std::vector<unsigned>*> value;
  double least = 0, most = 0;
  std::string word = {};        ///< "auto", which leaves the choice to compress
  std::string value_name = {};  ///< in the help; that of the type if empty
  std::string usage = {};       ///< all that the help shows before the description, if not empty
  bool shows_default = true;    ///< of a single value
};

/// A data set of a sweep.
struct SweepInput {
  data::Input input;
  data::Dimensionality dimensionality = {};
};

/// The command of a sweep.
struct Sweep {
  std::string help, footer;
  std::vector<Parameter> parameters = {};
  bool part_timed = true;  ///< whether it has --timed-bytes
  bool on_gpu = false;     ///< whether a GPU can be chosen
};
/// The data of a sweep, and the device that it runs on.
struct SweepWork {
  std::vector<SweepInput> inputs;
  timing::Effort effort;
  timing::Progress progress = nullptr;
  std::optional<device::DeviceInfo> gpu = std::nullopt;
};

/// Columns of throughputs in both directions, of their spreads, of the number of timed bytes and of
/// the machine's threads.
std::vector<results::Column> timing_columns();
/// A row's cells of these columns.
std::vector<results::Cell> timing_cells(const results::ThroughputRow& row);
/// A note that explains how they were measured.
std::string timing_note(const timing::Effort& effort);

/// Settings of a compressor of doubles, by their numbers from 0.
struct SweepSettings {
  std::size_t count;
  std::function<std::string(std::size_t)> name;  ///< for the progress
  std::function<Compressor(std::size_t, const SweepInput&)> compressor;
  /// The cells of the settings' columns; without an input, those of a row of means.
  std::function<std::vector<results::Cell>(std::size_t, const SweepInput*)> cells;
  /// True if an input is large enough for a setting: if not, its figures are those of tables or
  /// chunks that are mostly empty.
  std::function<bool(std::size_t, const SweepInput&)> fits;
};

/// A table with a row for each input and setting, followed, if there are several inputs, by rows
/// with the harmonic means of their ratios and throughputs and the largest of their spreads: over
/// all, and over those that fit, if these are some and several. Its columns are the data set,
/// `columns`, the bytes, the compressed bytes, the ratio with so many decimals, timing_columns(),
/// how many data sets the row is of, and whether all of them fit. Every round trip is verified
/// before it is timed; throughput is the median of the repetitions. Throws Error if a round trip
/// fails or an input has no doubles.
results::Table sweep_table(std::string title, std::vector<results::Column> columns,
                           int ratio_decimals, std::span<const SweepInput> inputs,
                           const SweepSettings& settings, const timing::Effort& effort,
                           const timing::Progress& progress);

/// The names of a baseline, its commands and its files.
struct Description {
  std::string name;      ///< of its command: "pfpc"
  std::string title;     ///< as the papers write it: "pFPC"
  std::string help;      ///< of its command
  std::string example;   ///< arguments of compress
  std::string ending;    ///< of its files' names
  bool singles = false;  ///< whether its files can hold singles
  bool checksum = false;
  bool compress_threads = false, decompress_threads = false;  ///< whether they have --threads
  bool both_ratios = false;        ///< whether its paper reports compressed / original
  bool device = false;             ///< whether it runs on a GPU, by on()
  codec::Input::Check check = {};  ///< of the beginning of its files, before the rest is read
};

/// Data that a command compresses or restores.
struct Work {
  std::span<const std::byte> bytes;
  std::string name;                                          ///< for messages
  synth::Precision precision = synth::Precision::Double;     ///< of what is compressed
  int threads = 0;                                           ///< 0: as many as OpenMP has
  std::function<void(const std::string& line)> report = {};  ///< for the user
};

/// A baseline on a device as a codec that can be timed. Inputs and files are in the host's memory.
std::unique_ptr<timing::TimedCodec> timed_on_device(OnDevice baseline);

/// A row of a GPU's throughputs.
struct TimedBaseline {
  std::string name;
  std::function<std::unique_ptr<timing::TimedCodec>()> make;  ///< throws Error
};

class Baseline {
 public:
  virtual ~Baseline() = default;

  virtual Description description() const = 0;
  /// The options of compress.
  virtual std::vector<Parameter> parameters() { return {}; }
  /// Writes the file of an original, with the values of the options. Returns its number of bytes.
  virtual std::uint64_t compress(const Work& work, codec::PatchableSink& sink) = 0;
  /// Writes the original of a file, which may hold any bytes. Returns its number of bytes. Throws
  /// Error with the name and what is wrong.
  virtual std::uint64_t decompress(const Work& work, codec::PatchableSink& sink) = 0;
  /// On a GPU, with the values of the options. Throws DeviceError if the program was built without
  /// CUDA, and std::logic_error unless the description says that it runs there.
  virtual OnDevice on(const device::DeviceInfo& gpu, synth::Precision precision);

  /// The dimensionality that the baseline is told: that of the data's description if its files can
  /// say it, else the one whose file is the smallest.
  data::Dimensionality dimensionality(data::Dimensionality described,
                                      std::span<const std::byte> input,
                                      synth::Precision precision) const;
  /// On all processors with the parameters of comparisons, for data of such a dimensionality.
  virtual Compressor compressor(unsigned dimensionality) = 0;
  /// The rows of a GPU's throughputs for such data; none if it does not run there or its files
  /// cannot hold the precision.
  virtual std::vector<TimedBaseline> timed_on(const device::DeviceInfo&, synth::Precision,
                                              unsigned /* dimensionality */) {
    return {};
  }

  /// The command of the sweep; nullopt if there is none.
  virtual std::optional<Sweep> sweep() { return std::nullopt; }
  /// The tables of the sweep, with the values of its options.
  virtual std::vector<results::Table> measure(const SweepWork&) { return {}; }

 protected:
  /// The most values per point that its files can say; 0 if they say none.
  virtual unsigned most_dimensionality() const { return 0; }
  /// The dimensionality of the smallest file, the lowest of equal ones.
  virtual unsigned best_dimensionality(std::span<const std::byte>, synth::Precision) const {
    return 0;
  }
};

/// All baselines, in the order of the tables.
std::vector<std::unique_ptr<Baseline>> all_baselines();

/// All that `compare` compares, in the order of its tables: a copy in memory, the peers of this
/// build, and the baselines with the dimensionalities that `of` gives them.
std::vector<Compressor> all_compressors(const std::function<unsigned(const Baseline&)>& of);

/// Writes bytes. Returns their number.
std::uint64_t put(codec::Sink& sink, std::span<const std::byte> bytes);

}  // namespace fpsynth::baselines
