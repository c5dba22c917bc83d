// lzop -9: LZO1X-999 at level 9 on blocks of 256 KiB, as in that program. Its file format differs,
// but has the same size to within a few bytes per block.

#include <fmt/core.h>
#include <lzo/lzo1x.h>

#include <memory>

#include "runners/baselines/peers/blocks.hpp"
#include "runners/baselines/peers/libraries.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::baselines {
namespace {

const unsigned char* in_bytes(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* out_bytes(std::span<std::byte> bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

std::size_t encode(std::span<const std::byte> block, std::span<std::byte> out, lzo_voidp work) {
  lzo_uint size = out.size();
  if (lzo1x_999_compress_level(in_bytes(block), block.size(), out_bytes(out), &size, work, nullptr,
                               0, nullptr, 9) != LZO_E_OK) {
    return 0;
  }
  return size;
}

bool decode(std::span<const std::byte> block, std::span<std::byte> out) {
  lzo_uint size = out.size();
  return lzo1x_decompress_safe(in_bytes(block), block.size(), out_bytes(out), &size, nullptr) ==
             LZO_E_OK &&
         size == out.size();
}

BlockCodec codec() {
  const std::shared_ptr<std::byte[]> work(new std::byte[LZO1X_999_MEM_COMPRESS]);
  return {.name = "lzop -9",
          .block = std::size_t{256} << 10,
          .variant = 0,
          .bound = [](std::size_t n) { return n + n / 16 + 64 + 3; },  // LZO's FAQ
          .encode = [work](auto block, auto out) { return encode(block, out, work.get()); },
          .decode = decode};
}

}  // namespace

void add_lzo(Peers& peers) {
  if (lzo_init() != LZO_E_OK) {
    peers.missing.push_back(
        {"lzop -9", "the installed liblzo2 is incompatible with this program; install another"});
    return;
  }
  peers.present.push_back(
      {.name = "lzop -9",
       .version = fmt::format("liblzo2 {}", lzo_version_string()),
       .threads = 1,
       .precisions = {synth::Precision::Double, synth::Precision::Single},
       .compress = [](std::span<const std::byte> input, synth::Precision,
                      std::vector<std::byte>& file) { compress_blocks(codec(), input, file); },
       .decompress =
           [](std::span<const std::byte> file, synth::Precision, std::span<std::byte> original) {
             decompress_blocks(codec(), file, original);
           }});
}

}  // namespace fpsynth::baselines
