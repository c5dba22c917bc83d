#pragma once
// Pipelines as compressors, in the container of `fpsynth compress`.

#include "runners/baselines/compressor.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::baselines {

/// A pipeline in the container of `fpsynth compress`, on a number of threads (0: as many as OpenMP
/// has).
Compressor pipeline_compressor(const synth::Pipeline& pipeline, std::string name, int threads = 0);

/// Replaces the contents of `file` by the container of `input`, reusing the memory of `file`.
/// Throws as codec::compress() does.
void compress_with(const synth::Pipeline& pipeline, std::span<const std::byte> input,
                   synth::Precision precision, int threads, std::vector<std::byte>& file);

}  // namespace fpsynth::baselines
