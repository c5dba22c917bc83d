#include "runners/baselines/peers/blocks.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "synth/common/error.hpp"

namespace fpsynth::baselines {
namespace {

constexpr std::size_t kHeader = 8;

/// The checksum of the stored bytes and of everything else that the decoder depends on.
std::uint32_t checksum(const BlockCodec& codec, std::span<const std::byte> stored,
                       std::size_t original) {
  const std::uint64_t seed = std::uint64_t{codec.variant} << 32 | original;
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(stored.data(), stored.size(), seed));
}

}  // namespace

void compress_blocks(const BlockCodec& codec, std::span<const std::byte> input,
                     std::vector<std::byte>& file) {
  const std::size_t capacity = codec.bound(std::min(codec.block, input.size()));
  // Not initialized, because it is written before it is read.
  const std::unique_ptr<std::byte[]> out(new std::byte[capacity]);
  file.clear();
  while (!input.empty()) {
    const auto block = input.first(std::min(codec.block, input.size()));
    input = input.subspan(block.size());
    std::size_t size = codec.encode(block, {out.get(), capacity});
    const bool shrunk = size > 0 && size < block.size();
    if (!shrunk) size = block.size();
    const std::byte* const from = shrunk ? out.get() : block.data();
    const std::uint32_t header[] = {static_cast<std::uint32_t>(size),
                                    checksum(codec, {from, size}, block.size())};
    const auto* const head = reinterpret_cast<const std::byte*>(header);
    file.insert(file.end(), head, head + kHeader);
    file.insert(file.end(), from, from + size);
  }
}

void decompress_blocks(const BlockCodec& codec, std::span<const std::byte> file,
                       std::span<std::byte> original) {
  const auto fail = [&](std::size_t at, std::string_view what) {
    throw Error(fmt::format("{}: the compressed data is damaged: the block for byte {} {}",
                            codec.name, at, what));
  };
  for (std::size_t at = 0; at < original.size();) {
    const auto block = original.subspan(at, std::min(codec.block, original.size() - at));
    std::uint32_t header[2];
    if (file.size() < kHeader) fail(at, "is cut off");
    std::memcpy(header, file.data(), kHeader);
    file = file.subspan(kHeader);
    const std::size_t size = header[0];
    if (size == 0 || size > block.size()) fail(at, "has an impossible size");
    if (size > file.size()) fail(at, "is cut off");
    // Checked before the library sees the data, because not every decoder is safe with damaged
    // data.
    if (checksum(codec, file.first(size), block.size()) != header[1])
      fail(at, "has a wrong checksum");
    if (size == block.size()) {
      std::copy_n(file.begin(), size, block.begin());
    } else if (!codec.decode(file.first(size), block)) {
      fail(at, "has wrong codes");
    }
    file = file.subspan(size);
    at += block.size();
  }
  if (!file.empty()) fail(original.size(), "is unexpected");
}

Compressor block_compressor(std::string name, std::string version,
                            std::function<BlockCodec(synth::Precision)> codec_for) {
  return {.name = std::move(name),
          .version = std::move(version),
          .compress =
              [codec_for](std::span<const std::byte> input, synth::Precision precision,
                          std::vector<std::byte>& file) {
                compress_blocks(codec_for(precision), input, file);
              },
          .decompress =
              [codec_for](std::span<const std::byte> file, synth::Precision precision,
                          std::span<std::byte> original) {
                decompress_blocks(codec_for(precision), file, original);
              }};
}

}  // namespace fpsynth::baselines
