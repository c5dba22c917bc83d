#pragma once
// The choice of a method for one data set of an HDF5 file, on what the filter will be given: whole
// chunks, one at a time.

#include <cstdint>
#include <optional>

#include "runners/data/formats/stored_datasets.hpp"
#include "runners/search/choose.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::repack {

/// The level of gzip that methods are compared with: that of `nccopy -d 5 -s`.
inline constexpr unsigned kGzipLevel = 5;

/// A method, and the bytes of a sample of the data set's chunks.
struct Sampled {
  synth::Method method;
  std::size_t chunk_words = synth::kChunkWords;
  std::uint64_t bytes = 0;   ///< of values
  std::uint64_t packed = 0;  ///< as the filter stores them
  std::uint64_t gzip = 0;    ///< as libhdf5's filters shuffle and deflate do
};

/// Chooses a method for a data set in chunks of a shape, or measures the given one with chunks of
/// `chunk_words`. A method is
/// measured on each chunk by itself, as the filter meets it: a prelude's lag ends there, and its
/// side data are stored with each. The pipelines are searched on a sample of the chunks, and those
/// behind preludes on the chunk in its middle. Throws Error with the cause alone.
Sampled choose(data::StoredFile& file, const data::StoredDataset& dataset,
               const data::Extents& chunk, const std::optional<synth::Method>& given,
               const search::ChoiceOptions& options, std::size_t chunk_words);

}  // namespace fpsynth::repack
