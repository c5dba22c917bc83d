// fpsynth baseline: the papers' compressors on files, and the sweeps of their figures.

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "runners/baselines/baseline.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/query/table_output.hpp"
#include "runners/cli/studies.hpp"
#include "runners/cli/type_option.hpp"
#include "runners/codec/streams.hpp"
#include "runners/device/device.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/version.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

using baselines::Baseline;
using baselines::Description;
using baselines::Parameter;
using synth::Precision;

struct GpuChoice {
  std::string backend = "cpu", device;
};

/// Adds the options --backend and --device.
void add_gpu_choice(Command command, GpuChoice& choice) {
  command
      .add_option("--backend", choice.backend,
                  "cpu; cuda, a GPU; or auto, a GPU if there is one. The bytes are the same")
      .show_default();
  command.add_option("--device", choice.device,
                     "Index of the GPU; the first one that can be used if left out");
}

/// The GPU that the options ask for, if any. Throws UsageError for options that contradict each
/// other, and DeviceError if a GPU is required and none can be used.
std::optional<device::DeviceInfo> gpu_of(const GpuChoice& choice) {
  const bool given = !choice.device.empty();
  if (given && choice.backend == "cpu") {
    raise<UsageError>("--device {} goes with --backend cuda or auto", choice.device);
  }
  if (device::parse_backend(choice.backend, given ? choice.device : "all") ==
      device::Backend::Cpu) {
    return std::nullopt;
  }
  const auto devices =
      given ? device::parse_devices(choice.device) : device::parse_devices("all", 1);
  if (given && devices.size() != 1) {
    raise<UsageError>("--device {}: one GPU does this work; give one index", choice.device);
  }
  return devices.front();
}

struct BaselineArguments {
  std::string input, output;
  TypeOption type;
  GpuChoice gpu;
  int threads = 0;
  bool decompress = false, force = false, verbose = false;
};

/// The precision of what is compressed. Refuses singles and trailing bytes for formats that hold
/// neither.
Precision checked_type(const BaselineArguments& arguments, const codec::Input& input,
                       const Description& baseline) {
  const data::ValueType values = type_of(input, arguments.type);
  const Precision type = values.precision;
  if (std::ranges::count(synth::kPaperPrecisions, type) == 0) {
    raise("{} holds {} values, and {} is made for words of {} bytes; use fpsynth compress",
          input.name(), synth::to_string(values), baseline.title,
          baseline.singles ? "8 and 4" : "8");
  }
  if (baseline.singles) return type;
  if (type != Precision::Double) {
    raise(
        "{} holds singles, and {} files hold doubles; read its bytes as doubles with --type f64, "
        "or use another compressor",
        input.name(), baseline.title);
  }
  if (const std::size_t tail = input.bytes().size() % 8; tail != 0) {
    raise(
        "{}: its size of {} is not a whole number of doubles, and {} files hold nothing else; cut "
        "off the last {}",
        input.name(), counted(input.bytes().size(), "byte"), baseline.title,
        by_count(tail, "byte", counted(tail, "byte")));
  }
  return type;
}

/// Compresses or decompresses on the GPU; returns the result.
std::vector<std::byte> result_on(const device::DeviceInfo& gpu, Baseline& baseline,
                                 const baselines::Work& work, const BaselineArguments& arguments) {
  const baselines::OnDevice on = baseline.on(gpu, work.precision);
  std::vector<std::byte> result;
  if (arguments.decompress) {
    result = on.device->decode(work.bytes, work.name);
  } else {
    on.encode(work.bytes, result);
  }
  if (arguments.verbose) {
    const baselines::DeviceTimes& times = on.device->times();
    print_error("{}: kernels {:.6f} s, copies to it {:.6f} s, from it {:.6f} s\n", gpu.name,
                times.kernel, times.to_device, times.to_host);
  }
  return result;
}

/// Writes OUT from IN; returns the number of bytes written.
std::uint64_t convert(const BaselineArguments& arguments, Baseline& baseline,
                      const codec::Input& input, codec::PatchableSink& sink) {
  baselines::Work work{.bytes = input.bytes(), .name = input.name(), .threads = arguments.threads};
  work.report = [](const std::string& line) { print_error("{}\n", line); };
  const Description description = baseline.description();
  if (!arguments.decompress) work.precision = checked_type(arguments, input, description);
  if (const auto gpu = description.device ? gpu_of(arguments.gpu) : std::nullopt) {
    return baselines::put(sink, result_on(*gpu, baseline, work, arguments));
  }
  return arguments.decompress ? baseline.decompress(work, sink) : baseline.compress(work, sink);
}

