#pragma once
// The cut of a data set's words into the chunks that pipelines see: from the beginning, or within
// each of the chunks in which HDF5 stores an array.

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace fpsynth::results {

/// The chunks in which HDF5 stores an array, and passes it to filters. They all have the same
/// extents: what of one is outside of the array holds a fill value. They follow each other as their
/// places in the array do, the last index fastest, and so do the values of each.
struct Hdf5Chunks {
  std::vector<std::uint64_t> shape;  ///< of the array, slowest first
  std::vector<std::uint64_t> chunk;  ///< of a chunk; as many extents
  std::string fill;  ///< the bits of the fill value, as many lower-case hex digits; empty for zeros

  /// The number of chunks, and of the words of each, those of the padding among them.
  std::uint64_t count() const;
  std::uint64_t words() const;
  /// The values of the array in the first `chunks` chunks and the first `words` words of the next.
  std::uint64_t values_in(std::uint64_t chunks, std::uint64_t words) const;
  /// "64x256 of 1000x1000".
  std::string text() const;

  static void list(auto& fields, auto& chunks) {
    fields.some("shape", chunks.shape);
    fields.some("chunk", chunks.chunk);
    fields.optional_some("fill", chunks.fill);
  }
  friend bool operator==(const Hdf5Chunks&, const Hdf5Chunks&) = default;
};

/// "64x256"; "1 value" if there are no extents.
std::string extents_text(const std::vector<std::uint64_t>& extents);

/// The product of extents. Throws Error if it is above 2^60.
std::uint64_t product_of(const std::vector<std::uint64_t>& extents);

struct Cutting {
  std::uint64_t parts = 1;       ///< HDF5 chunks, or all words as the only part
  std::uint64_t part_words = 0;  ///< of each part
  std::size_t chunk_words = 0;   ///< of a chunk; the last one of a part may be shorter

  struct Chunk {
    std::uint64_t begin = 0, words = 0;
  };
  Chunk at(std::uint64_t index) const {
    const std::uint64_t in_part = index % chunks_of_part() * chunk_words;
    const std::uint64_t left = part_words - in_part;
    return {index / chunks_of_part() * part_words + in_part,
            left < chunk_words ? left : chunk_words};
  }
  std::uint64_t words() const { return parts * part_words; }
  std::uint64_t chunks_of_part() const {
    return part_words / chunk_words + (part_words % chunk_words != 0);
  }
  /// The number of chunks that are searched if one in `sample` is.
  std::uint64_t chunks(std::uint64_t sample = 1) const {
    const std::uint64_t all = parts * chunks_of_part();
    return all / sample + (all % sample != 0);
  }
  /// True if these chunks are not always those at the same places of their parts, of which there
  /// are several: they would be no sample of what a prelude makes of the others.
  bool takes_all_places(std::uint64_t sample) const {
    return parts == 1 || std::gcd(sample, chunks_of_part()) == 1;
  }
  /// The words of these chunks.
  std::uint64_t words_in(std::uint64_t sample) const;
  /// The share of these chunks in bytes that belong to all words, such as headers.
  std::uint64_t share_of(std::uint64_t bytes, std::uint64_t sample) const;
};

}  // namespace fpsynth::results
