// GFC files: bytes that decode survive encoding and decoding again; all others are an Error.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "runners/baselines/compressor.hpp"
#include "runners/baselines/gfc/compressor.hpp"
#include "synth/common/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fpsynth::baselines;
  const auto file = std::as_bytes(std::span(data, size));
  std::vector<std::byte> doubles;
  try {
    doubles = decode_gfc(file, "fuzz", 1);
  } catch (const fpsynth::Error&) {
    return 0;
  }
  const auto again = encode_gfc(doubles, load<std::uint16_t>(file.data() + 5),
                                std::to_integer<unsigned>(file[4]), 1);
  if (decode_gfc(again, "again", 1) != doubles) std::abort();
  return 0;
}
