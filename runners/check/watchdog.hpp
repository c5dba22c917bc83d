#pragma once
// Ends work that hangs. A kernel that does not end cannot be cancelled, and the calls that wait for
// it do not return.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace fpsynth::check {

/// Looks after work, as long as the object lives.
class Watchdog {
 public:
  /// `hung` is called, by another thread, if the work takes longer than its limit. If it is being
  /// called when the work ends, the destructor waits for its end.
  Watchdog(double limit_seconds, const std::function<void()>& hung)
      : thread_([=](const std::stop_token& ended) {
          std::mutex mutex;
          std::condition_variable_any never;
          std::unique_lock lock(mutex);
          never.wait_for(lock, ended, std::chrono::duration<double>(limit_seconds),
                         [] { return false; });
          if (!ended.stop_requested()) hung();
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace fpsynth::check
