// fpsynth compress, fpsynth decompress: one pipeline on one file.

#include <fmt/core.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "runners/cli/chosen_method.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/type_option.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/gpu/files.hpp"
#include "runners/codec/streams.hpp"
#include "runners/device/device.hpp"
#include "runners/study/choice.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/error.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::cli {
namespace {

struct Arguments {
  std::string pipeline, input, output, backend = "cpu", device = "0";
  std::optional<std::string> chunk_words;
  TypeOption type;
  int threads = 0;
  bool force = false, verbose = false;
  BestOption best;
  AutoOptions automatic;
};

void add_common(Command command, Arguments& arguments) {
  command.add_threads(arguments.threads, "Threads to use; as many as OpenMP has if left out");
  command
      .add_option("--backend", arguments.backend,
                  "cpu, cuda, or auto: a GPU if there is one; the bytes are the same")
      .show_default();
  command.add_option("--device", arguments.device, "Number of the GPU to use").show_default();
  add_force_and_verbose(command, arguments.force, arguments.verbose);
}

/// The GPU to run on, or none for the CPU.
std::optional<device::DeviceInfo> gpu(const Arguments& arguments) {
  if (device::parse_backend(arguments.backend, arguments.device) == device::Backend::Cpu) return {};
  const std::vector<device::DeviceInfo> devices = device::parse_devices(arguments.device);
  if (devices.size() != 1) {
    throw UsageError(
        fmt::format("--device '{}': give the number of one GPU; a file is compressed on one",
                    arguments.device));
  }
  return devices.front();
}

/// Returns on_gpu(). Without a device, or if `auto` finds it too small, returns on_cpu(). If the
/// device fails, the error recommends --backend cpu.
template <class OnGpu, class OnCpu>
std::uint64_t run_on(const std::optional<device::DeviceInfo>& device, const Arguments& arguments,
                     OnGpu on_gpu, OnCpu on_cpu) {
  if (!device) return on_cpu();
  try {
    return on_gpu(*device);
  } catch (const device::DeviceUnsuitable& error) {
    if (arguments.backend != "auto") throw;
    device::report_cpu_fallback(error.what());
    return on_cpu();
  } catch (const device::DeviceError& error) {
    const std::string_view what = error.what();
    if (what.find("--backend cpu") != what.npos) throw;
    throw device::DeviceError(fmt::format("{}; --backend cpu does it without a GPU", what));
  }
}

/// With --best, the first two positional arguments are IN and OUT.
void assign_positional(Arguments& arguments) {
  if (arguments.best.best && arguments.output.empty()) {
    arguments.output = std::exchange(arguments.input, std::exchange(arguments.pipeline, {}));
  }
  arguments.best.check(arguments.pipeline, "compress with");
  std::error_code none;
  if (arguments.output.empty() && !arguments.input.empty() &&
      std::filesystem::exists(arguments.pipeline, none)) {
    throw UsageError(fmt::format("PIPELINE is required before IN; try: fpsynth compress auto {} {}",
                                 shell_word(arguments.pipeline), shell_word(arguments.input)));
  }
  if (arguments.input.empty() || arguments.output.empty()) {
    throw UsageError(fmt::format("{} is required\nfpsynth compress --help explains it",
                                 arguments.input.empty() ? "IN" : "OUT"));
  }
}

/// The method for an input of words of `precision` that a study found, or that is found now. Sets
/// `chunk_words`, unless the user has, to those of the study.
synth::Method found_method(const codec::Input& input, synth::Precision precision,
                           const std::optional<device::DeviceInfo>& device,
                           const Arguments& arguments, std::size_t& chunk_words) {
  if (arguments.best.best) {
    const BestPipeline best = best_pipeline(arguments.best, precision);
    print_error("best of {}: {}, ratio {:.3f} there\n", *arguments.best.best,
                synth::to_string(best.method), best.ratio);
    if (!arguments.chunk_words) chunk_words = best.chunk_words;
    return best.method;
  }
  std::vector<device::DeviceInfo> devices;
  if (device) devices.push_back(*device);
  AutoOptions automatic = arguments.automatic;
  automatic.chunk_words = chunk_words;
  const auto engine = study::engine_on(devices, arguments.backend == "auto", arguments.threads);
  return auto_method(input, precision, engine, arguments.threads, automatic, arguments.verbose);
}

/// A lag that is not less than the number of words is accepted, so that a method suits files of
/// every length, and does nothing: it may be a mistake.
void tell_of_long_lags(const synth::Prelude& prelude, const codec::Input& input,
                       std::size_t word_bytes) {
  const std::size_t words = input.bytes().size() / word_bytes;
  for (const synth::PreludeStep& step : prelude.steps) {
    if (synth::prelude_traits(step.kind).shape != preludes::Shape::Lagged) continue;
    if (words == 0 || step.parameter < words) continue;
    print_error("note: {} does nothing, {} has {}\n", synth::to_string(step), input.name(),
                counted(words, "word"));
  }
}

void compress(Arguments& arguments) {
  const auto start = Clock::now();
  assign_positional(arguments);
  std::optional<synth::Method> named;
  if (!arguments.best.best && arguments.pipeline != kAuto) {
    named = typed_method(arguments.pipeline);
  }
  codec::refuse_same_file(arguments.input, arguments.output);
  const auto device = gpu(arguments);
  const auto sink = codec::open_patchable_sink(arguments.output, arguments.force);
  const codec::Input input = open_bytes(arguments.input);
  const synth::Precision precision = type_of(input, arguments.type);
  const std::size_t word_bytes = synth::word_bytes(precision);
  codec::CodecOptions options;
  options.threads = arguments.threads;
  if (arguments.chunk_words) options.chunk_words = std::stoul(*arguments.chunk_words);
  const std::uint64_t written = while_unchanged(input, [&] {
    const synth::Method method =
        named ? *named : found_method(input, precision, device, arguments, options.chunk_words);
    return run_on(
        device, arguments,
        [&](const device::DeviceInfo& gpu) {
          return codec::compress_cuda(input.bytes(), input.name(), method, word_bytes, *sink, gpu,
                                      options);
        },
        [&] {
          return codec::compress(input.bytes(), input.name(), method, word_bytes, *sink, options);
        });
  });
  sink->finish();
  if (named) tell_of_long_lags(named->prelude, input, word_bytes);
  if (const std::size_t tail = input.bytes().size() % word_bytes; tail > 0) {
    print_error("note: {} {} kept verbatim, {} is not whole {}-byte words\n",
                counted(tail, "trailing byte"), by_count(tail, "is", "are"), input.name(),
                word_bytes);
  }
  summarize(arguments.verbose, input.bytes().size(), written, true, start);
}

/// Sets the name of the output, if there is none, to that of the input without its suffix.
void assign_output(Arguments& arguments) {
  if (!arguments.output.empty()) return;
  constexpr std::string_view kSuffix = ".fps";
  const std::string& in = arguments.input;
  const std::string name = std::filesystem::path(in).filename().string();
  if (!name.ends_with(kSuffix) || name.size() == kSuffix.size()) {
    throw UsageError(
        fmt::format("OUT is required, as the name of {} does not end with {}\n"
                    "fpsynth decompress --help explains it",
                    in == "-" ? "standard input" : in, kSuffix));
  }
  arguments.output = in.substr(0, in.size() - kSuffix.size());
}

void decompress(Arguments& arguments) {
  const auto start = Clock::now();
  assign_output(arguments);
  codec::refuse_same_file(arguments.input, arguments.output);
  const auto device = gpu(arguments);
  const auto sink = codec::open_sink(arguments.output, arguments.force);
  const codec::Input input = codec::Input::open(arguments.input, codec::check_beginning);
  codec::CodecOptions options;
  options.threads = arguments.threads;
  const std::uint64_t original = while_unchanged(input, [&] {
    return run_on(
        device, arguments,
        [&](const device::DeviceInfo& gpu) {
          return codec::decompress_cuda(input.bytes(), input.name(), *sink, gpu, options);
        },
        [&] { return codec::decompress(input.bytes(), input.name(), *sink, options); });
  });
  sink->finish();
  summarize(arguments.verbose, original, input.bytes().size(), false, start);
}

}  // namespace

