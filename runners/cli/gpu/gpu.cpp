// fpsynth gpu check: whether a GPU gives the processor's bytes.

#include "runners/cli/gpu/gpu.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runners/cli/commands.hpp"
#include "runners/device/device.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/version.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

using Json = nlohmann::ordered_json;
using check::Fact;
using check::Status;

std::string text_of(const std::string& text) { return text; }
std::string text_of(std::uint64_t number) { return std::to_string(number); }
std::string text_of(bool yes) { return yes ? "yes" : "no"; }

/// Prints a line for each fact and step, or one JSON object, piece by piece, so that what was found
/// is there even if the process is killed.
class Printer {
 public:
  explicit Printer(bool json) : json_(json) {}

  void add(const check::Result& result, const std::vector<Fact>& facts) {
    if (steps_ == 0) begin(facts);
    if (json_) {
      const Json step = {{"name", result.name},
                         {"status", to_string(result.status)},
                         {"seconds", result.seconds},
                         {"detail", result.detail}};
      write_output_text(fmt::format("{}\n  {}", steps_ ? "," : "", json_text(step)));
    } else {
      write_output_text(fmt::format("{:<8} {:<32} {:8.3f} s  {}\n", to_string(result.status),
                                    result.name, result.seconds, result.detail));
    }
    ++steps_;
    ++counts_[std::size_t(result.status)];
  }
  void end(Status worst) {
    const double seconds = seconds_since(start_);
    if (json_) {
      return write_output_text(fmt::format("\n ],\n \"seconds\": {},\n \"status\": \"{}\"\n}}\n",
                                           json_text(seconds), to_string(worst)));
    }
    std::string text;
    for (std::size_t i = 0; i < std::size(counts_); ++i) {
      if (counts_[i] == 0) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts_[i], to_string(Status(i)));
    }
    write_output_text(fmt::format("\n{} in {:.1f} s\n", text, seconds));
  }

 private:
  void begin(const std::vector<Fact>& facts) {
    if (json_) {
      const Json program = {{"version", synth::kVersion},
                            {"commit", synth::kCommit},
                            {"compiler", synth::kCompiler},
                            {"cuda", synth::kCuda}};
      Json device;  // null if it could not be opened
      for (const auto& [key, value] : facts) {
        std::visit([&, &name = key](const auto& known) { device[name] = known; }, value);
      }
      return write_output_text(
          fmt::format("{{\n \"schema\": \"fpsynth-gpu-check\",\n \"program\": {},\n "
                      "\"device\": {},\n \"steps\": [",
                      json_text(program), json_text(device)));
    }
    for (const auto& [key, value] : facts) {
      const std::string text = std::visit([](const auto& known) { return text_of(known); }, value);
      write_output_text(fmt::format("{:<32} {}\n", key, text));
    }
    if (!facts.empty()) write_output_text("\n");
  }

  bool json_;
  Clock::time_point start_ = Clock::now();
  std::size_t steps_ = 0, counts_[5] = {};
};

struct GpuArguments {
  unsigned device = 0;
  double limit = 0;
  bool json = false;
};

void run_check(const GpuArguments& arguments, const TargetOpener& open) {
  Printer printer(arguments.json);
  const bool good = check::run(
      [&] { return open(arguments.device); },
      [&](const check::Result& result, const std::vector<Fact>& facts) {
        printer.add(result, facts);
      },
      arguments.limit,
      [&] {
        printer.end(Status::Hung);
        print_error("fpsynth: the device does not answer; its step is the last one above\n");
        ::_exit(1);  // other calls would wait for the device
      });
  printer.end(good ? Status::Passed : Status::Failed);
  if (!good) throw Error("the device does not do what the processor does; see the steps above");
}

check::Target open_gpu(unsigned device) {
  std::string why;
  const auto chosen = device::cuda_devices(&why, {int(device)}, 1);
  if (chosen.empty()) {
    if (why.empty()) why = fmt::format("there is no GPU {}", device);
    // Nothing was checked: unlike a step that fails.
    raise<UsageError>("no GPU to check: {}", why);
  }
  device::tell_of_compiling(chosen);
  return check::gpu_target(chosen.front());
}

}  // namespace

Command add_gpu_check(Command gpu, TargetOpener open) {
  Command command = gpu.add_subcommand(
      "check", "Compare a GPU's search documents and files with the processor's");
  const auto arguments = std::make_shared<GpuArguments>();
  command.add_option("--device", arguments->device, "Index of the GPU").show_default();
  command
      .add_option("--limit", arguments->limit,
                  "Seconds that a step may take before the check ends; 600 if the driver has to "
                  "compile the kernels")
      .range(0.1, 86400.0, "SECONDS")
      .show_default("60");
  command.add_flag("--json", arguments->json,
                   "One JSON object, whose steps are written as they finish");
  command.footer(
      "A step that fails names the pipeline and the first byte that differs, and the others are "
      "run\n"
      "nevertheless. Exit status: 0 if none failed, 1 if one failed or hung, 2 if there is no GPU "
      "to\n"
      "check.\n\n"
      "Examples:\n"
      "  fpsynth gpu check\n"
      "  fpsynth gpu check --device 1 --json > gpu1.json");
  command.callback([arguments, open = std::move(open)] { run_check(*arguments, open); });
  return command;
}

void add_gpu(Command app) {
  Command gpu = app.add_subcommand("gpu", "Check a GPU");
  gpu.require_subcommand();
  gpu.footer("Example:\n  fpsynth gpu check");
  add_gpu_check(gpu, open_gpu);
}

}  // namespace fpsynth::cli
