// lz4: a .lz4 frame with its checksum, fast (-1) and with LZ4HC (-9).

#include <fmt/core.h>
#include <lz4.h>
#include <lz4frame.h>

#include <memory>

#include "runners/baselines/peers/peers.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::baselines {
namespace {

void compress(std::span<const std::byte> input, int level, const std::string& name,
              std::vector<std::byte>& file) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockSizeID = LZ4F_max4MB;  // as the lz4 program
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  preferences.frameInfo.contentSize = input.size();
  // LZ4F uses the fast compressor below level 3 and LZ4HC from level 3.
  preferences.compressionLevel = level;
  file.resize(LZ4F_compressFrameBound(input.size(), &preferences));
  const std::size_t size =
      LZ4F_compressFrame(file.data(), file.size(), input.data(), input.size(), &preferences);
  if (LZ4F_isError(size)) {
    throw Error(fmt::format("{}: cannot compress: {}", name, LZ4F_getErrorName(size)));
  }
  file.resize(size);
}

void decompress(std::span<const std::byte> file, std::span<std::byte> original,
                const std::string& name) {
  const auto fail = [&name](std::string_view what) {
    throw Error(fmt::format("{}: the compressed data is damaged: {}", name, what));
  };
  LZ4F_dctx* context = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) {
    throw Error(fmt::format("{}: out of memory; free some", name));
  }
  const std::unique_ptr<LZ4F_dctx, LZ4F_errorCode_t (*)(LZ4F_dctx*)> owner(
      context, LZ4F_freeDecompressionContext);
  std::size_t written = 0;
  LZ4F_decompressOptions_t options{};
  options.stableDst = 1;
  for (std::size_t hint = 1; hint != 0;) {
    std::size_t to = original.size() - written;
    std::size_t from = file.size();
    // The library would take a null destination for the end of the output.
    std::byte none;
    std::byte* const out = to > 0 ? original.data() + written : &none;
    hint = LZ4F_decompress(context, out, &to, file.data(), &from, &options);
    if (LZ4F_isError(hint)) fail(LZ4F_getErrorName(hint));
    if (hint != 0 && to == 0 && from == 0) {
      fail(file.empty() ? "it is cut off" : "it decodes to too many bytes");
    }
    written += to;
    file = file.subspan(from);
  }
  if (written != original.size()) fail("it decodes to too few bytes");
  if (!file.empty()) fail("bytes follow its end");
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  add_levels(peers, "lz4", {{1, "-1"}, {9, "-9"}}, fmt::format("liblz4 {}", LZ4_versionString()),
             compress, decompress);
}

}  // namespace fpsynth::baselines
