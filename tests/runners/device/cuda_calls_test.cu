// The program's calls of CUDA on a runtime of the tests' own (fake_cuda_runtime.hpp): the devices
// that it opens, and the errors that it reports.

#include <gtest/gtest.h>

#include "runners/device/cuda_device.cuh"
#include "runners/device/device.hpp"
#include "tests/runners/device/fake_cuda_runtime.hpp"

namespace fpsynth::device {

struct Nothing {
  static constexpr std::uint32_t kLanes = 64;
  struct Args {
    int number;
  };
  template <teams::Hardware H>
  static FPSYNTH_INLINE void run(H, const Args&) {}
};

namespace {

class CudaCalls : public ::testing::Test {
 protected:
  void SetUp() override { fake_cuda = {}; }

  static std::vector<int> indexes(const std::vector<DeviceInfo>& devices) {
    std::vector<int> numbers;
    for (const DeviceInfo& device : devices) numbers.push_back(device.index);
    return numbers;
  }
  /// The message of the error with which f() ends; empty if it does not.
  template <class F>
  static std::string error_of(F f) {
    try {
      f();
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
};

using Indexes = std::vector<int>;
using Opened = std::set<int>;

TEST_F(CudaCalls, OnlyDevicesThatAreUsedAreOpened) {
  fake_cuda.devices = 3;
  EXPECT_EQ(parse_backend("auto"), Backend::Cuda);
  EXPECT_EQ(fake_cuda.opened, Opened{0});
  EXPECT_EQ(indexes(parse_devices("all", 1)), Indexes{0});
  EXPECT_EQ(fake_cuda.opened, Opened{0});
  fake_cuda.opened = {};
  EXPECT_EQ(parse_backend("auto", "2"), Backend::Cuda);
  EXPECT_EQ(indexes(parse_devices("2")), Indexes{2});
  EXPECT_EQ(fake_cuda.opened, Opened{2}) << "not the one that was current either";
  EXPECT_EQ(indexes(parse_devices("all")), (Indexes{0, 1, 2}));
  EXPECT_EQ(current_device(), 0) << "the caller's device is as before";
}

TEST_F(CudaCalls, DevicesAreListedWithoutOpeningAny) {
  fake_cuda.devices = 3;
  EXPECT_EQ(listed_devices("all"), (Indexes{0, 1, 2}));
  EXPECT_EQ(listed_devices("2,0"), (Indexes{2, 0}));
  EXPECT_EQ(fake_cuda.opened, Opened{});
  fake_cuda.driver = 0;
  EXPECT_EQ(listed_devices("all"), Indexes{});
  EXPECT_EQ(fake_cuda.last_error, cudaSuccess);
}

TEST_F(CudaCalls, TheFirstDeviceThatRunsTheKernelsIsTaken) {
  fake_cuda.devices = 3;
  fake_cuda.unusable = {0};
  EXPECT_EQ(indexes(cuda_devices(nullptr, {}, 1)), Indexes{1});
  EXPECT_FALSE(fake_cuda.opened.contains(2));
  EXPECT_EQ(fake_cuda.last_error, cudaSuccess);
  fake_cuda.unusable = {0, 1, 2};
  std::string why;
  EXPECT_TRUE(cuda_devices(&why).empty());
  EXPECT_NE(why.find("GPU 2 cannot be used"), why.npos) << why;
  EXPECT_NE(why.find("CMAKE_CUDA_ARCHITECTURES=90"), why.npos) << why;
}

TEST_F(CudaCalls, WithoutADriverItIsTheDriverThatIsMissing) {
  fake_cuda.driver = 0;
  const std::string none = error_of([] { parse_backend("cuda"); });
  EXPECT_NE(none.find("this machine has no NVIDIA driver"), none.npos) << none;
  fake_cuda.driver = 12040;
  const std::string old = error_of([] { parse_backend("cuda"); });
  EXPECT_NE(old.find("CUDA 12.4"), old.npos) << old;
  EXPECT_NE(old.find("driver 580 or newer, or build with CUDA 12.x"), old.npos) << old;
  EXPECT_EQ(fake_cuda.last_error, cudaSuccess);
}

TEST_F(CudaCalls, DevicesThatHaveKernelsToCompileAreTold) {
  fake_cuda.devices = 1;
  EXPECT_TRUE(cuda_devices().at(0).compiles_ptx) << "there is machine code for 8.0 alone";
}

TEST_F(CudaCalls, ALaunchReportsItsOwnErrorAlone) {
  fake_cuda.devices = 1;
  CudaDevice device(cuda_devices().at(0));
  CudaDevice::Stream stream = CudaDevice::borrowed(nullptr);
  fake_cuda.last_error = cudaErrorInvalidValue;  // of an earlier call, which nobody looked at
  EXPECT_EQ(error_of([&] { device.launch<Nothing>(stream, 5, 100, {1}); }), "");
  EXPECT_EQ(fake_cuda.launched, std::set<std::string>{"5 x 64, 100"});
  EXPECT_EQ(fake_cuda.last_error, cudaErrorInvalidValue) << "which is the caller's to look at";
  fake_cuda.launch_error = cudaErrorLaunchOutOfResources;
  const std::string failed = error_of([&] { device.launch<Nothing>(stream, 5, 100, {1}); });
  EXPECT_NE(failed.find("GPU 0 (fake), launch: error 701"), failed.npos) << failed;
}

TEST_F(CudaCalls, KernelsAskForTheGivenPartOfSharedMemoryElseForAllIfTheyUseMuch) {
  fake_cuda.devices = 1;
  const DeviceInfo info = cuda_devices().at(0);
  CudaDevice::Stream stream = CudaDevice::borrowed(nullptr);
  CudaDevice(info).launch<Nothing>(stream, 5, 10 << 10, {1});
  EXPECT_EQ(fake_cuda.carve_outs, std::set<int>{});
  CudaDevice(info).launch<Nothing>(stream, 5, 16 << 10, {1});
  EXPECT_EQ(fake_cuda.carve_outs, std::set<int>{100});
  CudaDevice(info, 40).launch<Nothing>(stream, 5, 10 << 10, {1});
  EXPECT_EQ(fake_cuda.carve_outs, (std::set<int>{40, 100}));
}

/// Which leaves the work to the processor.
TEST_F(CudaCalls, WithoutMemoryADeviceIsUnsuitable) {
  fake_cuda.devices = 1;
  CudaDevice device(cuda_devices().at(0));
  CudaDevice::Stream stream = CudaDevice::borrowed(nullptr);
  fake_cuda.launch_error = cudaErrorMemoryAllocation;
  EXPECT_THROW(device.launch<Nothing>(stream, 5, 100, {1}), DeviceUnsuitable);
  fake_cuda.launch_error = cudaErrorLaunchFailure;
  try {
    device.launch<Nothing>(stream, 5, 100, {1});
    FAIL() << "no error";
  } catch (const DeviceUnsuitable& error) {
    FAIL() << error.what();
  } catch (const DeviceError&) {
  }
}

}  // namespace
}  // namespace fpsynth::device
