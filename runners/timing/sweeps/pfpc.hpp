#pragma once
// The data of Figures 2, 3 and 4 of the pFPC paper: ratio and throughput by table size, number of
// threads and chunk size.

#include <span>
#include <string>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/baselines/fpc/compressor.hpp"
#include "runners/data/input.hpp"
#include "runners/timing/measure.hpp"

namespace fpsynth::timing {

/// The settings of the figures, without duplicates: Figure 2 has 1 to 16 threads with chunks of one
/// value, Figures 3 and 4 have 1 to 4 threads with chunks of 1 to 65,536 values; all with each of
/// the table sizes. The paper has 8 kB and 2 MB of tables per thread, which are 2^9 and 2^17
/// entries in each of two tables.
std::vector<baselines::PfpcParameters> pfpc_figures(std::span<const unsigned> table_bits);

/// All combinations; table size varies slowest and chunk size fastest.
std::vector<baselines::PfpcParameters> pfpc_product(std::span<const unsigned> table_bits,
                                                    std::span<const unsigned> threads,
                                                    std::span<const std::uint32_t> chunks);

/// A row for each input (doubles) and setting, followed, if there are several inputs, by rows with
/// their harmonic means. Every round trip is verified before it is timed; throughput is the median
/// of the repetitions. Throws Error if a round trip fails or an input has no doubles.
results::Table pfpc_sweep(std::span<const data::Input> inputs,
                          std::span<const baselines::PfpcParameters> settings, const Effort& effort,
                          const Progress& progress = nullptr);

}  // namespace fpsynth::timing
