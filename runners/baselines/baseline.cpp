#include "runners/baselines/baseline.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

namespace fpsynth::baselines {
namespace {

class TimedOnDevice : public timing::TimedCodec {
 public:
  explicit TimedOnDevice(OnDevice baseline) : baseline_(std::move(baseline)) {}

  timing::Lap compress(std::span<const std::byte> input) override {
    return lap_of([&] { baseline_.encode(input, file_); });
  }
  timing::Lap decompress(std::span<std::byte> output) override {
    return lap_of([&] { baseline_.device->decode_into(file_, "the compressed data", output); });
  }
  std::span<const std::byte> compressed() override { return file_; }

 private:
  template <class Work>
  timing::Lap lap_of(const Work& work) {
    const double seconds = timing::wall_seconds(work);
    const DeviceTimes& times = baseline_.device->times();
    return {seconds, times.kernel, times.to_device + times.to_host};
  }

  OnDevice baseline_;
  std::vector<std::byte> file_;
};

}  // namespace

std::unique_ptr<timing::TimedCodec> timed_on_device(OnDevice baseline) {
  return std::make_unique<TimedOnDevice>(std::move(baseline));
}

void refuse_memory(std::string_view device, std::string_view what, std::size_t needed,
                   std::size_t free) {
  throw device::DeviceError(fmt::format(
      "{}: {} needs {} bytes of its memory, but {} are free; end other programs that use the "
      "GPU, or use --backend cpu",
      device, what, needed, free));
}

void refuse_device(std::string_view device, std::string_view file) {
  throw device::DeviceError(
      fmt::format("{}: {} failed to decode it, but the CPU can; this GPU is not reliable, use "
                  "--backend cpu",
                  file, device));
}

OnDevice Baseline::on(const device::DeviceInfo&, synth::Precision) {
  throw std::logic_error("a baseline without code for GPUs");
}

data::Dimensionality Baseline::dimensionality(data::Dimensionality described,
                                              std::span<const std::byte> input,
                                              synth::Precision precision) const {
  if (described.value >= 1 && described.value <= most_dimensionality()) return described;
  return {best_dimensionality(input, precision), data::DimensionalityFrom::Tried};
}

std::vector<TimedBaseline> Baseline::timed_on(const device::DeviceInfo&, synth::Precision,
                                              unsigned) {
  return {};
}

std::vector<results::Table> Baseline::measure(const SweepWork&) { return {}; }

std::uint64_t put(codec::Sink& sink, std::span<const std::byte> bytes) {
  sink.write(bytes);
  return bytes.size();
}

}  // namespace fpsynth::baselines
