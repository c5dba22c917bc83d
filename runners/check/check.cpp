#include "runners/check/check.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "synth/common/clock.hpp"

namespace fpsynth::check {
namespace {

constexpr double kUsualSeconds = 60, kCompilingSeconds = 600;

/// Calls `hung`, in another thread, if `limit_seconds` pass before it is destroyed; the destructor
/// waits for that call's end.
class Watchdog {
 public:
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

/// True if the device still does what it is told. After some errors, no call of this process
/// reaches it any more.
bool responds(const Target& target) {
  try {
    target.touch();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

Result result_of(const Step& step, const Target& target) {
  Result result{step.name, Status::Passed, 0, {}};
  const auto start = Clock::now();
  try {
    result.detail = step.run(target);
  } catch (const device::DeviceUnsuitable& error) {
    result.status = Status::Skipped;
    result.detail = error.what();
  } catch (const std::exception& error) {
    result.status = Status::Failed;
    result.detail = error.what();
  }
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace

std::string to_string(Status status) {
  constexpr const char* kNames[] = {"ok", "failed", "skipped", "hung", "not run"};
  return kNames[std::size_t(status)];
}

bool run(const std::function<Target()>& open, const Report& report, double limit_seconds,
         const std::function<void()>& hang, const std::vector<Step>& steps) {
  const auto start = Clock::now();
  double limit = limit_seconds > 0 ? limit_seconds : kUsualSeconds;
  bool hung = false;
  std::vector<Fact> facts;
  // Reports are written while nothing is watched.
  const auto watched = [&](const std::string& work, auto f) {
    const Watchdog watchdog(limit, [&] {
      hung = true;
      report({work, Status::Hung, limit, "no answer from the device; it may need a reset"}, facts);
      hang();
    });
    return f();
  };

  const Target target = watched("open", open);
  if (hung) return false;
  facts = target.facts;
  report({"open", Status::Passed, seconds_since(start), {}}, facts);
  if (limit_seconds <= 0 && target.compiles) limit = kCompilingSeconds;
  bool good = true, lost = false;
  for (const Step& step : steps) {
    if (lost) {
      report({step.name, Status::NotRun, 0, "the device was lost"}, facts);
      continue;
    }
    const Result result = watched(step.name, [&] { return result_of(step, target); });
    if (hung) return false;
    report(result, facts);
    if (result.status != Status::Failed) continue;
    good = false;
    lost = !watched("answer after " + step.name, [&] { return responds(target); });
    if (hung) return false;
  }
  return good;
}

}  // namespace fpsynth::check
