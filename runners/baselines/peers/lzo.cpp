// lzop -9 and -1: LZO1X-999 at level 9 and LZO1X-1(15) on blocks of 256 KiB, as in that program.
// Its file format differs, but has the same size to within a few bytes per block.

#include <fmt/core.h>
#include <lzo/lzo1x.h>

#include <memory>

#include "runners/baselines/peers/blocks.hpp"
#include "runners/baselines/peers/peers.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::baselines {
namespace {

const unsigned char* in_bytes(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* out_bytes(std::span<std::byte> bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

std::size_t encode(std::span<const std::byte> block, std::span<std::byte> out, int level,
                   lzo_voidp work) {
  lzo_uint size = out.size();
  const int status =
      level == 1 ? lzo1x_1_15_compress(in_bytes(block), block.size(), out_bytes(out), &size, work)
                 : lzo1x_999_compress_level(in_bytes(block), block.size(), out_bytes(out), &size,
                                            work, nullptr, 0, nullptr, level);
  return status == LZO_E_OK ? size : 0;
}

bool decode(std::span<const std::byte> block, std::span<std::byte> out) {
  lzo_uint size = out.size();
  return lzo1x_decompress_safe(in_bytes(block), block.size(), out_bytes(out), &size, nullptr) ==
             LZO_E_OK &&
         size == out.size();
}

BlockCodec codec(int level, const std::string& name) {
  const std::shared_ptr<std::byte[]> work(
      new std::byte[level == 1 ? LZO1X_1_15_MEM_COMPRESS : LZO1X_999_MEM_COMPRESS]);
  return {.name = name,
          .block = std::size_t{256} << 10,
          .variant = 0,
          .bound = [](std::size_t n) { return n + n / 16 + 64 + 3; },  // LZO's FAQ
          .encode = [=](auto block, auto out) { return encode(block, out, level, work.get()); },
          .decode = decode};
}

void compress(std::span<const std::byte> input, int level, const std::string& name,
              std::vector<std::byte>& file) {
  compress_blocks(codec(level, name), input, file);
}

void decompress(std::span<const std::byte> file, std::span<std::byte> original,
                const std::string& name) {
  decompress_blocks(codec(1, name), file, original);  // the format of all levels is one
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  if (lzo_init() != LZO_E_OK) {
    peers.missing.push_back(
        {"lzop", "the installed liblzo2 is incompatible with this program; install another"});
    return;
  }
  add_levels(peers, "lzop", {{9, "-9"}, {1, "-1"}}, fmt::format("liblzo2 {}", lzo_version_string()),
             compress, decompress);
}

}  // namespace fpsynth::baselines
