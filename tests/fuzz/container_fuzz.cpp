// Decompresses arbitrary bytes: they must be an Error or give as many bytes as their header
// promises.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "runners/codec/codec.hpp"
#include "runners/codec/inspect.hpp"
#include "synth/common/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fpsynth;
  const auto file = std::as_bytes(std::span(data, size));
  codec::CodecOptions options;
  options.threads = 1;
  options.limit = std::uint64_t{1} << 22;
  try {
    const auto original = codec::decompress(file, options);
    if (original.size() != codec::inspect(file, "input").header.original_bytes) std::abort();
  } catch (const Error&) {
    // The codec refuses a damaged file.
  }
  return 0;
}
