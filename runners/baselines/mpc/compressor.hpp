#pragma once
// MPC (mpc_2015, section V): the pipeline `LNVds BIT LNV1s ZE` for a dimensionality d, written in
// the same container as all our pipelines (runners/codec).

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "runners/baselines/baseline.hpp"
#include "runners/codec/format/container.hpp"
#include "synth/common/precision.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::baselines {

inline constexpr unsigned kMaxMpcDimensionality = 64;

/// The pipeline. Throws UsageError unless dimensionality is 1..64.
synth::Pipeline mpc_pipeline(unsigned dimensionality);

/// Sizes in bytes of the 64 files; the file of dimensionality d is at [d - 1]. Measured by encoding
/// every chunk with `threads` threads, 0: as many as OpenMP has. Throws Error if `input` is empty.
std::array<std::uint64_t, kMaxMpcDimensionality> mpc_sizes(std::span<const std::byte> input,
                                                           synth::Precision precision,
                                                           int threads = 0);

/// Throws Error, which starts with `name`, if a file's pipeline is not MPC's.
void check_mpc(const codec::Header& header, std::string_view name);

/// The dimensionality of the smallest file; the lowest one if several are equal.
unsigned mpc_best(const std::array<std::uint64_t, kMaxMpcDimensionality>& sizes);

/// MPC on all processors. Throws UsageError unless dimensionality is 1..64.
Compressor mpc(unsigned dimensionality);

std::unique_ptr<Baseline> mpc_baseline();

}  // namespace fpsynth::baselines
