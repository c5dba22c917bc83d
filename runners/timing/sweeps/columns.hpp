#pragma once
// The common parts of the sweeps' tables: columns of throughputs and means over data sets.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/timing/measure.hpp"

namespace fpsynth::timing {

/// Columns of throughputs in both directions, of their spreads, of the number of timed bytes and of
/// the machine's threads.
std::vector<results::Column> timing_columns();
/// A measurement's cells of these columns, measured on `threads` threads.
std::vector<results::Cell> timing_cells(const Measurement& measured, int threads);
/// A note that explains how they were measured.
std::string timing_note(const Effort& effort);

/// The mean of one setting over several data sets.
class SweepMean {
 public:
  void add(const Measurement& measured);
  /// Harmonic mean of the ratios.
  double ratio() const { return count_ / ratio_; }
  /// Harmonic means of the throughputs, the largest of the spreads.
  std::vector<results::Cell> timing_cells() const;

 private:
  /// Sums over one direction.
  struct Rates {
    double inverses = 0;
    std::optional<double> spread;
    void add(const Timing& timing) {
      inverses += 1 / timing.gb_per_s;
      spread = std::max(spread, timing.spread);
    }
  };
  double count_ = 0, ratio_ = 0;  // ratio_: sum of inverse ratios
  Rates compress_, decompress_;
};

}  // namespace fpsynth::timing
