#include "runners/search/parts.hpp"

#include <algorithm>
#include <atomic>

#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/search/search.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth::search {

std::vector<Part> parts_of(const data::Input& input) {
  const results::DataSet* const data = input.in_chunks_of();
  if (!data) return {input.bytes()};
  const std::size_t bytes = data->hdf5->words() * synth::word_bytes(input.native());
  std::vector<Part> parts;
  for (std::size_t at = 0; at < input.bytes().size(); at += bytes) {
    parts.push_back(input.bytes().subspan(at, bytes));
  }
  return parts;
}

SampledParts::SampledParts(const data::Input& input, std::size_t chunk_words,
                           std::uint64_t sample) {
  if (sample == 1) {
    parts = parts_of(input);
  } else if (input.in_chunks_of()) {
    const std::uint64_t chunks = input.cutting(chunk_words).chunks(sample);
    for (std::uint64_t index = 0; index < chunks; ++index) {
      parts.push_back(chunk_of(input, chunk_words, sample, index));
    }
  } else {
    bytes = sampled(input, sample, chunk_words);
    parts = {bytes};
  }
}

std::uint64_t sum_over(
    std::span<const Part> parts, const SearchOptions& options,
    const std::function<std::uint64_t(Part, std::size_t, const codec::CodecOptions&)>& work) {
  codec::CodecOptions codec;
  codec.stages = options.stages;
  codec.threads = options.threads;
  if (parts.size() == 1) return work(parts.front(), 0, codec);
  const int threads = codec::threads_for(options.threads, parts.size());
  codec.threads = std::max(1, codec::threads_for(options.threads, UINT64_MAX) / threads);
  std::atomic<std::uint64_t> sum = 0;
  codec::in_order(
      0, parts.size(), threads,
      [&](std::uint64_t part, std::size_t, std::size_t) { sum += work(parts[part], part, codec); },
      [](std::uint64_t, std::size_t) {});
  return sum;
}

std::uint64_t overhead_of(std::span<const Part> parts, const synth::Pipeline& pipeline,
                          std::size_t word_bytes) {
  std::uint64_t bytes = 0;
  for (const Part& part : parts) {
    bytes += codec::overhead_bytes(pipeline, part.size(), word_bytes);
  }
  return bytes;
}

}  // namespace fpsynth::search
