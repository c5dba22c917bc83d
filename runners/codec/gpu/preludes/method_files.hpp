#pragma once
// Files of methods on a GPU: both the prelude and the container within.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runners/codec/codec.hpp"
#include "runners/codec/streams.hpp"
#include "runners/device/device.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::codec {

/// compress() of a method on a GPU. With a prelude, the whole input is in device memory, twice
/// while a step is running, beside what the step needs (prelude_on.hpp). Throws what
/// compress_cuda() of a pipeline throws, DeviceUnsuitable also if there is not enough memory for
/// that, before anything is written.
std::uint64_t compress_cuda(std::span<const std::byte> input, std::string_view name,
                            const synth::Method& method, std::size_t word_bytes,
                            PatchableSink& sink, const device::DeviceInfo& device,
                            const CodecOptions& options = {});

/// decompress_cuda() of files with and without a prelude. With one, the whole original must fit
/// into device memory, beside what undoing a step needs.
std::uint64_t decompress_file_cuda(std::span<const std::byte> file, std::string_view name,
                                   Sink& sink, const device::DeviceInfo& device,
                                   const CodecOptions& options = {});

}  // namespace fpsynth::codec
