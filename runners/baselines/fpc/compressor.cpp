// FPC as a Compressor; the format itself is in runners/data, which data sets are read with.

#include "runners/data/fpc.hpp"

#include <fmt/core.h>

#include "runners/baselines/baselines.hpp"
#include "runners/data/fcm_predictor.hpp"
#include "synth/common/error.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::baselines {

Compressor fpc(unsigned table_bits) {
  if (table_bits < data::kMinTableBits || table_bits > data::kMaxTableBits) {
    throw UsageError(fmt::format("FPC with tables of 2^{} entries; the exponent is {} to {}",
                                 table_bits, data::kMinTableBits, data::kMaxTableBits));
  }
  Compressor compressor;
  compressor.name = "FPC";
  compressor.version = synth::kVersion;
  compressor.threads = 1;
  compressor.precisions = {synth::Precision::Double};
  compressor.compress = [table_bits](std::span<const std::byte> input, synth::Precision precision) {
    if (precision != synth::Precision::Double) {
      throw Error("FPC compresses doubles only; ask for double precision");
    }
    return data::encode_fpc(input, table_bits);
  };
  compressor.decompress = [](std::span<const std::byte> file, synth::Precision, std::size_t) {
    return data::decode_fpc(file, "FPC file");
  };
  return compressor;
}

}  // namespace fpsynth::baselines
