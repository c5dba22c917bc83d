// Holt files: bytes that decode survive encoding and decoding again; all others are an Error.
// The checksum would stop nearly everything, so the bytes are also tried as an original.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "runners/baselines/holt/compressor.hpp"
#include "synth/common/error.hpp"

namespace {

using namespace fpsynth;

void round_trip(std::span<const std::byte> original, synth::Precision precision,
                const baselines::HoltParameters& parameters) {
  const auto file = baselines::encode_holt(original, precision, parameters, 1);
  const auto again = baselines::decode_holt(file, "again", 1);
  if (!std::ranges::equal(again, original)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  try {
    round_trip(baselines::decode_holt(file, "fuzz", 1), baselines::holt_precision(file, "fuzz"),
               {});
  } catch (const Error&) {
    // The decoder refuses a damaged file.
  }
  if (size < 3) return 0;
  const baselines::HoltParameters parameters{data[0] / 255.0, data[1] / 255.0, 1u + data[2],
                                             data[2] % 2 == 1};
  round_trip(file, synth::Precision::Single, parameters);
  round_trip(file, synth::Precision::Double, parameters);
  return 0;
}
