#include "runners/check/check.hpp"

#include <exception>

#include "runners/check/watchdog.hpp"
#include "synth/common/clock.hpp"

namespace fpsynth::check {
namespace {

constexpr double kUsualSeconds = 60, kCompilingSeconds = 600;

/// True if the device still does what it is told. After some errors, no call of this process
/// reaches it any more.
bool responds(Target& target) {
  try {
    const auto codec = target.codec(synth::parse_pipeline("ZE"), 8, synth::kChunkWords);
    const std::vector<std::byte> bytes(64, std::byte{0x5a});
    const auto buffer = codec->buffer(bytes.size());
    buffer->write(bytes);
    return buffer->read(bytes.size()) == bytes;
  } catch (const std::exception&) {
    return false;
  }
}

Result result_of(const Step& step, Target& target) {
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

std::vector<Step> all_steps() {
  std::vector<Step> steps;
  for (auto add : {add_stage_steps, add_search_steps, add_codec_steps, add_baseline_steps}) {
    add(steps);
  }
  return steps;
}

bool run(const std::function<std::unique_ptr<Target>()>& open, Report& report, double limit_seconds,
         const std::function<void()>& hang, const std::vector<Step>& steps) {
  const auto start = Clock::now();
  double limit = limit_seconds > 0 ? limit_seconds : kUsualSeconds;
  bool hung = false;
  std::unique_ptr<Target> target;
  // The report is written to while nothing is watched.
  const auto watched = [&](const std::string& work, auto f) {
    const Watchdog watchdog(limit, [&] {
      hung = true;
      if (!target) report.begin({});
      report.add({work, Status::Hung, limit, "no answer from the device; it may need a reset"});
      report.end(Status::Hung, seconds_since(start));
      hang();
    });
    return f();
  };

  std::vector<Fact> facts;
  target = watched("open", [&] {
    auto opened = open();
    facts = opened->facts();
    return opened;
  });
  if (hung) return false;
  report.begin(facts);
  report.add({"open", Status::Passed, seconds_since(start), {}});
  if (limit_seconds <= 0 && target->compiles()) limit = kCompilingSeconds;
  bool good = true, lost = false;
  for (const Step& step : steps) {
    if (lost) {
      report.add({step.name, Status::NotRun, 0, "the device was lost"});
      continue;
    }
    const Result result = watched(step.name, [&] { return result_of(step, *target); });
    if (hung) return false;
    report.add(result);
    if (result.status != Status::Failed) continue;
    good = false;
    lost = !watched("answer after " + step.name, [&] { return responds(*target); });
    if (hung) return false;
  }
  report.end(good ? Status::Passed : Status::Failed, seconds_since(start));
  return good;
}

}  // namespace fpsynth::check
