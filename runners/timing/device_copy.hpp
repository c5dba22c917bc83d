#pragma once
// A copy within a device's memory, with transfers from and to the host's memory: an upper bound for
// everything that runs there.

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
    return timed_copy(input.data(), from_, to_, copy_.data());
  }
  Lap decompress(std::span<std::byte> output) override {
    if (output.size() != copy_.size()) throw Error("the output has another size than the copy");
    device_.use();
    return timed_copy(copy_.data(), to_, from_, output.data());
  }
  std::span<const std::byte> compressed() override { return copy_; }

 private:
  using Buffer = typename Device::template Buffer<std::byte>;

  Lap timed_copy(const std::byte* in, Buffer& from, Buffer& to, std::byte* out) {
    Lap lap;
    lap.seconds = wall_seconds([&] {
      const auto start = device_.record(stream_);
      device_.to_device(stream_, from.data(), in, from.size());
      const auto uploaded = device_.record(stream_);
      device_.copy(stream_, to.data(), from.data(), from.size());
      const auto copied = device_.record(stream_);
      device_.to_host(stream_, out, to.data(), to.size());
      const auto downloaded = device_.record(stream_);
      device_.wait(stream_);
      lap.kernel_seconds = device_.seconds(uploaded, copied);
      lap.transfer_seconds = device_.seconds(start, uploaded) + device_.seconds(copied, downloaded);
    });
    return lap;
  }

  Device device_;
  typename Device::Stream stream_;
  Buffer from_, to_;
  std::vector<std::byte> copy_;
};

/// The copy on a GPU. Throws DeviceError if the program was built without CUDA.
std::unique_ptr<TimedCodec> cuda_copy(const device::DeviceInfo& device);

}  // namespace fpsynth::timing
