#pragma once
// Decoders of chunks that were compressed with another project's library. Each is a file of this
// folder and a module of its own (runners/modules/module.hpp), decode_<name>.

#include <cstddef>
#include <span>

namespace fpsynth::data {

/// Fills `values` from one compressed chunk, which may hold any bytes, and returns the number of
/// bytes that it decodes to. A number above the size of `values`: they do not suffice and hold
/// anything; it may decode to more. Throws Error, whose text is the library's reason, for what is
/// damaged.
using DecodeChunk = std::size_t(std::span<const std::byte> chunk, std::span<std::byte> values);

/// Each module defines this.
extern "C" DecodeChunk fpsynth_decode_chunk;

}  // namespace fpsynth::data