void run(const BaselineArguments& arguments, Baseline& baseline) {
  const auto start = Clock::now();
  const Description description = baseline.description();
  const bool compressing = !arguments.decompress;
  if (compressing && arguments.threads > 0 && !description.compress_threads) {
    throw UsageError("--threads goes with --decompress");
  }
  if (!compressing && arguments.type.said()) {
    throw UsageError("--type says what IN holds, and --decompress takes it from the file");
  }
  codec::refuse_same_file(arguments.input, arguments.output);
  const auto sink = codec::open_patchable_sink(arguments.output, arguments.force);
  const codec::Input input = compressing ? open_bytes(arguments.input)
                                         : codec::Input::open(arguments.input, description.check);
  if (input.bytes().empty()) {
    raise("{} is empty; there is nothing to {}", input.name(),
          compressing ? "compress" : "decompress");
  }
  const std::uint64_t from = input.bytes().size();
  const std::uint64_t to =
      while_unchanged(input, [&] { return convert(arguments, baseline, input, *sink); });
  sink->finish();
  summarize(arguments.verbose, compressing ? from : to, compressing ? to : from, compressing, start,
            description.both_ratios);
}

/// Adds the option of a parameter, which goes without `other`.
void add_parameter(Command command, const Parameter& parameter, const Option* other = nullptr) {
  const auto add = [&](auto* value) {
    using Value = std::remove_pointer_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, bool>) {
      Option flag = command.add_flag(parameter.names, *value, parameter.help);
      if (other) flag.excludes(*other);
    } else {
      Option option = command.add_option(parameter.names, *value, parameter.help);
      if (!parameter.value_name.empty()) option.value_name(parameter.value_name);
      if constexpr (std::is_same_v<Value, std::vector<unsigned>>) {
        option.separated_by(',');
      } else if (parameter.shows_default) {
        option.show_default();
      }
      const auto least = static_cast<unsigned>(parameter.least);
      const auto most = static_cast<unsigned>(parameter.most);
      if constexpr (std::is_same_v<Value, std::string>) {
        const auto complaint = [=, word = parameter.word](const std::string& text) -> std::string {
          if (text == word || is_in_range(text, least, most)) return {};
          return fmt::format("{} is neither {} to {} nor {}", text, least, most, word);
        };
        option.check(complaint, fmt::format("{}..{}|{}", least, most, parameter.word));
      } else if constexpr (std::is_same_v<Value, double>) {
        option.range(parameter.least, parameter.most);
      } else {
        option.range(least, most);
      }
      if (!parameter.usage.empty()) option.usage(parameter.usage);
      if (other) option.excludes(*other);
    }
  };
  std::visit(add, parameter.value);
}

void add_conversion(Command parent, const std::shared_ptr<Baseline>& baseline) {
  const Description description = baseline->description();
  const auto arguments = std::make_shared<BaselineArguments>();
  Command command = parent.add_subcommand(description.name, description.help);
  command.add_option("IN", arguments->input, "File to read; - is standard input").required();
  command.add_option("OUT", arguments->output, "File to write; - is standard output").required();
  const Option decompress = command.add_flag("--decompress", arguments->decompress,
                                             "Restore what IN, a file of this format, holds");
  if (description.compress_threads || description.decompress_threads) {
    command.add_threads(arguments->threads,
                        fmt::format("Threads{}; as many as OpenMP has if left out",
                                    description.compress_threads ? "" : " of --decompress"));
  }
  add_force_and_verbose(command, arguments->force, arguments->verbose);
  add_type(command, arguments->type);
  if (description.device) add_gpu_choice(command, arguments->gpu);
  for (const Parameter& parameter : baseline->parameters()) {
    add_parameter(command, parameter, &decompress);
  }
  std::string footer = fmt::format(
      "Examples:\n"
      "  fpsynth baseline {0} {1}\n"
      "  simulate | fpsynth baseline {0} - - --type f64 > out.{2}\n"
      "  fpsynth baseline {0} plasma.{2} plasma.f64 --decompress\n"
      "\n"
      "OUT appears when it is complete, or not at all.",
      description.name, description.example, description.ending);
  if (!description.checksum) {
    footer +=
        "\n\nThe format has no checksum: a damaged file may decode to wrong values without a "
        "message.\nKeep a checksum of your own beside it.";
  }
  command.footer(footer);
  command.callback([=] { run(*arguments, *baseline); });
}

