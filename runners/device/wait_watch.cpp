#include "runners/device/wait_watch.hpp"

#include <cxxabi.h>
#include <fmt/core.h>

#include <cstdlib>
#include <memory>

#include "synth/common/standard_streams.hpp"

namespace fpsynth::device {
namespace {

std::string name_of(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : type.name();
}

}  // namespace

WaitWatch& WaitWatch::of_program() {
  static WaitWatch watch(std::chrono::seconds(30),
                         [](const std::string& message) { print_error("fpsynth: {}\n", message); });
  return watch;
}

WaitWatch::Wait::Wait(WaitWatch& watch, std::string device, const std::type_info* kernel)
    : watch_(watch) {
  const std::lock_guard lock(watch.mutex_);
  entry_ = watch.waits_.insert(watch.waits_.end(),
                               {std::move(device), kernel, std::chrono::steady_clock::now()});
  if (!watch.thread_.joinable()) {
    watch.thread_ = std::jthread([&watch](const std::stop_token& stop) { watch.look(stop); });
  }
}

WaitWatch::Wait::~Wait() {
  const std::lock_guard lock(watch_.mutex_);
  watch_.waits_.erase(entry_);
}

void WaitWatch::look(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    stopped_.wait_for(lock, stop, limit_ / 8, [] { return false; });
    const auto now = std::chrono::steady_clock::now();
    for (Entry& wait : waits_) {
      const auto seconds = std::chrono::duration<double>(now - wait.since).count();
      if (wait.told || now - wait.since < limit_) continue;
      wait.told = true;
      tell_(fmt::format("{}: has been waiting for {} for {:.0f} s", wait.device,
                        wait.kernel ? "the kernel " + name_of(*wait.kernel) : "a copy", seconds));
    }
  }
}

}  // namespace fpsynth::device
