#pragma once
// A minimal file around libraries that compress a block in memory and know no file: for each block
// its compressed size (4 bytes), a checksum (4 bytes), and the compressed block. A block that would
// not shrink is stored as it is, with its own size. The last block may be shorter.
//
// The checksum is of the compressed bytes and is compared first: some of these libraries go wrong
// on damaged data. Against data that was forged to have the right one, they are on their own.

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace fpsynth::baselines {

struct BlockCodec {
  std::string_view name;  ///< what error messages call it
  std::size_t block;      ///< bytes of a block, fewer than 2^31
  unsigned variant;       ///< codecs of different variants refuse each other's files
  /// The most bytes that `encode` may write for a block of so many.
  std::function<std::size_t(std::size_t)> bound;
  /// Compresses a block to `out` and returns the size; 0 where the library cannot.
  std::function<std::size_t(std::span<const std::byte> block, std::span<std::byte> out)> encode;
  /// Fills `out` from a compressed block, which may be any bytes; false where that fails.
  std::function<bool(std::span<const std::byte> block, std::span<std::byte> out)> decode;
};

/// Replaces what `file` holds, in the memory that it has.
void compress_blocks(const BlockCodec& codec, std::span<const std::byte> input,
                     std::vector<std::byte>& file);

/// Throws Error, which starts with the codec's name, unless `file` is what compress_blocks() gives
/// for an input of the size of `original`.
void decompress_blocks(const BlockCodec& codec, std::span<const std::byte> file,
                       std::span<std::byte> original);

}  // namespace fpsynth::baselines
