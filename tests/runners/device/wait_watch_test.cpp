// Waits that last long are told of, with the kernel that is waited for.

#include "runners/device/wait_watch.hpp"

#include <gtest/gtest.h>

#include <future>

#include "tests/support/emulated/device.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::device {

struct HangingKernel {
  static constexpr std::uint32_t kLanes = 32;
  struct Args {};
  template <teams::Hardware H>
  static FPSYNTH_INLINE void run(H, const Args&) {}
};

namespace {

using tests::contains;

/// A device whose work ends when `end` is ready.
class HangingDevice : public EmulatedDevice {
 public:
  explicit HangingDevice(std::shared_future<void> end) : end_(std::move(end)) {}
  void wait(Stream& stream) {
    end_.wait();
    EmulatedDevice::wait(stream);
  }

 private:
  std::shared_future<void> end_;
};

/// Ends the device's work when the watch tells of it; returns the messages.
std::vector<std::string> told_of(bool launched) {
  std::promise<void> end;
  std::vector<std::string> messages;
  {
    WaitWatch watch(std::chrono::milliseconds(20), [&](const std::string& message) {
      messages.push_back(message);
      end.set_value();
    });
    Watched<HangingDevice> device(HangingDevice(end.get_future().share()), watch);
    auto stream = device.make_stream();
    if (launched) device.launch<HangingKernel>(stream, 1, 0, {});
    device.wait(stream);
  }
  return messages;
}

TEST(WaitWatch, NamesTheKernelThatIsWaitedFor) {
  const auto messages = told_of(true);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_TRUE(contains(messages[0], "emulated device"));
  EXPECT_TRUE(contains(messages[0], "the kernel fpsynth::device::HangingKernel"));
}

TEST(WaitWatch, WithoutAKernelItIsACopy) {
  const auto messages = told_of(false);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_TRUE(contains(messages[0], "a copy"));
}

TEST(WaitWatch, SaysNothingOfShortWaits) {
  WaitWatch watch(std::chrono::hours(1), [](const std::string& message) { FAIL() << message; });
  Watched<EmulatedDevice> device(EmulatedDevice(), watch);
  auto stream = device.make_stream();
  for (int i = 0; i < 100; ++i) device.wait(stream);
}

}  // namespace
}  // namespace fpsynth::device
