#include "runners/timing/timed_compressor.hpp"

#include <utility>
#include <vector>

namespace fpsynth::timing {
namespace {

class TimedCompressor : public TimedCodec {
 public:
  TimedCompressor(baselines::Compressor compressor, synth::Precision precision)
      : compressor_(std::move(compressor)), precision_(precision) {}

  Lap compress(std::span<const std::byte> input) override {
    return {wall_seconds([&] { compressor_.compress(input, precision_, file_); })};
  }
  Lap decompress(std::span<std::byte> output) override {
    return {wall_seconds([&] { compressor_.decompress(file_, precision_, output); })};
  }
  std::span<const std::byte> compressed() override { return file_; }

 private:
  baselines::Compressor compressor_;
  synth::Precision precision_;
  std::vector<std::byte> file_;
};

}  // namespace

std::unique_ptr<TimedCodec> timed_compressor(baselines::Compressor compressor,
                                             synth::Precision precision) {
  return std::make_unique<TimedCompressor>(std::move(compressor), precision);
}

}  // namespace fpsynth::timing
