#pragma once
// The chunks of data sets of HDF5 files: their shapes, and walks over them.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "runners/data/formats/stored_datasets.hpp"

namespace fpsynth::repack {

using data::Extents;
using data::volume;

/// The most bytes of a suggested chunk: the cache that libhdf5 has for a data set, unless a program
/// gives it another one, holds no larger one.
inline constexpr std::uint64_t kSuggestedBytes = std::uint64_t{1} << 20;
/// Chunks of at least so many bytes, which is a chunk of the codec's, and of at most so many are
/// kept.
inline constexpr std::uint64_t kLeastBytes = std::uint64_t{16} << 10;
inline constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

/// The shape of chunks of at most kSuggestedBytes for a data set with values: its fastest
/// dimensions are whole, because pipelines and preludes find what repeats in the order in which
/// values are stored, and those behind them are divided evenly.
Extents suggested_chunk(const Extents& extents, std::size_t word_bytes);

/// The shape of the chunks that a data set with values will have: its own if their size is
/// reasonable, otherwise a suggested one.
Extents chunk_for(const data::StoredDataset& dataset);

/// The number of chunks that cover extents, and the origin of one of them.
std::uint64_t chunks_of(const Extents& extents, const Extents& chunk);
Extents origin_of(std::uint64_t index, const Extents& extents, const Extents& chunk);

/// Calls work(origin, block) for blocks that cover extents. Each consists of whole chunks, and has
/// at most `most` values unless one chunk has more. `other`: the chunk that the values are read
/// from, or empty; a block is at least as long along each dimension, so that few are read twice.
void for_blocks(const Extents& extents, const Extents& chunk, const Extents& other,
                std::uint64_t most,
                const std::function<void(const Extents& origin, const Extents& block)>& work);

}  // namespace fpsynth::repack
