#pragma once
// GFC (compressor.hpp) on a device, mapped as in its paper: one warp processes a chunk.

#include <memory>
#include <string>

#include "runners/baselines/device_common.hpp"
#include "runners/baselines/gfc/compressor.hpp"
#include "runners/device/device.hpp"

namespace fpsynth::baselines {

/// One device, used by one thread at a time. It keeps its memory from call to call. Inputs larger
/// than the device's memory are processed in batches of whole chunks, one after the other.
///
/// As many chunks as the device has resident warps are needed to fill a GPU: some 8,000 on an H100.
class GfcDevice {
 public:
  virtual ~GfcDevice() = default;

  /// Replaces the contents of `file` by the file that encode_gfc() writes. Throws what encode_gfc()
  /// throws, and DeviceError if the device fails or its memory is too small for one chunk.
  virtual void encode_into(std::span<const std::byte> doubles, unsigned chunks,
                           unsigned dimensionality, std::vector<std::byte>& file) = 0;
  /// Decodes as decode_gfc_into() does, with the same errors; DeviceError as above.
  virtual void decode_into(std::span<const std::byte> file, std::string_view name,
                           std::span<std::byte> out) = 0;

  /// The same, to newly allocated memory.
  std::vector<std::byte> encode(std::span<const std::byte> doubles, unsigned chunks,
                                unsigned dimensionality);
  std::vector<std::byte> decode(std::span<const std::byte> file, std::string_view name);

  /// Times of the last call that succeeded.
  const DeviceTimes& times() const { return times_; }

 protected:
  DeviceTimes times_;
};

/// Throws DeviceError if the program was built without CUDA or the device cannot be used.
std::unique_ptr<GfcDevice> gfc_on(const device::DeviceInfo& info);

}  // namespace fpsynth::baselines
