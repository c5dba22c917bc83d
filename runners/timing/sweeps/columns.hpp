#pragma once
// What the tables of the sweeps have in common: columns of throughputs and means over data sets.

#include <algorithm>
#include <string>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/timing/measure.hpp"

namespace fpsynth::timing {

/// Columns of throughputs in both directions, with their spreads, of how many bytes they are of and
/// of the threads of the machine.
std::vector<results::Column> timing_columns();
/// A measurement's cells of these columns, made on `threads` threads.
std::vector<results::Cell> timing_cells(const Measurement& measured, int threads);
/// How they came about.
std::string timing_note(const Effort& effort);

/// One setting over several data sets.
class SweepMean {
 public:
  void add(const Measurement& measured);
  /// Harmonic.
  double ratio() const { return count_ / ratio_; }
  /// Harmonic means of throughputs, the largest of the spreads.
  std::vector<results::Cell> timing_cells() const;

 private:
  /// A direction.
  struct Rates {
    double inverses = 0, spread = 0;
    void add(const Timing& timing) {
      inverses += 1 / timing.gb_per_s;
      spread = std::max(spread, timing.spread);
    }
  };
  double count_ = 0, ratio_ = 0;  // the latter of inverses
  Rates compress_, decompress_;
};

}  // namespace fpsynth::timing
