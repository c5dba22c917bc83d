#include "runners/check/watchdog.hpp"

#include <chrono>
#include <utility>

namespace fpsynth::check {

Watchdog::Watchdog(std::function<void()> hung)
    : hung_(std::move(hung)), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::begin(double limit_seconds) {
  {
    const std::lock_guard lock(mutex_);
    working_ = true;
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(limit_seconds));
  }
  changed_.notify_one();
}

void Watchdog::end() {
  const std::lock_guard lock(mutex_);
  working_ = false;
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (!working_) {
      changed_.wait(lock);
    } else if (Clock::now() < deadline_) {
      changed_.wait_until(lock, deadline_);
    } else {
      working_ = false;
      hung_();  // with the lock: end() waits
    }
  }
}

}  // namespace fpsynth::check
