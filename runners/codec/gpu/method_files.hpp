#pragma once
// Files of methods on a GPU: the container within by the GPU, the prelude by the CPU.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runners/codec/codec.hpp"
#include "runners/codec/streams.hpp"
#include "runners/device/device.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::codec {

/// compress() of a method: compress_cuda() of what its prelude gives.
std::uint64_t compress_cuda(std::span<const std::byte> input, std::string_view name,
                            const synth::Method& method, std::size_t word_bytes,
                            PatchableSink& sink, const device::DeviceInfo& device,
                            const CodecOptions& options = {});

/// decompress_cuda() of files with and without a prelude, which the CPU undoes in memory.
std::uint64_t decompress_file_cuda(std::span<const std::byte> file, std::string_view name,
                                   Sink& sink, const device::DeviceInfo& device,
                                   const CodecOptions& options = {});

}  // namespace fpsynth::codec
