// c-blosc: shuffles the bytes or bits of the words, then compresses with zstd or lz4, at its
// default level, and with zstd at its highest, -9. Its levels are not zstd's: 5 is zstd's level 9,
// and 9 is zstd's highest, 22, on larger blocks.

#include <blosc.h>
#include <fmt/core.h>

#include <string>
#include <string_view>

#include "runners/baselines/peers/blocks.hpp"
#include "runners/baselines/peers/peers.hpp"

namespace fpsynth::baselines {
namespace {

constexpr int kDefault = 5, kHighest = 9;
constexpr int kThreads = 1;

struct Variant {
  std::string name;
  int shuffle;
  const char* compressor;
  int level;
};

std::size_t encode(std::span<const std::byte> block, std::span<std::byte> out,
                   const Variant& variant, synth::Precision precision) {
  const int size =
      blosc_compress_ctx(variant.level, variant.shuffle, synth::word_bytes(precision), block.size(),
                         block.data(), out.data(), out.size(), variant.compressor, 0, kThreads);
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

bool decode(std::span<const std::byte> block, std::span<std::byte> out) {
  std::size_t size = 0;
  if (blosc_cbuffer_validate(block.data(), block.size(), &size) != 0 || size != out.size()) {
    return false;
  }
  const int got = blosc_decompress_ctx(block.data(), out.data(), out.size(), kThreads);
  return got > 0 && static_cast<std::size_t>(got) == out.size();
}

BlockCodec codec(const Variant& variant, synth::Precision precision) {
  return {.name = variant.name,
          .block = std::size_t{1} << 30,  // blosc counts in int
          .variant = 0,
          .bound = [](std::size_t n) { return n + BLOSC_MAX_OVERHEAD; },
          .encode = [&variant, precision](
                        auto block, auto out) { return encode(block, out, variant, precision); },
          .decode = decode};
}

/// True if a list such as "blosclz,lz4,zstd", which the library returns, contains a name.
bool lists(std::string_view names, std::string_view name) {
  return fmt::format(",{},", names).find(fmt::format(",{},", name)) != std::string::npos;
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  const Variant variants[] = {{"blosc shuffle+lz4", BLOSC_SHUFFLE, "lz4", kDefault},
                              {"blosc bitshuffle+lz4", BLOSC_BITSHUFFLE, "lz4", kDefault},
                              {"blosc shuffle+zstd", BLOSC_SHUFFLE, "zstd", kDefault},
                              {"blosc bitshuffle+zstd", BLOSC_BITSHUFFLE, "zstd", kDefault},
                              {"blosc shuffle+zstd -9", BLOSC_SHUFFLE, "zstd", kHighest},
                              {"blosc bitshuffle+zstd -9", BLOSC_BITSHUFFLE, "zstd", kHighest}};
  for (const Variant& variant : variants) {
    if (!lists(blosc_list_compressors(), variant.compressor)) {
      peers.missing.push_back(
          {variant.name, fmt::format("c-blosc {} was built without {}; install another",
                                     blosc_get_version_string(), variant.compressor)});
      continue;
    }
    peers.present.push_back(block_compressor(
        variant.name,
        fmt::format("c-blosc {}, level {}", blosc_get_version_string(), variant.level),
        [variant](synth::Precision precision) { return codec(variant, precision); }));
  }
}

}  // namespace fpsynth::baselines
