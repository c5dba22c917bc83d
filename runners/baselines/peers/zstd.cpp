// zstd: a .zst frame with its checksum, at the program's default level and at the highest level
// that it accepts without --ultra.

#include <fmt/core.h>
#include <zstd.h>

#include <memory>

#include "runners/baselines/peers/peers.hpp"

namespace fpsynth::baselines {
namespace {

PeerCalls calls(int level) {
  return {.bound = ZSTD_compressBound,
          .encode =
              [level](auto block, auto out) {
                const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(
                    ZSTD_createCCtx(), ZSTD_freeCCtx);
                size_if(context != nullptr, 0);
                ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
                ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
                const std::size_t size = ZSTD_compress2(context.get(), out.data(), out.size(),
                                                        block.data(), block.size());
                return size_if(!ZSTD_isError(size), size);
              },
          .decode =
              [](auto block, auto out) {
                return ZSTD_decompress(out.data(), out.size(), block.data(), block.size()) ==
                       out.size();
              }};
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  const std::string version = fmt::format("libzstd {}", ZSTD_versionString());
  peers.present.push_back(peer("zstd -3", version, calls(3)));
  peers.present.push_back(peer("zstd -19", version, calls(19)));
}

}  // namespace fpsynth::baselines
