#pragma once
// Compression and decompression of whole inputs on a GPU: the same as codec.hpp on the CPU, with
// the same bytes, checks and messages.
//
// Without a prelude, inputs may be larger than the device's memory: they are processed in batches
// of chunks. Two batches are in progress at a time, so that one is copied while the other is
// computed. The host computes the checksum, on several threads.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runners/codec/codec.hpp"
#include "runners/codec/streams.hpp"
#include "runners/device/device.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::codec {

/// codec::compress() on a GPU. options.threads threads copy to page-locked memory and compute the
/// checksum. Without a prelude, uses less than 1 GiB of device memory. With one, the whole input is
/// in device memory, twice, after the processor has executed the steps up to the last one with side
/// data in as much memory of its own. Throws what compress() throws; DeviceUnsuitable if the device
/// cannot run the method, before anything is written; DeviceError if the device fails, and what was
/// written must then be discarded.
std::uint64_t compress_cuda(std::span<const std::byte> input, std::string_view name,
                            const synth::Method& method, std::size_t word_bytes,
                            PatchableSink& sink, const device::DeviceInfo& device,
                            const CodecOptions& options = {});

/// codec::decompress() on a GPU, with the same properties. With a prelude, the whole original must
/// fit into device memory, beside what undoing a step needs; the processor undoes those steps.
std::uint64_t decompress_cuda(std::span<const std::byte> file, std::string_view name, Sink& sink,
                              const device::DeviceInfo& device, const CodecOptions& options = {});

}  // namespace fpsynth::codec
