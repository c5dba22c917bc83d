#pragma once
// Ends work that hangs. A kernel that does not end cannot be cancelled, and the calls that wait for
// it do not return.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "synth/common/clock.hpp"

namespace fpsynth::check {

class Watchdog {
 public:
  /// `hung` is called, by a thread of the watchdog's own, if work takes longer than its limit: once
  /// for each.
  explicit Watchdog(std::function<void()> hung);
  ~Watchdog();

  void begin(double limit_seconds);
  /// If `hung` is being called, waits for its end.
  void end();

 private:
  void watch();

  std::function<void()> hung_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool working_ = false, stop_ = false;
  Clock::time_point deadline_;
  std::thread thread_;  ///< last: it uses the members above
};

}  // namespace fpsynth::check
