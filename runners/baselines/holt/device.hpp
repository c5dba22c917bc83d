#pragma once
// Holt's method (compressor.hpp) on a device, as its paper maps it: a thread takes a run, by way of
// shared memory.

#include <memory>
#include <string>

#include "runners/baselines/device_common.hpp"
#include "runners/baselines/holt/compressor.hpp"
#include "runners/device/device.hpp"

namespace fpsynth::baselines {

/// One device, to be used by one thread at a time. Its memory is kept from call to call. Inputs
/// larger than the device's memory are taken in batches of whole runs, one after the other. The
/// checksum of the format is the host's work, before or after the device's.
class HoltDevice {
 public:
  virtual ~HoltDevice() = default;

  /// Replaces what `file` holds by the file that encode_holt() makes. Throws what it throws, and
  /// DeviceError where the device fails or not even one run fits its memory.
  virtual void encode_into(std::span<const std::byte> input, synth::Precision precision,
                           const HoltParameters& parameters, std::vector<std::byte>& file) = 0;
  /// What decode_holt_into() makes of a file, with its errors; DeviceError as above.
  virtual void decode_into(std::span<const std::byte> file, std::string_view name,
                           std::span<std::byte> out) = 0;

  /// The same, to memory of their own.
  std::vector<std::byte> encode(std::span<const std::byte> input, synth::Precision precision,
                                const HoltParameters& parameters);
  std::vector<std::byte> decode(std::span<const std::byte> file, std::string_view name);

  /// Of the last call that succeeded.
  const DeviceTimes& times() const { return times_; }

 protected:
  DeviceTimes times_;
};

/// Throws DeviceError if the program was built without CUDA or the device cannot be used.
std::unique_ptr<HoltDevice> holt_on(const device::DeviceInfo& info);

}  // namespace fpsynth::baselines
