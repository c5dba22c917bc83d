#include "runners/device/wait_watch.hpp"

#include <fmt/core.h>

#include <boost/core/demangle.hpp>

#include "synth/common/standard_streams.hpp"

namespace fpsynth::device {

WaitWatch& WaitWatch::of_program() {
  static WaitWatch watch(std::chrono::seconds(30),
                         [](const std::string& message) { print_error("fpsynth: {}\n", message); });
  return watch;
}

WaitWatch::Wait::Wait(WaitWatch& watch, std::string device, const std::type_info* kernel)
    : watch_(watch), device_(std::move(device)), kernel_(kernel) {
  const std::lock_guard lock(watch.mutex_);
  watch.waits_.insert(this);
}

WaitWatch::Wait::~Wait() {
  const std::lock_guard lock(watch_.mutex_);
  watch_.waits_.erase(this);
}

void WaitWatch::look(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    stopped_.wait_for(lock, stop, limit_ / 8, [] { return false; });
    for (Wait* const wait : waits_) {
      const double seconds = seconds_since(wait->since_);
      if (wait->told_ || std::chrono::duration<double>(seconds) < limit_) continue;
      wait->told_ = true;
      tell_(fmt::format(
          "{}: has been waiting for {} for {:.0f} s", wait->device_,
          wait->kernel_ ? "the kernel " + boost::core::demangle(wait->kernel_->name()) : "a copy",
          seconds));
    }
  }
}

}  // namespace fpsynth::device
