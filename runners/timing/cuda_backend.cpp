// The GPU as a backend of `bench pipelines`.

#include <fmt/core.h>

#include <algorithm>

#include "runners/baselines/gfc/device.hpp"
#include "runners/baselines/gfc/gfc.hpp"
#include "runners/baselines/holt/device.hpp"
#include "runners/baselines/registry.hpp"
#include "runners/codec/device_codec.hpp"
#include "runners/device/device.hpp"
#include "runners/timing/backend.hpp"
#include "runners/timing/compiled/generated_kernels.hpp"
#include "runners/timing/device_timed.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::throughput {
namespace {

using device::DeviceInfo;

/// Chunks of GFC that fill an H100, which runs so many warps at once (132 multiprocessors with 64);
/// the paper's number was for the GPUs of its time.
constexpr unsigned kGfcChunksOfToday = 8448;

std::string library_version() { return std::string("fpsynth ") + synth::kVersion; }

std::string architecture_of(const DeviceInfo& info) {
  return fmt::format("sm_{}{}", info.major, info.minor);
}

/// The papers' compressors, whose devices take and give files in the host's memory.
template <class Coder>
class FileCodec : public TimedCodec {
 public:
  using Encode = std::function<std::vector<std::byte>(Coder&, std::span<const std::byte>)>;

  FileCodec(std::unique_ptr<Coder> coder, Encode encode)
      : coder_(std::move(coder)), encode_(std::move(encode)) {}

  Lap compress(std::span<const std::byte> input) override {
    return lap_of([&] { file_ = encode_(*coder_, input); });
  }
  Lap decompress(std::span<std::byte> output) override {
    std::vector<std::byte> original;
    const Lap lap = lap_of([&] { original = coder_->decode(file_, "what was compressed"); });
    if (original.size() != output.size()) throw Error("the original has another size");
    std::ranges::copy(original, output.begin());
    return lap;
  }
  std::span<const std::byte> compressed() override { return file_; }

 private:
  template <class Work>
  Lap lap_of(Work work) {
    Lap lap;
    lap.seconds = wall_seconds(work);
    lap.kernel_seconds = coder_->times().kernel;
    lap.transfer_seconds = coder_->times().to_device + coder_->times().to_host;
    return lap;
  }

  std::unique_ptr<Coder> coder_;
  Encode encode_;
  std::vector<std::byte> file_;
};

std::vector<TimedBaseline> baselines_on(const DeviceInfo& info, synth::Precision precision,
                                        unsigned dimensionality) {
  std::vector<TimedBaseline> all;
  if (precision == synth::Precision::Double) {
    const unsigned distance =
        dimensionality <= baselines::kMaxGfcDimensionality ? dimensionality : 1;
    for (const unsigned chunks : {baselines::kGfcChunks, kGfcChunksOfToday}) {
      const auto encode = [=](baselines::GfcDevice& gfc, std::span<const std::byte> input) {
        return gfc.encode(input, chunks, distance);
      };
      all.push_back({fmt::format("GFC, {} chunks", chunks), library_version(), [=] {
                       return std::make_unique<FileCodec<baselines::GfcDevice>>(
                           baselines::gfc_on(info), encode);
                     }});
    }
  }
  const auto encode = [=](baselines::HoltDevice& holt, std::span<const std::byte> input) {
    return holt.encode(input, precision, {});
  };
  all.push_back({"Holt", library_version(), [=] {
                   return std::make_unique<FileCodec<baselines::HoltDevice>>(
                       baselines::holt_on(info), encode);
                 }});
  return all;
}

DeviceInfo first_device() {
  std::string why;
  const auto devices = device::cuda_devices(&why);
  if (!devices.empty()) return devices.front();
  throw device::DeviceError(
      fmt::format("no GPU to time on: {}; leave out --backend, or take --backend cpu", why));
}

}  // namespace

Backend cuda_backend() {
  const DeviceInfo info = first_device();
  Backend backend;
  backend.name = "cuda";
  backend.device = info.name;
  backend.instruction_set = architecture_of(info);
  backend.cache_bytes = info.cache_bytes;
  backend.copy_name = "device copy";
  backend.copy = [info](std::uint64_t) { return cuda_copy(info); };
  backend.notes = {
      "kernels: those of the codec, without the checksum's; of \"device copy\", the copy within "
      "the "
      "device's memory. Wall times are from pageable memory of the host and back, with the "
      "checksum"};
  backend.baselines = [info](synth::Precision precision, unsigned dimensionality) {
    return baselines_on(info, precision, dimensionality);
  };
  backend.ways = {{.how = "library",
                   .version = library_version(),
                   .threads = 1,
                   .make = [info](const synth::Pipeline& pipeline, synth::Precision precision) {
                     return timed_on_device(
                         codec::cuda_codec(pipeline, synth::word_bytes(precision), info));
                   }}};
  return backend;
}

std::string add_generated_kernels(Backend& backend) {
  const DeviceInfo info = first_device();
  try {
    const auto compiler =
        std::make_shared<CubinCompiler>(Nvrtc::load(), FileCache(FileCache::default_folder()));
    const auto headers = libcudacxx_folder(cuda_header_folders());
    backend.ways.push_back(
        {.how = "generated",
         .version = "NVRTC " + compiler->version(),
         .threads = 1,
         .make = [=](const synth::Pipeline& pipeline, synth::Precision precision) {
           const std::size_t word_bytes = synth::word_bytes(precision);
           const auto cubin = compiler->compile(kernel_source(pipeline, word_bytes, headers),
                                                architecture_of(info));
           return timed_on_device(
               codec::cuda_loaded_codec(pipeline, word_bytes, info, cubin.bytes));
         }});
  } catch (const Error& error) {
    return fmt::format("no generated kernels: {}", error.what());
  }
  return {};
}

}  // namespace fpsynth::throughput