struct SweepArguments : StudyArguments {
  /// Small data sets take microseconds, no longer than the system's disturbances.
  timing::Effort effort{.repetitions = 3, .least_seconds = 0.002};
  GpuChoice gpu;
  TableOutput output;
};

void run_sweep(const SweepArguments& arguments, Baseline& baseline, bool on_gpu) {
  baselines::SweepWork work{.inputs = {}, .effort = arguments.effort};
  if (on_gpu) work.gpu = gpu_of(arguments.gpu);
  const data::Study study = study_of(arguments, "sweep");
  refuse_to_replace_data(study, arguments.output.out);
  std::vector<std::string> notes;
  for (const data::StudyItem& item : study.items) {
    const data::Input input = item.open();
    if (const auto note = study::unlike_published(item, input)) notes.push_back(*note);
    work.inputs.push_back({input, study::described_dimensionality(item, input)});
  }
  std::vector<results::Table> tables;
  {
    const study::ProgressLine line;
    work.progress = [&](const std::string& doing) { line.show(doing); };
    tables = baseline.measure(work);
  }
  notes.push_back(fmt::format("{}, fpsynth {} ({}), {}.", device::cpu_name(), synth::kVersion,
                              synth::kCommit, synth::kCompiler));
  std::vector<std::string>& all = tables.front().notes;
  all.insert(all.end(), notes.begin(), notes.end());
  put_tables(tables, arguments.output, "sweep " + baseline.description().name);
}

void add_sweep(Command parent, const std::shared_ptr<Baseline>& baseline,
               const baselines::Sweep& sweep) {
  const auto arguments = std::make_shared<SweepArguments>();
  Command command = parent.add_subcommand(baseline->description().name, sweep.help);
  add_data_options(command, *arguments);
  command
      .add_option("--repetitions", arguments->effort.repetitions,
                  "Timed runs, or as many as take 2 ms; the median is shown")
      .range(1, 1000)
      .show_default();
  add_table_output(command, arguments->output);
  for (const Parameter& parameter : sweep.parameters) add_parameter(command, parameter);
  if (sweep.part_timed) add_timed_bytes(command, arguments->effort);
  if (sweep.on_gpu) add_gpu_choice(command, arguments->gpu);
  command.footer(sweep.footer);
  command.callback([=, on_gpu = sweep.on_gpu] { run_sweep(*arguments, *baseline, on_gpu); });
}

}  // namespace

void add_baseline(Command app) {
  std::vector<std::shared_ptr<Baseline>> all;
  std::vector<std::string> titles, unchecked;
  for (auto& baseline : baselines::all_baselines()) {
    const Description description = all.emplace_back(std::move(baseline))->description();
    titles.push_back(description.title);
    if (!description.checksum) unchecked.push_back(description.title);
  }
  Command command = app.add_subcommand(
      "baseline", fmt::format("The papers' compressors: {}", fmt::join(titles, ", ")));
  command.require_subcommand();
  command.footer(fmt::format(
      "Examples:\n"
      "  fpsynth baseline gfc --chunks 1000 --dim 2 plasma.f64 plasma.gfc\n"
      "  fpsynth baseline mpc --dim auto plasma.f64 plasma.fps\n"
      "  fpsynth baseline pfpc --decompress plasma.pfpc plasma.f64\n"
      "  fpsynth baseline sweep pfpc num_plasma.trace.fpc --csv > figures.csv\n"
      "\n"
      "Files are used as they are; sweep decodes *.fpc first. Files of {} have no checksum.",
      fmt::join(unchecked, ", ")));
  for (const auto& baseline : all) add_conversion(command, baseline);
  Command sweeps =
      command.add_subcommand("sweep", "The figures of a compressor's paper, on any data");
  sweeps.require_subcommand();
  for (const auto& baseline : all) {
    if (const auto sweep = baseline->sweep()) add_sweep(sweeps, baseline, *sweep);
  }
}

}  // namespace fpsynth::cli
