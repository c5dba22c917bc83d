// bzip2 --best and -1: a .bz2 stream with blocks of 900 kB and of 100 kB.

#include <bzlib.h>
#include <fmt/core.h>

#include "runners/baselines/peers/peers.hpp"

namespace fpsynth::baselines {
namespace {

// The library does not write to its input, which it declares as non-const.
char* chars(std::span<const std::byte> bytes) {
  return reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data()));
}

PeerCalls calls(int level) {
  return {
      .bound = [](std::size_t bytes) { return bytes + bytes / 100 + 600; },
      .encode =
          [level](auto block, auto out) {
            auto size = static_cast<unsigned>(out.size());
            const int status = BZ2_bzBuffToBuffCompress(
                chars(out), &size, chars(block), static_cast<unsigned>(block.size()), level, 0, 0);
            return size_if(status == BZ_OK, size);
          },
      .decode =
          [](auto block, auto out) {
            auto size = static_cast<unsigned>(out.size());
            return BZ2_bzBuffToBuffDecompress(chars(out), &size, chars(block),
                                              static_cast<unsigned>(block.size()), 0, 0) == BZ_OK &&
                   size == out.size();
          }};
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  const std::string version = fmt::format("libbz2 {}", BZ2_bzlibVersion());
  peers.present.push_back(peer("bzip2 --best", version, calls(9)));
  peers.present.push_back(peer("bzip2 -1", version, calls(1)));
}

}  // namespace fpsynth::baselines
