#pragma once
// Tells of waits for a device that last long, and of the kernel that is waited for: a kernel that
// hangs would else be silence.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <typeinfo>
#include <unordered_set>
#include <utility>

#include "runners/device/device_concept.hpp"
#include "synth/common/clock.hpp"

namespace fpsynth::device {

/// Looks after the waits of all threads. Any thread may wait.
class WaitWatch {
 public:
  using Tell = std::function<void(const std::string& message)>;

  /// `tell` is called once for each wait that lasts longer than `limit`, by another thread.
  WaitWatch(std::chrono::milliseconds limit, Tell tell)
      : limit_(limit),
        tell_(std::move(tell)),
        thread_([this](const std::stop_token& stop) { look(stop); }) {}
  /// The program's: tells of 30 seconds on standard error.
  static WaitWatch& of_program();

  /// A wait, as long as the object lives.
  class Wait {
   public:
    /// `kernel`: what is waited for, or null.
    Wait(WaitWatch& watch, std::string device, const std::type_info* kernel);
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    friend WaitWatch;
    WaitWatch& watch_;
    const std::string device_;
    const std::type_info* const kernel_;
    const Clock::time_point since_ = Clock::now();
    bool told_ = false;
  };

 private:
  void look(const std::stop_token& stop);

  std::chrono::milliseconds limit_;
  Tell tell_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::unordered_set<Wait*> waits_;
  std::jthread thread_;  ///< last, because it uses the others
};

/// The device D, whose waits are watched. Of the work that is waited for, the kernel that was
/// launched last is named.
template <Device D>
class Watched : public D {
 public:
  explicit Watched(D device, WaitWatch& watch = WaitWatch::of_program())
      : D(std::move(device)), watch_(&watch) {}

  template <Kernel Body>
  void launch(typename D::Stream& stream, std::uint32_t blocks, std::size_t shared_bytes,
              const typename Body::Args& args) {
    kernel_ = &typeid(Body);
    D::template launch<Body>(stream, blocks, shared_bytes, args);
  }
  void wait(typename D::Stream& stream) {
    const WaitWatch::Wait waiting(*watch_, D::name(), kernel_);
    D::wait(stream);
  }

 private:
  WaitWatch* watch_;
  const std::type_info* kernel_ = nullptr;
};

}  // namespace fpsynth::device
