#include <cuda_runtime.h>

#include <algorithm>

#include "runners/device/device.hpp"

namespace fpsynth::device {
namespace {

/// Per multiprocessor: 32 banks of 4 bytes.
constexpr double kSharedBytesPerCycle = 128;

/// A device can run this kernel if and only if the program has code for the device's architecture.
__global__ void probe() {}

}  // namespace

bool built_with_cuda() { return true; }

std::vector<DeviceInfo> cuda_devices(std::string* why_none, const std::vector<int>& among) {
  std::string why;
  std::vector<DeviceInfo> devices;
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    why = std::string("no NVIDIA GPU can be used (") + cudaGetErrorString(error) + ")";
    cudaGetLastError();  // clears it, so that no later call reports it
    count = 0;
  } else if (count == 0) {
    why = "this machine has no NVIDIA GPU";
  }
  int before = 0;
  if (count > 0) cudaGetDevice(&before);
  for (int index = 0; index < count; ++index) {
    if (!among.empty() && std::find(among.begin(), among.end(), index) == among.end()) continue;
    cudaDeviceProp properties;
    cudaFuncAttributes attributes;
    cudaError_t usable = cudaSetDevice(index);
    if (usable == cudaSuccess) usable = cudaGetDeviceProperties(&properties, index);
    if (usable == cudaSuccess) usable = cudaFuncGetAttributes(&attributes, probe);
    if (usable == cudaSuccess) {
      int kilohertz = 0;
      cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, index);
      devices.push_back({index, properties.name, properties.major, properties.minor,
                         properties.totalGlobalMem,
                         kSharedBytesPerCycle * properties.multiProcessorCount * kilohertz * 1e3,
                         std::size_t(properties.l2CacheSize)});
      continue;
    }
    cudaGetLastError();
    why += (why.empty() ? "GPU " : "; GPU ") + std::to_string(index) +
           " cannot be used: " + cudaGetErrorString(usable);
    if (usable == cudaErrorNoKernelImageForDevice) {
      why += " (its compute capability is " + std::to_string(properties.major) + "." +
             std::to_string(properties.minor) + "; build with -DCMAKE_CUDA_ARCHITECTURES=" +
             std::to_string(10 * properties.major + properties.minor) + ")";
    }
  }
  if (count > 0) cudaSetDevice(before);
  if (why_none) *why_none = why;
  return devices;
}

}  // namespace fpsynth::device
