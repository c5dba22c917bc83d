#pragma once
// The papers' own compressors as Compressor values, for comparisons and sweeps. The functions that
// they wrap are in the headers fpc (runners/data), pfpc, gfc, holt and mpc.

#include <cstddef>
#include <cstdint>

#include "runners/baselines/compressor.hpp"
#include "runners/baselines/holt/holt.hpp"

namespace fpsynth::baselines {

/// FPC (Burtscher, Ratanaworabhan 2009), tables of 2^table_bits entries (1..28); doubles only, one
/// thread. The file is that of the published data sets (*.fpc).
Compressor fpc(unsigned table_bits);

/// pFPC v1.0 (pfpc_2009, section 2.2): `threads` (1..255) instances of FPC in turn on chunks of
/// `chunk` values; doubles only. Runs on as many threads of the machine as OpenMP has and the
/// instances can use. Named as in the MPC paper: "pFPC -1M" has tables of 2^20 entries.
Compressor pfpc(unsigned table_bits, unsigned threads, std::uint32_t chunk);

/// GFC (gfc_2011, section 2): `chunks` (1..65535), dimensionality 1..32; doubles only.
Compressor gfc(unsigned chunks, unsigned dimensionality);

/// Holt's linear exponential smoothing: alpha and beta 0..1, runs of `run` values.
Compressor holt(double alpha = 0, double beta = 0, std::uint32_t run = kHoltRun);

/// MPC, `LNVds BIT LNV1s ZE`, with dimensionality 1..64, or 0: each call of compress tries all 64
/// and takes the one with the smallest file.
Compressor mpc(unsigned dimensionality);

/// All of them throw UsageError for parameters out of range, and their functions throw Error for
/// data that they cannot hold (a tail that is no whole double, singles where there is no single
/// precision) and for files that are none of theirs.

}  // namespace fpsynth::baselines
