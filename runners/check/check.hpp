#pragma once
// `fpsynth gpu check`: whether a device gives the processor's documents and files.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runners/baselines/gfc/compressor.hpp"
#include "runners/baselines/holt/compressor.hpp"
#include "runners/codec/codec.hpp"
#include "runners/device/device_info.hpp"
#include "runners/search/engine.hpp"
#include "synth/space.hpp"

namespace fpsynth::check {

/// A property of a device, by a stable key with the unit in it.
using Fact = std::pair<std::string, std::variant<std::string, std::uint64_t, bool>>;

/// Amounts of work. A GPU does in a moment what takes an emulated one minutes.
struct Work {
  std::vector<std::size_t> chunk_words;  ///< of files
  synth::Space space;                    ///< that is searched
  std::size_t searched_words = 0;        ///< of each made set, as are the others:
  std::size_t whole_words = 0;           ///< of files with preludes and of baselines' files
  std::size_t lookback_words = 0;        ///< of a file with many more chunks than run at a time
  std::size_t lookback_chunk_words = synth::kChunkWords;
};

/// A device as the check sees it: all that the program runs on devices, by the functions that the
/// program itself calls. The check needs neither nvcc nor a GPU, and its tests have a target whose
/// device is emulated and fails.
struct Target {
  std::vector<Fact> facts;
  bool compiles = false;  ///< the driver compiles the kernels when they are first used
  Work work;
  std::function<void()> touch;  ///< throws DeviceError if nothing reaches the device any more
  /// Searches with layout number `layout` of search::walk_layouts(). The factory throws
  /// DeviceUnsuitable if the device has too little shared memory for it.
  std::function<search::EngineFactory(std::size_t layout)> engine;
  std::function<void(std::span<const std::byte> input, const synth::Method& method,
                     std::size_t word_bytes, codec::PatchableSink& sink,
                     const codec::CodecOptions& options)>
      compress;
  std::function<void(std::span<const std::byte> file, codec::Sink& sink)> decompress;
  std::function<std::shared_ptr<baselines::GfcDevice>()> gfc;
  std::function<std::shared_ptr<baselines::HoltDevice>()> holt;
};

/// A GPU. Its functions throw DeviceError if it cannot be used.
Target gpu_target(const device::DeviceInfo& info);

/// A part of the check.
struct Step {
  std::string name;
  /// Returns what was done, in a few words. Throws an Error that names the first byte or pipeline
  /// that differs, or what the device throws.
  std::function<std::string(const Target&)> run;
};

/// All steps, in their order.
std::vector<Step> all_steps();

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

/// Receives the result of each step as it comes, in one call at a time, but not always in the same
/// thread, and the device's facts; none if opening it hangs, which is the first step.
using Report = std::function<void(const Result& result, const std::vector<Fact>& facts)>;

/// Opens the target and runs the steps. One that fails does not keep the others from running,
/// unless the device is lost. Returns true if none has failed. If one, or opening, takes longer
/// than `limit_seconds` (0: a minute, or ten where the driver compiles kernels), it is the last one
/// that is reported, and `hang` is called, in another thread: it must end the process, because a
/// kernel that does not end cannot be cancelled. Throws what `open` throws.
bool run(const std::function<Target()>& open, const Report& report, double limit_seconds,
         const std::function<void()>& hang, const std::vector<Step>& steps = all_steps());

}  // namespace fpsynth::check
