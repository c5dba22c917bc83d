#include <cuda_runtime.h>

#include <algorithm>
#include <thread>

#include "runners/device/device.hpp"

namespace fpsynth::device {
namespace {

/// Per multiprocessor: 32 banks of 4 bytes.
constexpr double kSharedBytesPerCycle = 128;

/// A device can run this kernel if and only if the program has code for the device's architecture.
__global__ void probe() {}

/// Success if device `index` can run the program's kernels, else CUDA's error. Opens the device,
/// which needs some of its memory and some time.
cudaError_t try_device(int index) {
  cudaError_t error = cudaSuccess;
  // The current device is a property of the calling thread, and restoring the previous one would
  // open that device. So this runs in another thread.
  std::thread([&] {
    cudaFuncAttributes attributes;
    error = cudaSetDevice(index);
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, probe);
    if (error != cudaSuccess) cudaGetLastError();  // clears it, so that no later call reports it
  }).join();
  return error;
}

DeviceInfo info_of(int index, const cudaDeviceProp& properties) {
  int kilohertz = 0;
  cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, index);
  DeviceInfo info;
  info.index = index;
  info.name = properties.name;
  info.major = properties.major;
  info.minor = properties.minor;
  info.memory_bytes = properties.totalGlobalMem;
  info.shared_bytes_per_second =
      kSharedBytesPerCycle * properties.multiProcessorCount * kilohertz * 1e3;
  info.cache_bytes = std::size_t(properties.l2CacheSize);
  info.compiles_ptx =
      code_for(FPSYNTH_CUDA_ARCHITECTURES, info.major, info.minor) == DeviceCode::Ptx;
  return info;
}

}  // namespace

bool built_with_cuda() { return true; }

std::vector<int> cuda_device_indexes() {
  std::vector<int> indexes;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, index) == cudaSuccess &&
        code_for(FPSYNTH_CUDA_ARCHITECTURES, properties.major, properties.minor) !=
            DeviceCode::None) {
      indexes.push_back(index);
    }
  }
  cudaGetLastError();
  return indexes;
}

std::vector<DeviceInfo> cuda_devices(std::string* why_none, const std::vector<int>& among,
                                     std::size_t most) {
  std::string why;
  std::vector<DeviceInfo> devices;
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    why = why_no_gpu(driver, runtime, cudaGetErrorString(error));
    cudaGetLastError();
    count = 0;
  } else if (count == 0) {
    why = "this machine has no NVIDIA GPU";
  }
  for (int index = 0; index < count && devices.size() < most; ++index) {
    if (!among.empty() && std::find(among.begin(), among.end(), index) == among.end()) continue;
    cudaDeviceProp properties;
    cudaError_t usable = cudaGetDeviceProperties(&properties, index);
    if (usable != cudaSuccess) cudaGetLastError();
    if (usable == cudaSuccess) usable = try_device(index);
    if (usable == cudaSuccess) {
      devices.push_back(info_of(index, properties));
      continue;
    }
    why += (why.empty() ? "GPU " : "; GPU ") + std::to_string(index) +
           " cannot be used: " + cudaGetErrorString(usable);
    if (usable == cudaErrorNoKernelImageForDevice) {
      why += " (" + way_to_code_for(properties.major, properties.minor, CUDART_VERSION) + ")";
    }
  }
  if (why_none) *why_none = why;
  return devices;
}

}  // namespace fpsynth::device
