#include "runners/baselines/wire.hpp"

#include <fmt/core.h>

#include "synth/common/error.hpp"

namespace fpsynth::baselines {

void expect_original_bytes(std::string_view name, std::size_t original, std::size_t buffer) {
  if (original == buffer) return;
  throw Error(fmt::format("{}: its original has {} bytes, but the output buffer has {}", name,
                          original, buffer));
}

void expect_doubles(std::string_view format, synth::Precision precision) {
  if (precision == synth::Precision::Double) return;
  throw Error(fmt::format("{} compresses doubles only; use double precision", format));
}

}  // namespace fpsynth::baselines
