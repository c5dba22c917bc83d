// FPC files: bytes that decode survive encoding and decoding again; all others are an Error.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "runners/data/fpc/fpc.hpp"
#include "synth/common/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using fpsynth::data::decode_fpc;
  const auto file = std::as_bytes(std::span(data, size));
  std::vector<std::byte> doubles;
  try {
    doubles = decode_fpc(file, "fuzz");
  } catch (const fpsynth::Error&) {
    return 0;
  }
  const auto again = fpsynth::data::encode_fpc(doubles, std::to_integer<unsigned>(file[0]));
  if (decode_fpc(again, "again") != doubles) std::abort();
  return 0;
}
