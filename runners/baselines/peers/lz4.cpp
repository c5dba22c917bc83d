// lz4: a .lz4 frame with its checksum, fast (-1) and with LZ4HC (-9).

#include <fmt/core.h>
#include <lz4.h>
#include <lz4frame.h>

#include <memory>

#include "runners/baselines/peers/peers.hpp"

namespace fpsynth::baselines {
namespace {

/// LZ4F uses the fast compressor below level 3 and LZ4HC from level 3.
PeerCalls calls(int level) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockSizeID = LZ4F_max4MB;  // as the lz4 program
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  preferences.compressionLevel = level;
  return {.bound = [=](std::size_t bytes) { return LZ4F_compressFrameBound(bytes, &preferences); },
          .encode =
              [=](auto block, auto out) {
                LZ4F_preferences_t its = preferences;
                its.frameInfo.contentSize = block.size();
                const std::size_t size =
                    LZ4F_compressFrame(out.data(), out.size(), block.data(), block.size(), &its);
                return size_if(!LZ4F_isError(size), size);
              },
          .decode =
              [](auto block, auto out) {
                LZ4F_dctx* context = nullptr;
                if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) {
                  return false;
                }
                const std::unique_ptr<LZ4F_dctx, LZ4F_errorCode_t (*)(LZ4F_dctx*)> owner(
                    context, LZ4F_freeDecompressionContext);
                LZ4F_decompressOptions_t options{};
                options.stableDst = 1;
                std::size_t to = out.size(), from = block.size();
                return LZ4F_decompress(context, out.data(), &to, block.data(), &from, &options) ==
                           0 &&
                       to == out.size();
              }};
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  const std::string version = fmt::format("liblz4 {}", LZ4_versionString());
  peers.present.push_back(peer("lz4 -1", version, calls(1)));
  peers.present.push_back(peer("lz4 -9", version, calls(9)));
}

}  // namespace fpsynth::baselines
