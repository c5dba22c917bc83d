#include "runners/timing/timed_codec.hpp"

#include <utility>
#include <vector>

#include "runners/codec/device_codec.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::timing {
namespace {

class DeviceTimedCodec : public TimedCodec {
 public:
  explicit DeviceTimedCodec(std::unique_ptr<codec::DeviceCodec> codec) : codec_(std::move(codec)) {}

  Lap compress(std::span<const std::byte> input) override {
    reserve(input.size());
    return lap_of([&](double& transfers) {
      transfers += wall_seconds([&] { original_->write(input); });
      codec_->encode(original_->data(), size_, container_->data(), host_.size(), nullptr);
      written_ = codec_->finish_encode();
      transfers += wall_seconds([&] { container_->read_into(std::span(host_).first(written_)); });
    });
  }

  Lap decompress(std::span<std::byte> output) override {
    if (output.size() != size_) throw Error("the output has another size than the original");
    return lap_of([&](double& transfers) {
      transfers += wall_seconds([&] { container_->write(compressed()); });
      const codec::Header header = codec_->header(container_->data(), written_, nullptr);
      codec_->decode(container_->data(), written_, header, original_->data(), nullptr);
      codec_->finish_decode();
      transfers += wall_seconds([&] { original_->read_into(output); });
    });
  }

  std::span<const std::byte> compressed() override { return std::span(host_).first(written_); }

 private:
  void reserve(std::size_t bytes) {
    if (bytes == size_) return;
    original_.reset();
    container_.reset();
    size_ = written_ = 0;
    codec_->reserve(bytes);
    host_.resize(codec_->bound(bytes));
    original_ = codec_->buffer(bytes);
    container_ = codec_->buffer(host_.size());
    size_ = bytes;
  }

  template <class Work>
  Lap lap_of(Work work) {
    Lap lap;
    double transfers = 0;
    lap.seconds = wall_seconds([&] { work(transfers); });
    lap.kernel_seconds = codec_->seconds().codec;
    lap.transfer_seconds = transfers;
    return lap;
  }

  std::unique_ptr<codec::DeviceCodec> codec_;
  std::unique_ptr<codec::DeviceBuffer> original_, container_;  // destroyed before the codec
  std::vector<std::byte> host_;  ///< has the capacity for the largest container
  std::size_t size_ = 0, written_ = 0;
};

}  // namespace

std::unique_ptr<TimedCodec> timed_on_device(std::unique_ptr<codec::DeviceCodec> codec) {
  return std::make_unique<DeviceTimedCodec>(std::move(codec));
}

}  // namespace fpsynth::timing
