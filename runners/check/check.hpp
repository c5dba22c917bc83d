#pragma once
// `fpsynth gpu check`: whether a device gives the processor's bytes, step by step.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runners/check/steps.hpp"
#include "runners/check/target.hpp"

namespace fpsynth::check {

enum class Status {
  Passed,
  Failed,
  Skipped,  ///< the device does not suit the step
  Hung,
  NotRun,  ///< the device was lost before
};

/// "ok", "failed", "skipped", "hung" or "not run".
std::string to_string(Status status);

struct Result {
  std::string name;
  Status status = Status::Passed;
  double seconds = 0;
  std::string detail;
};

/// Receives results as they come, one call at a time, but not always from the same thread.
class Report {
 public:
  virtual ~Report() = default;
  /// The first call, without facts if opening the device hangs. Opening is the first step.
  virtual void begin(const std::vector<Fact>& facts) = 0;
  virtual void add(const Result& result) = 0;
  /// The last call. `worst`: Hung, Failed or Passed.
  virtual void end(Status worst, double seconds) = 0;
};

/// Opens the target and runs the steps. One that fails does not keep the others from running,
/// unless the device is lost. Returns true if none has failed. If one, or opening, takes longer
/// than `limit_seconds` (0: a minute, or ten where the driver compiles kernels), the report ends
/// with it, and `hang` is called, in another thread: it must end the process. Throws what `open`
/// throws.
bool run(const std::function<std::unique_ptr<Target>()>& open, Report& report, double limit_seconds,
         const std::function<void()>& hang, const std::vector<Step>& steps = all_steps());

}  // namespace fpsynth::check
