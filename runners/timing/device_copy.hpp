#pragma once
// A copy within a device's memory, from the host's memory and back: the ceiling of what runs there.

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "runners/device/device.hpp"
#include "runners/timing/timed_codec.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::timing {

/// Device: CudaDevice or EmulatedDevice.
template <class Device>
class DeviceCopyOn : public TimedCodec {
 public:
  explicit DeviceCopyOn(Device device)
      : device_(std::move(device)), stream_(device_.make_stream()) {}

  Lap compress(std::span<const std::byte> input) override {
    device_.use();
    if (from_.size() != input.size()) {
      from_ = {};
      to_ = {};
      from_ = device_.template allocate<std::byte>(input.size());
      to_ = device_.template allocate<std::byte>(input.size());
      copy_.resize(input.size());
    }
    return there_and_back(input.data(), from_, to_, copy_.data());
  }
  Lap decompress(std::span<std::byte> output) override {
    if (output.size() != copy_.size()) throw Error("a copy of another size was asked for");
    device_.use();
    return there_and_back(copy_.data(), to_, from_, output.data());
  }
  std::span<const std::byte> compressed() override { return copy_; }

 private:
  using Buffer = typename Device::template Buffer<std::byte>;

  Lap there_and_back(const std::byte* in, Buffer& from, Buffer& to, std::byte* out) {
    Lap lap;
    lap.seconds = wall_seconds([&] {
      const auto start = device_.record(stream_);
      device_.to_device(stream_, from.data(), in, from.size());
      const auto there = device_.record(stream_);
      device_.copy(stream_, to.data(), from.data(), from.size());
      const auto copied = device_.record(stream_);
      device_.to_host(stream_, out, to.data(), to.size());
      const auto back = device_.record(stream_);
      device_.wait(stream_);
      lap.kernel_seconds = device_.seconds(there, copied);
      lap.transfer_seconds = device_.seconds(start, there) + device_.seconds(copied, back);
    });
    return lap;
  }

  Device device_;
  typename Device::Stream stream_;
  Buffer from_, to_;
  std::vector<std::byte> copy_;
};

/// On a GPU. Throws DeviceError where the program was built without CUDA.
std::unique_ptr<TimedCodec> cuda_copy(const device::DeviceInfo& device);

}  // namespace fpsynth::timing
