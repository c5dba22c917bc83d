#pragma once
// Sweeps: the figures of a baseline's paper, measured on other data.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/baselines/compressor.hpp"
#include "runners/data/dimensionality.hpp"
#include "runners/data/input.hpp"
#include "runners/device/device_info.hpp"
#include "runners/timing/measure.hpp"

namespace fpsynth::baselines {

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
/// A measurement's cells of these columns, measured on `threads` threads.
std::vector<results::Cell> timing_cells(const timing::Measurement& measured, int threads);
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

}  // namespace fpsynth::baselines
