#pragma once
// A minimal file format for libraries that compress a block in memory and have no file format: for
// each block its compressed size (4 bytes), a checksum (4 bytes), and the compressed block. A block
// that would not shrink is stored uncompressed, with its own size. The last block may be shorter.
//
// The checksum covers the compressed bytes and is compared first, because some of these libraries
// misbehave on damaged data. Data that were forged with a correct checksum still reach them.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/baselines/compressor.hpp"

namespace fpsynth::baselines {

struct BlockCodec {
  std::string_view name;  ///< its name in error messages
  std::size_t block;      ///< bytes of a block, fewer than 2^31
  unsigned variant;       ///< codecs of different variants refuse each other's files
  /// The most bytes that `encode` may write for a block of the given size.
  std::function<std::size_t(std::size_t)> bound;
  /// Compresses a block to `out` and returns the size, or 0 if the library fails.
  std::function<std::size_t(std::span<const std::byte> block, std::span<std::byte> out)> encode;
  /// Fills `out` from a compressed block, which may hold any bytes. Returns false if that fails.
  std::function<bool(std::span<const std::byte> block, std::span<std::byte> out)> decode;
};

/// Replaces the contents of `file`, reusing its memory.
void compress_blocks(const BlockCodec& codec, std::span<const std::byte> input,
                     std::vector<std::byte>& file);

/// Throws Error, which starts with the codec's name, unless `file` is what compress_blocks() gives
/// for an input of the size of `original`.
void decompress_blocks(const BlockCodec& codec, std::span<const std::byte> file,
                       std::span<std::byte> original);

/// A compressor of all precisions, on one thread, whose files are those of compress_blocks().
/// `codec_for` is called for every file; what it returns may refer to what `codec_for` holds.
Compressor block_compressor(std::string name, std::string version,
                            std::function<BlockCodec(synth::Precision)> codec_for);

}  // namespace fpsynth::baselines
