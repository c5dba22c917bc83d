#pragma once
// Pipelines as compressors: what `fpsynth compress` writes.

#include "runners/baselines/compressor.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::baselines {

/// A pipeline in the container of `fpsynth compress`, on a number of threads (0: as many as OpenMP
/// has).
Compressor pipeline_compressor(const synth::Pipeline& pipeline, std::string name, int threads = 0);

/// Replaces what `file` holds by the container of `input`, in the memory that `file` has. Throws as
/// codec::compress().
void compress_with(const synth::Pipeline& pipeline, std::span<const std::byte> input,
                   synth::Precision precision, int threads, std::vector<std::byte>& file);

}  // namespace fpsynth::baselines
