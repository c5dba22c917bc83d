#include "runners/timing/timed_device_baselines.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace fpsynth::timing {
namespace {

/// A codec on a GfcDevice or a HoltDevice, whose inputs and files are in the host's memory.
template <class Device>
class DeviceBaseline : public TimedCodec {
 public:
  using Encode =
      std::function<void(Device&, std::span<const std::byte>, std::vector<std::byte>& file)>;

  DeviceBaseline(std::shared_ptr<Device> device, Encode encode)
      : device_(std::move(device)), encode_(std::move(encode)) {}

  Lap compress(std::span<const std::byte> input) override {
    return lap_of([&] { encode_(*device_, input, file_); });
  }
  Lap decompress(std::span<std::byte> output) override {
    return lap_of([&] { device_->decode_into(file_, "the compressed data", output); });
  }
  std::span<const std::byte> compressed() override { return file_; }

 private:
  template <class Work>
  Lap lap_of(const Work& work) {
    const double seconds = wall_seconds(work);
    const baselines::DeviceTimes& times = device_->times();
    return {seconds, times.kernel, times.to_device + times.to_host};
  }

  std::shared_ptr<Device> device_;
  Encode encode_;
  std::vector<std::byte> file_;
};

std::unique_ptr<TimedCodec> holt_codec(std::shared_ptr<baselines::HoltDevice> holt,
                                       synth::Precision precision) {
  return std::make_unique<DeviceBaseline<baselines::HoltDevice>>(
      std::move(holt), [precision](baselines::HoltDevice& device, std::span<const std::byte> input,
                                   std::vector<std::byte>& file) {
        device.encode_into(input, precision, {}, file);
      });
}

}  // namespace

std::unique_ptr<TimedCodec> timed_gfc(std::unique_ptr<baselines::GfcDevice> gfc, unsigned chunks,
                                      unsigned dimensionality) {
  return std::make_unique<DeviceBaseline<baselines::GfcDevice>>(
      std::move(gfc), [=](baselines::GfcDevice& device, std::span<const std::byte> input,
                          std::vector<std::byte>& file) {
        device.encode_into(input, chunks, dimensionality, file);
      });
}

std::unique_ptr<TimedCodec> timed_holt(std::unique_ptr<baselines::HoltDevice> holt,
                                       synth::Precision precision) {
  return holt_codec(std::move(holt), precision);
}

std::unique_ptr<TimedCodec> timed_holt(baselines::HoltDevice& holt, synth::Precision precision) {
  const auto keep = [](baselines::HoltDevice*) {};
  return holt_codec(std::shared_ptr<baselines::HoltDevice>(&holt, keep), precision);
}

}  // namespace fpsynth::timing
