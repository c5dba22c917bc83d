// pFPC files: bytes that decode survive encoding and decoding again; all others are an Error.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "runners/baselines/fpc/compressor.hpp"
#include "synth/common/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fpsynth;
  const auto file = std::as_bytes(std::span(data, size));
  std::vector<std::byte> doubles;
  baselines::PfpcParameters parameters;
  try {
    doubles = baselines::decode_pfpc(file, "fuzz", 1);
    parameters = baselines::PfpcDecoder(file, "fuzz", 1).parameters();
  } catch (const Error&) {
    return 0;
  }
  const auto again = baselines::encode_pfpc(doubles, parameters, 1);
  if (baselines::decode_pfpc(again, "again", 1) != doubles) std::abort();
  return 0;
}
