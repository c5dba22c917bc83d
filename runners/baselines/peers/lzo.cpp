// lzop -9 and -1: LZO1X-999 at level 9 and LZO1X-1(15) on blocks of 256 KiB, as in that program.
// Its file format differs, but has the same size to within a few bytes per block.

#include <fmt/core.h>
#include <lzo/lzo1x.h>

#include <memory>

#include "runners/baselines/peers/peers.hpp"

namespace fpsynth::baselines {
namespace {

unsigned char* octets(std::span<const std::byte> bytes) {
  return reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
}

PeerCalls calls(int level) {
  const std::shared_ptr<std::byte[]> work(
      new std::byte[level == 1 ? LZO1X_1_15_MEM_COMPRESS : LZO1X_999_MEM_COMPRESS]);
  return {.bound = [](std::size_t n) { return n + n / 16 + 64 + 3; },  // LZO's FAQ
          .encode =
              [=](auto block, auto out) {
                lzo_uint size = out.size();
                const int status = level == 1 ? lzo1x_1_15_compress(octets(block), block.size(),
                                                                    octets(out), &size, work.get())
                                              : lzo1x_999_compress_level(
                                                    octets(block), block.size(), octets(out), &size,
                                                    work.get(), nullptr, 0, nullptr, level);
                return size_if(status == LZO_E_OK, size);
              },
          .decode =
              [](auto block, auto out) {
                lzo_uint size = out.size();
                return lzo1x_decompress_safe(octets(block), block.size(), octets(out), &size,
                                             nullptr) == LZO_E_OK &&
                       size == out.size();
              },
          .block = std::size_t{256} << 10};
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  if (lzo_init() != LZO_E_OK) {
    peers.missing.push_back(
        {"lzop", "the installed liblzo2 is incompatible with this program; install another"});
    return;
  }
  const std::string version = fmt::format("liblzo2 {}", lzo_version_string());
  peers.present.push_back(peer("lzop -9", version, calls(9)));
  peers.present.push_back(peer("lzop -1", version, calls(1)));
}

}  // namespace fpsynth::baselines
