// c-blosc: shuffles the bytes or bits of the words, then compresses with zstd or lz4, at its
// default level, and with zstd at its highest, -9. Its levels are not zstd's: 5 is zstd's level 9,
// and 9 is zstd's highest, 22, on larger blocks.

#include <blosc.h>
#include <fmt/core.h>

#include <string>
#include <string_view>

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

PeerCalls calls(const Variant& variant, synth::Precision precision) {
  return {.bound = [](std::size_t n) { return n + BLOSC_MAX_OVERHEAD; },
          .encode =
              [=](auto block, auto out) {
                const int size = blosc_compress_ctx(
                    variant.level, variant.shuffle, synth::word_bytes(precision), block.size(),
                    block.data(), out.data(), out.size(), variant.compressor, 0, kThreads);
                return size_if(size > 0, static_cast<std::size_t>(size));
              },
          .decode =
              [](auto block, auto out) {
                const int size =
                    blosc_decompress_ctx(block.data(), out.data(), out.size(), kThreads);
                return size > 0 && static_cast<std::size_t>(size) == out.size();
              }};
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
    peers.present.push_back(
        peer(variant.name,
             fmt::format("c-blosc {}, level {}", blosc_get_version_string(), variant.level),
             [variant](synth::Precision precision) { return calls(variant, precision); }));
  }
}

}  // namespace fpsynth::baselines
