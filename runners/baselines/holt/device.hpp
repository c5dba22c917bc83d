#pragma once
// Holt's method (compressor.hpp) on a device, mapped as in its paper: one thread processes a run,
// through shared memory.

#include <memory>
#include <string>

#include "runners/baselines/device_common.hpp"
#include "runners/baselines/holt/compressor.hpp"
#include "runners/device/device.hpp"

namespace fpsynth::baselines {

/// One device, used by one thread at a time. It keeps its memory from call to call. Inputs larger
/// than the device's memory are processed in batches of whole runs, one after the other. The host
/// computes the format's checksum, before or after the device's work.
class HoltDevice {
 public:
  virtual ~HoltDevice() = default;

  /// Replaces the contents of `file` by the file that encode_holt() writes. Throws what
  /// encode_holt() throws, and DeviceError if the device fails or its memory is too small for one
  /// run.
  virtual void encode_into(std::span<const std::byte> input, synth::Precision precision,
                           const HoltParameters& parameters, std::vector<std::byte>& file) = 0;
  /// Decodes as decode_holt_into() does, with the same errors; DeviceError as above.
  virtual void decode_into(std::span<const std::byte> file, std::string_view name,
                           std::span<std::byte> out) = 0;

  /// The same, to newly allocated memory.
  std::vector<std::byte> encode(std::span<const std::byte> input, synth::Precision precision,
                                const HoltParameters& parameters);
  std::vector<std::byte> decode(std::span<const std::byte> file, std::string_view name);

  /// Times of the last call that succeeded.
  const DeviceTimes& times() const { return times_; }

 protected:
  DeviceTimes times_;
};

/// Throws DeviceError if the program was built without CUDA or the device cannot be used.
std::unique_ptr<HoltDevice> holt_on(const device::DeviceInfo& info);

}  // namespace fpsynth::baselines
