#pragma once
// GFC (compressor.hpp) on a device, as its paper maps it: a warp takes a chunk.

#include <memory>
#include <string>

#include "runners/baselines/device_common.hpp"
#include "runners/baselines/gfc/compressor.hpp"
#include "runners/device/device.hpp"

namespace fpsynth::baselines {

/// One device, to be used by one thread at a time. Its memory is kept from call to call. Inputs
/// larger than the device's memory are taken in batches of whole chunks, one after the other.
///
/// To fill a GPU it takes as many chunks as warps run on it at once: some 8,000 on an H100.
class GfcDevice {
 public:
  virtual ~GfcDevice() = default;

  /// Replaces what `file` holds by the file that encode_gfc() makes. Throws what it throws, and
  /// DeviceError where the device fails or not even one chunk fits its memory.
  virtual void encode_into(std::span<const std::byte> doubles, unsigned chunks,
                           unsigned dimensionality, std::vector<std::byte>& file) = 0;
  /// What decode_gfc_into() makes of a file, with its errors; DeviceError as above.
  virtual void decode_into(std::span<const std::byte> file, std::string_view name,
                           std::span<std::byte> out) = 0;

  /// The same, to memory of their own.
  std::vector<std::byte> encode(std::span<const std::byte> doubles, unsigned chunks,
                                unsigned dimensionality);
  std::vector<std::byte> decode(std::span<const std::byte> file, std::string_view name);

  /// Of the last call that succeeded.
  const DeviceTimes& times() const { return times_; }

 protected:
  DeviceTimes times_;
};

/// Throws DeviceError if the program was built without CUDA or the device cannot be used.
std::unique_ptr<GfcDevice> gfc_on(const device::DeviceInfo& info);

}  // namespace fpsynth::baselines
