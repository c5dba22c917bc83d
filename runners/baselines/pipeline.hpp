#pragma once
// Pipelines, alone or behind a prelude, as compressors that make the files of `fpsynth compress`.

#include "runners/baselines/compressor.hpp"
#include "synth/pipeline.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::baselines {

/// A method that makes the files of `fpsynth compress` with chunks of so many words, on a number of
/// threads (0: as many as OpenMP has).
Compressor pipeline_compressor(const synth::Method& method, std::string name, int threads = 0,
                               std::size_t chunk_words = synth::kChunkWords);

/// Replaces the contents of `file` by the file that a method makes of `input`, reusing the memory
/// of `file`. Throws as codec::compress() does.
void compress_with(const synth::Method& method, std::span<const std::byte> input,
                   synth::Precision precision, int threads, std::vector<std::byte>& file,
                   std::size_t chunk_words = synth::kChunkWords);

}  // namespace fpsynth::baselines
