#include "tests/runners/device/fake_cuda_runtime.hpp"

#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include <cstring>

namespace fpsynth::device {
namespace {

thread_local int current = 0;

/// Returns the result of a call. As in CUDA's runtime, a failure is also the last error.
cudaError_t outcome(cudaError_t error) {
  if (error != cudaSuccess) fake_cuda.last_error = error;
  return error;
}

}  // namespace

int current_device() { return current; }

}  // namespace fpsynth::device

using fpsynth::device::current;
using fpsynth::device::fake_cuda;
using fpsynth::device::outcome;

extern "C" {

cudaError_t CUDARTAPI cudaGetDeviceCount(int* count) {
  *count = fake_cuda.devices;
  return outcome(fake_cuda.driver < 13000 ? cudaErrorInsufficientDriver : cudaSuccess);
}
cudaError_t CUDARTAPI cudaDriverGetVersion(int* version) {
  *version = fake_cuda.driver;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
const char* CUDARTAPI cudaGetErrorString(cudaError_t error) {
  static thread_local std::string text;
  text = fmt::format("error {}", static_cast<int>(error));
  return text.c_str();
}
cudaError_t CUDARTAPI cudaGetLastError() {
  const auto error = static_cast<cudaError_t>(fake_cuda.last_error);
  fake_cuda.last_error = cudaSuccess;
  return error;
}
cudaError_t CUDARTAPI cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  std::memset(static_cast<void*>(properties), 0, sizeof(*properties));
  std::strcpy(properties->name, "fake");
  properties->major = 9;
  return outcome(device < fake_cuda.devices ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t CUDARTAPI cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 100 << 10;
  return cudaSuccess;
}

// The calls that open a device.
cudaError_t CUDARTAPI cudaSetDevice(int device) {
  if (device >= fake_cuda.devices) return outcome(cudaErrorInvalidDevice);
  current = device;
  fake_cuda.opened.insert(device);
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGetDevice(int* device) {
  *device = current;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaFuncGetAttributes(cudaFuncAttributes*, const void*) {
  fake_cuda.opened.insert(current);
  return outcome(fake_cuda.unusable.contains(current) ? cudaErrorNoKernelImageForDevice
                                                      : cudaSuccess);
}
cudaError_t CUDARTAPI cudaFuncSetAttribute(const void*, cudaFuncAttribute which, int value) {
  fake_cuda.opened.insert(current);
  if (which == cudaFuncAttributePreferredSharedMemoryCarveout) fake_cuda.carve_outs.insert(value);
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaLaunchKernel(const void*, dim3 grid, dim3 block, void**,
                                       std::size_t shared_bytes, cudaStream_t) {
  fake_cuda.opened.insert(current);
  fake_cuda.launched.insert(fmt::format("{} x {}, {}", grid.x, block.x, shared_bytes));
  return outcome(static_cast<cudaError_t>(fake_cuda.launch_error));
}
// Of streams that are owned, of which there are none.
cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }

// The functions that nvcc's own code calls.
void** CUDARTAPI __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void CUDARTAPI __cudaRegisterFatBinaryEnd(void**) {}
void CUDARTAPI __cudaUnregisterFatBinary(void**) {}
void CUDARTAPI __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*,
                                      dim3*, dim3*, int*) {}
char CUDARTAPI __cudaInitModule(void**) { return 1; }
unsigned CUDARTAPI __cudaPushCallConfiguration(dim3, dim3, std::size_t, struct CUstream_st*) {
  return 0;
}
cudaError_t CUDARTAPI __cudaGetKernel(cudaKernel_t*, const void*) { return cudaSuccess; }
cudaError_t CUDARTAPI __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t,
                                         cudaStream_t) {
  return cudaErrorNotSupported;  // `<<<...>>>`, which nothing here uses
}
cudaError_t CUDARTAPI __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*) {
  return cudaSuccess;
}

}  // extern "C"