void add_compress(Command app) {
  Command command = app.add_subcommand("compress", "Compress a file with a pipeline");
  auto arguments = std::make_shared<Arguments>();
  command.add_option(
      "PIPELINE", arguments->pipeline,
      "1 to 8 component names, the last a reducer such as ZE or RLE, with | where words become "
      "bytes, behind a prelude of up to 3 steps on all of IN and a / if there is one; or an id "
      "that a query prints for a search of the usual space; or auto: the best for IN, which is "
      "searched for");
  command.add_option("IN", arguments->input, "File to compress; - is standard input");
  command.add_option("OUT", arguments->output,
                     "File to write; - is standard output, written when all is done");
  add_best(command, arguments->best);
  add_auto(command, arguments->automatic);
  add_chunk_words(command, arguments->chunk_words);
  add_type(command, arguments->type, "--precision");
  add_common(command, *arguments);
  command.footer(
      "Examples:\n"
      "  fpsynth compress \"LNV6s BIT LNV1s ZE\" plasma.f64 plasma.fps\n"
      "  fpsynth compress auto plasma.f64 plasma.fps\n"
      "  fpsynth compress \"LAGx:18200 / LNV1s ZE | RLE\" plasma.f64 plasma.fps\n"
      "  fpsynth compress --best num_plasma --runs results/runs/plasma new.f64 new.fps\n"
      "  fpsynth compress \"LNV2s LNV2s | DIM8 RLE\" plasma.f32 plasma.fps\n"
      "  fpsynth compress \"LNV2s LNV2s | DIM8 RLE\" plasma.bin plasma.fps --type f32\n"
      "  fpsynth compress \"LNV6s BIT LNV1s ZE\" huge.f64 huge.fps --backend cuda --device 1\n"
      "  simulate | fpsynth compress \"LNV2s LNV2s LNV2x | ZE\" - - --type f64 | ssh host 'cat > "
      "out.fps'\n"
      "\n"
      "Any input is restored to the byte: the type only decides which words the components see,\n"
      "and so the ratio. Files of other formats are refused.\n"
      "auto looks for preludes that suit IN, searches all 138,240 pipelines behind the best of "
      "them\n"
      "on a sample of the chunks, tries the best methods on all of IN, decodes what the winner "
      "makes\n"
      "of it and compares, and says which it is. With --no-preludes, it needs little memory. "
      "--best\n"
      "takes the winner of an earlier search in the precision of IN.\n"
      "Steps of a prelude: LAGs:L and LAGx:L, difference from or XOR with the word L before; ORD, "
      "an\n"
      "order of floats as integers; DICT, ranks among the distinct values; DEC:D, decimals of D\n"
      "digits as integers. IN is then held in memory, twice.\n"
      "Input from a pipe is first copied to a temporary file in $TMPDIR (or /tmp), as are more\n"
      "than 64 MiB of output to a pipe. OUT appears when it is complete, or not at all.");
  command.callback([arguments] { compress(*arguments); });
}

void add_decompress(Command app) {
  Command command = app.add_subcommand("decompress", "Restore a file written by compress");
  auto arguments = std::make_shared<Arguments>();
  command.add_option("IN", arguments->input, "File to decompress; - is standard input").required();
  command.add_option("OUT", arguments->output,
                     "File to write; - is standard output; IN without .fps if left out");
  add_common(command, *arguments);
  command.footer(
      "Examples:\n"
      "  fpsynth decompress plasma.fps plasma.f64\n"
      "  fpsynth decompress plasma.f64.fps\n"
      "  fpsynth decompress huge.fps huge.f64 --backend auto\n"
      "  fpsynth decompress plasma.fps - | head -c 80 | od -t f8\n"
      "\n"
      "OUT appears when its checksum has been verified, or not at all. On standard output, pipes\n"
      "and devices, bytes are written as they are decoded: if the file proves to be damaged,\n"
      "wrong bytes may have been written; the exit status is 0 only if all of them are right.");
  command.callback([arguments] { decompress(*arguments); });
}

}  // namespace fpsynth::cli
