// xz -6 and -9: a .xz stream with the CRC64 that the xz program writes, with dictionaries of 8 and
// of 64 MiB.

#include <fmt/core.h>
#include <lzma.h>

#include "runners/baselines/peers/peers.hpp"

namespace fpsynth::baselines {
namespace {

std::uint8_t* octets(std::span<const std::byte> bytes) {
  return reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(bytes.data()));
}

PeerCalls calls(std::uint32_t preset) {
  return {.bound = lzma_stream_buffer_bound,
          .encode =
              [preset](auto block, auto out) {
                std::size_t size = 0;
                const lzma_ret status =
                    lzma_easy_buffer_encode(preset, LZMA_CHECK_CRC64, nullptr, octets(block),
                                            block.size(), octets(out), &size, out.size());
                return size_if(status == LZMA_OK, size);
              },
          .decode =
              [](auto block, auto out) {
                std::uint64_t memory = UINT64_MAX;
                std::size_t read = 0, size = 0;
                return lzma_stream_buffer_decode(&memory, 0, nullptr, octets(block), &read,
                                                 block.size(), octets(out), &size,
                                                 out.size()) == LZMA_OK &&
                       size == out.size();
              }};
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  const std::string version = fmt::format("liblzma {}", lzma_version_string());
  peers.present.push_back(peer("xz -6", version, calls(6)));
  peers.present.push_back(peer("xz -9", version, calls(9)));
}

}  // namespace fpsynth::baselines
