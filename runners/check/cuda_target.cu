// A GPU as a target of the check. Its kernels are those of the program: this file has code of the
// host alone.

#include "runners/check/target.hpp"
#include "runners/codec/gpu/files.hpp"
#include "runners/device/cuda_device.cuh"
#include "runners/device/device.hpp"
#include "runners/search/gpu/cuda_engine.hpp"

namespace fpsynth::check {
namespace {

/// An attribute of a device; 0 where the driver does not know it.
std::uint64_t attribute(cudaDeviceAttr which, int index) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, index) == cudaSuccess) return std::uint64_t(value);
  cudaGetLastError();  // clears it, so that no later call reports it
  return 0;
}

class CudaTarget : public Target {
 public:
  explicit CudaTarget(const device::DeviceInfo& info) : info_(info), device_(info) {
    const std::uint64_t multiprocessors = attribute(cudaDevAttrMultiProcessorCount, info.index);
    work_.stage_words = {1, 31, 33, 64, 127, 1000, 1024};
    work_.space = synth::Space::paper();
    work_.searched_chunks = 5;
    // The codec's thread blocks have at least 256 lanes.
    work_.resident_chunks =
        multiprocessors * attribute(cudaDevAttrMaxThreadsPerMultiProcessor, info.index) / 256;
    work_.whole_words = (std::size_t{1} << 20) + 77;
  }

  std::vector<Fact> facts() override {
    const int index = info_.index;
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    char bus[32] = {};
    cudaDeviceGetPCIBusId(bus, sizeof bus, index);
    cudaGetLastError();
    return {{"name", info_.name},
            {"index", std::uint64_t(index)},
            {"pci_bus", std::string(bus)},
            {"compute_capability", std::to_string(info_.major) + "." + std::to_string(info_.minor)},
            {"multiprocessors", attribute(cudaDevAttrMultiProcessorCount, index)},
            {"memory_bytes", std::uint64_t(info_.memory_bytes)},
            {"free_memory_bytes", std::uint64_t(device_.free_memory())},
            {"ecc", attribute(cudaDevAttrEccEnabled, index) != 0},
            {"cache_bytes", std::uint64_t(info_.cache_bytes)},
            {"shared_bytes_per_block", std::uint64_t(device_.shared_per_block())},
            {"shared_bytes_per_multiprocessor",
             attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, index)},
            {"registers_per_multiprocessor",
             attribute(cudaDevAttrMaxRegistersPerMultiprocessor, index)},
            {"most_clock_khz", attribute(cudaDevAttrClockRate, index)},
            {"most_memory_clock_khz", attribute(cudaDevAttrMemoryClockRate, index)},
            {"compute_mode", attribute(cudaDevAttrComputeMode, index)},
            {"cuda_of_driver", device::version_text(driver)},
            {"cuda_of_program", device::version_text(runtime)},
            {"machine_code", !info_.compiles_ptx}};
  }
  bool compiles() const override { return info_.compiles_ptx; }
  const Work& work() const override { return work_; }

  std::unique_ptr<search::Engine> engine(const synth::Plan& plan, std::size_t word_bytes,
                                         search::Mode mode, std::size_t layout) override {
    return search::cuda_engine({info_}, layout)(plan, word_bytes, mode);
  }
  std::unique_ptr<codec::DeviceCodec> codec(const synth::Pipeline& pipeline, std::size_t word_bytes,
                                            std::size_t chunk_words) override {
    return codec::cuda_codec(pipeline, word_bytes, info_, chunk_words);
  }
  void compress(std::span<const std::byte> input, const synth::Method& method,
                std::size_t word_bytes, codec::PatchableSink& sink) override {
    codec::compress_cuda(input, "sample", method, word_bytes, sink, info_);
  }
  void decompress(std::span<const std::byte> file, codec::Sink& sink) override {
    codec::decompress_cuda(file, "sample", sink, info_);
  }
  std::shared_ptr<baselines::GfcDevice> gfc() override { return baselines::gfc_on(info_); }
  std::shared_ptr<baselines::HoltDevice> holt() override { return baselines::holt_on(info_); }

 private:
  device::DeviceInfo info_;
  device::CudaDevice device_;
  Work work_;
};

}  // namespace

std::unique_ptr<Target> cuda_target(const device::DeviceInfo& info) {
  return std::make_unique<CudaTarget>(info);
}

}  // namespace fpsynth::check
