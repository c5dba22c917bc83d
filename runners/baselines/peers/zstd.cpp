// zstd: a .zst frame with its checksum, at the program's default level and at the highest level
// that it accepts without --ultra.

#include <fmt/core.h>
#include <zstd.h>

#include <memory>

#include "runners/baselines/peers/peers.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::baselines {
namespace {

void check(std::size_t status, const std::string& name, const char* what) {
  if (ZSTD_isError(status)) {
    throw Error(fmt::format("{}: {}: {}", name, what, ZSTD_getErrorName(status)));
  }
}

void compress(std::span<const std::byte> input, int level, const std::string& name,
              std::vector<std::byte>& file) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                        ZSTD_freeCCtx);
  if (!context) throw Error(fmt::format("{}: out of memory; free some", name));
  check(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level), name, "level");
  check(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1), name, "checksum");
  file.resize(ZSTD_compressBound(input.size()));
  const std::size_t size =
      ZSTD_compress2(context.get(), file.data(), file.size(), input.data(), input.size());
  check(size, name, "cannot compress");
  file.resize(size);
}

void decompress(std::span<const std::byte> file, std::span<std::byte> original,
                const std::string& name) {
  constexpr const char* kDamaged = "the compressed data is damaged";
  const std::size_t frame = ZSTD_findFrameCompressedSize(file.data(), file.size());
  check(frame, name, kDamaged);
  if (frame != file.size()) {
    throw Error(fmt::format("{}: {}: bytes follow its end", name, kDamaged));
  }
  if (ZSTD_getFrameContentSize(file.data(), file.size()) != original.size()) {
    throw Error(fmt::format("{}: {}: its original does not have {} bytes", name, kDamaged,
                            original.size()));
  }
  const std::size_t size =
      ZSTD_decompress(original.data(), original.size(), file.data(), file.size());
  check(size, name, kDamaged);
  if (size != original.size()) {
    throw Error(fmt::format("{}: {}: it decodes to {} bytes", name, kDamaged, size));
  }
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  add_levels(peers, "zstd", {{3, "-3"}, {19, "-19"}},
             fmt::format("libzstd {}", ZSTD_versionString()), compress, decompress);
}

}  // namespace fpsynth::baselines
