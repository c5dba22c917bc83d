// fpsynth compress, fpsynth decompress: one pipeline on one file.

#include <fmt/core.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "runners/cli/chosen_method.hpp"
#include "runners/cli/codec/original.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/studies.hpp"
#include "runners/cli/type_option.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/compact.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/gpu/files.hpp"
#include "runners/codec/prelude_files.hpp"
#include "runners/codec/streams.hpp"
#include "runners/data/formats/variables.hpp"
#include "runners/device/device.hpp"
#include "runners/study/data_sets.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::cli {
namespace {

/// The forms of --as.
constexpr const char *kNpy = "npy", *kRaw = "raw";

struct CompressArguments {
  std::string pipeline, input, output, backend = "cpu", device = "0";
  std::optional<std::string> chunk_words;
  std::string form;
  TypeOption type;
  int threads = 0;
  bool force = false, verbose = false, any_size = false, compact = false;
  BestOption best;
  AutoOptions automatic;
  SectionsOption sections;
};

void add_common(Command command, CompressArguments& arguments) {
  command.add_threads(arguments.threads, "Threads to use; as many as OpenMP has if left out");
  command
      .add_option("--backend", arguments.backend,
                  "cpu, cuda, or auto: a GPU if there is one; the bytes are the same")
      .show_default();
  command.add_option("--device", arguments.device, "Number of the GPU to use").show_default();
  add_force_and_verbose(command, arguments.force, arguments.verbose);
}

/// The GPU to run on, or none for the CPU.
std::optional<device::DeviceInfo> gpu(const CompressArguments& arguments) {
  if (device::parse_backend(arguments.backend, arguments.device) == device::Backend::Cpu) return {};
  const std::vector<device::DeviceInfo> devices = device::parse_devices(arguments.device);
  if (devices.size() != 1) {
    raise<UsageError>("--device '{}': give the number of one GPU; a file is compressed on one",
                      arguments.device);
  }
  return devices.front();
}

/// Returns on_gpu(). Without a device, or if `auto` finds it too small, returns on_cpu(). If the
/// device fails, the error recommends --backend cpu.
template <class OnGpu, class OnCpu>
std::uint64_t run_on(const std::optional<device::DeviceInfo>& device,
                     const CompressArguments& arguments, OnGpu on_gpu, OnCpu on_cpu) {
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
    raise<device::DeviceError>("{}; --backend cpu does it without a GPU", what);
  }
}

/// With --best, the first two positional arguments are IN and OUT.
void assign_positional(CompressArguments& arguments) {
  if (arguments.best.best && arguments.output.empty()) {
    arguments.output = std::exchange(arguments.input, std::exchange(arguments.pipeline, {}));
  }
  arguments.best.check(arguments.pipeline, "compress with");
  std::error_code none;
  if (arguments.output.empty() && !arguments.input.empty() &&
      std::filesystem::exists(arguments.pipeline, none)) {
    raise<UsageError>("PIPELINE is required before IN; try: fpsynth compress auto {} {}",
                      shell_word(arguments.pipeline), shell_word(arguments.input));
  }
  if (!arguments.input.empty() && !arguments.output.empty()) return;
  std::string whole_file;
  if (std::filesystem::is_regular_file(arguments.input, none)) {
    const auto variables = data::variables_of(arguments.input);
    if (variables && variables->size() > 1) {
      whole_file = fmt::format(
          "; {} has {} variables: name one, or make all of an HDF5 file "
          "smaller with fpsynth repack",
          arguments.input, variables->size());
    }
  }
  raise<UsageError>("{} is required{}\nfpsynth compress --help explains it",
                    arguments.input.empty() ? "IN" : "OUT", whole_file);
}

/// The sections of an input, each with a method that was typed, that a study found, or that is
/// found now.
WantedSections wanted_sections(const data::Input& input,
                               const std::optional<device::DeviceInfo>& device,
                               const CompressArguments& arguments,
                               std::vector<synth::Method> named) {
  std::size_t chunk_words = synth::kChunkWords;
  if (arguments.best.best) {
    const BestPipeline best = best_pipeline(arguments.best, input.native());
    print_error("best of {}: {}, ratio {:.3f} there\n", *arguments.best.best,
                synth::to_string(best.method), best.ratio);
    chunk_words = best.chunk_words;
    named = {best.method};
  }
  if (!named.empty()) {
    if (arguments.chunk_words) chunk_words = std::stoul(*arguments.chunk_words);
    return {typed_sections(input, named, chunk_words, arguments.sections)};
  }
  std::vector<device::DeviceInfo> devices;
  if (device) devices.push_back(*device);
  const auto engine = study::engine_on(devices, arguments.backend == "auto", arguments.threads);
  return auto_sections(input, engine, arguments.threads, arguments.automatic, arguments.chunk_words,
                       arguments.sections, arguments.verbose);
}

/// A lag or a row that is not less than the number of words is accepted, so that a method suits
/// files of every length, and does nothing: it may be a mistake.
void tell_of_long_lags(const codec::Section& section, const std::string& name) {
  for (const synth::PreludeStep& step : section.method.prelude.steps) {
    if (!preludes::idle_on_few(synth::prelude_traits(step.kind).shape)) continue;
    if (section.words == 0 || step.parameter < section.words) continue;
    print_error("note: {} does nothing, {} has {}\n", synth::to_string(step), name,
                counted(section.words, "word"));
  }
}

void compress(CompressArguments& arguments) {
  const auto start = Clock::now();
  assign_positional(arguments);
  std::vector<synth::Method> named;
  if (!arguments.best.best && arguments.pipeline != kAuto) {
    named = typed_methods(arguments.pipeline);
  }
  refuse_to_replace_data(arguments.input, arguments.output);
  const auto device = gpu(arguments);
  const auto sink = codec::open_patchable_sink(arguments.output, arguments.force);
  const Original original = open_original(arguments.input, arguments.type);
  const data::Input& input = original.words;
  const std::size_t word_bytes = synth::word_bytes(input.native());
  codec::CodecOptions options;
  options.threads = arguments.threads;
  WantedSections wanted;
  const std::vector<codec::Section>& sections = wanted.sections;
  const std::uint64_t written = while_unchanged(original, [&] {
    wanted = wanted_sections(input, device, arguments, named);
    const auto& description = original.description;
    codec::SinkBehind behind(
        description ? codec::front_of(*description, word_bytes) : std::vector<std::byte>(), *sink);
    const auto one = [&](std::span<const std::byte> bytes, const codec::Section& section,
                         codec::PatchableSink& to) {
      codec::CodecOptions own = options;
      own.chunk_words = section.chunk_words;
      return run_on(
          device, arguments,
          [&](const device::DeviceInfo& gpu) {
            return codec::compress_cuda(bytes, input.name(), section.method, word_bytes, to, gpu,
                                        own);
          },
          [&] {
            return codec::compress(bytes, input.name(), section.method, word_bytes, to, own);
          });
    };
    const bool compact = (arguments.compact || arguments.pipeline == kAuto) &&
                         input.bytes().size() <= codec::kMostCompact;
    codec::MemorySink small;
    codec::PatchableSink* const to = compact ? static_cast<codec::PatchableSink*>(&small) : &behind;
    std::uint64_t bytes = codec::compress_sections(input.bytes(), input.name(), sections,
                                                   word_bytes, *to, options, one, wanted.before);
    if (compact) {
      const std::vector<std::byte> file = codec::compacted(std::move(small.bytes()));
      behind.write(file);
      bytes = file.size();
    }
    return behind.front_bytes() + bytes;
  });
  sink->finish();
  if (!named.empty()) {
    for (const codec::Section& section : sections) {
      tell_of_long_lags(section, sections.size() > 1 ? "a section" : input.name());
    }
  }
  if (const std::size_t tail = input.view().tail; tail > 0) {
    print_error("note: {} {} kept verbatim, {} is not whole {}-byte words\n",
                counted(tail, "trailing byte"), by_count(tail, "is", "are"), input.name(),
                word_bytes);
  }
  const std::size_t head = original.description ? original.description->head.size() : 0;
  const std::uint64_t before = head + input.bytes().size();
  if (written > before) {
    print_error("note: {} grew, from {} to {}{}\n", input.name(), before, counted(written, "byte"),
                named.empty() ? "; keep it as it is" : "; try: fpsynth compress auto");
  }
  summarize(arguments.verbose, before, written, true, start);
}

/// Sets the name of the output, if there is none, to that of the input without its suffix.
void assign_output(CompressArguments& arguments) {
  if (!arguments.output.empty()) return;
  constexpr std::string_view kSuffix = ".fps";
  const std::string& in = arguments.input;
  const std::string name = std::filesystem::path(in).filename().string();
  if (!name.ends_with(kSuffix) || name.size() == kSuffix.size()) {
    raise<UsageError>(
        "OUT is required, as the name of {} does not end with {}\n"
        "fpsynth decompress --help explains it",
        in == "-" ? "standard input" : in, kSuffix);
  }
  arguments.output = in.substr(0, in.size() - kSuffix.size());
}

void decompress(CompressArguments& arguments) {
  const auto start = Clock::now();
  assign_output(arguments);
  codec::refuse_same_file(arguments.input, arguments.output);
  const auto device = gpu(arguments);
  const auto sink = codec::open_sink(arguments.output, arguments.force);
  const codec::Input input = codec::Input::open(arguments.input, codec::check_beginning);
  const std::uint64_t original = while_unchanged(input, [&] {
    const std::string& as = arguments.form;
    const Form form = as.empty() ? Form::Original : as == kNpy ? Form::Npy : Form::Raw;
    RestoringSink restored(*sink, input.bytes(), input.name(), form);
    const std::uint64_t words = decode_parts(
        restored.container(), input.name(), arguments.threads, arguments.any_size,
        [&](const codec::SectionView& part, const codec::CodecOptions& options) {
          return run_on(
              codec::is_compact(part.container) || codec::has_sections(part.container)
                  ? std::nullopt
                  : device,
              arguments,
              [&](const device::DeviceInfo& gpu) {
                return codec::decompress_cuda(part.container, part.name, restored, gpu, options);
              },
              [&] { return codec::decompress(part.container, part.name, restored, options); });
        });
    restored.finish();
    return restored.head_bytes() + words;
  });
  sink->finish();
  summarize(arguments.verbose, original, input.bytes().size(), false, start);
}

}  // namespace

void add_compress(Command app) {
  Command command = app.add_subcommand("compress", "Compress a file with a pipeline");
  auto arguments = std::make_shared<CompressArguments>();
  command.add_option(
      "PIPELINE", arguments->pipeline,
      "1 to 8 component names, the last a reducer such as ZE or RLE, with | where words become "
      "bytes, behind a prelude of up to 5 steps on all of IN and a / if there is one; or an id "
      "that a query prints for a search of the usual space; or auto: the best for IN, which is "
      "searched for");
  command.add_option(
      "IN", arguments->input,
      "File to compress, or FILE:VARIABLE of an HDF5, netCDF, FITS, Zarr or safetensors file; - is "
      "standard input");
  command.add_option("OUT", arguments->output,
                     "File to write; - is standard output, written when all is done");
  add_best(command, arguments->best);
  add_auto(command, arguments->automatic);
  add_sections(command, arguments->sections);
  add_chunk_words(command, arguments->chunk_words);
  command.add_flag("--compact", arguments->compact,
                   "With shorter headers, if IN has at most 1 MiB, as auto always does; not for "
                   "generated codecs");
  add_type(command, arguments->type);
  add_byte_order(command, arguments->type);
  add_shape(command, arguments->type, "; kept for decompress --as npy");
  add_common(command, *arguments);
  command.footer(
      "Examples:\n"
      "  fpsynth compress \"LNV6s BIT LNV1s ZE\" plasma.f64 plasma.fps\n"
      "  fpsynth compress auto plasma.f64 plasma.fps\n"
      "  fpsynth compress \"LAGx:18200 / LNV1s ZE | RLE\" plasma.f64 plasma.fps\n"
      "  fpsynth compress --best num_plasma --runs results/runs/plasma new.f64 new.fps\n"
      "  fpsynth compress \"LNV2s LNV2s | DIM8 RLE\" plasma.f32 plasma.fps\n"
      "  fpsynth compress \"LNV2s LNV2s | DIM8 RLE\" plasma.bin plasma.fps --type f32\n"
      "  fpsynth compress auto ocean.nc:temperature temperature.fps\n"
      "  fpsynth compress ZE field.npy field.npy.fps\n"
      "  fpsynth compress ZE field.bin field.fps --type f32 --endian big --shape 100x200\n"
      "  fpsynth compress \"LNV6s BIT LNV1s ZE\" huge.f64 huge.fps --backend cuda --device 1\n"
      "  simulate | fpsynth compress \"LNV2s LNV2s LNV2x | ZE\" - - --type f64 | ssh host 'cat > "
      "out.fps'\n"
      "\n"
      "Raw words and .npy files are restored to the byte: the type only decides which words the\n"
      "components see, and so the ratio. Type, shape, byte order and name of .npy arrays and of\n"
      "variables, and those that are given for raw words, are kept. Other formats are refused.\n"
      "auto looks for preludes that suit IN, searches pipelines of three stages of all components\n"
      "behind the best of them on samples, and with several lengths of chunks what grows from the\n"
      "best, tries the best methods on all of IN, decodes what the winner makes of it and "
      "compares,\n"
      "and says which it is. --effort thorough races all pipelines of four stages, too. With\n"
      "--no-preludes, it needs little memory. --best takes the winner of an earlier search in the\n"
      "precision of IN.\n"
      "Steps of a prelude: LAGs:L and LAGx:L, difference from or XOR with the word L before; ORD, "
      "an\n"
      "order of floats as integers; DICT, ranks among the distinct values; DEC:D, decimals of D\n"
      "digits as integers; SIG:D, numbers of D significant digits, 0 singles in decimal; RAT:B:M1\n"
      "and more M, in each B words fractions of one denominator M as integers; DIM:N, in rows of "
      "N\n"
      "words all first words, then all second ones and so on; GCD:B, in each B words integers\n"
      "divided by what divides all; LPC:B, in each B words integers less what 16 words before\n"
      "them predict; MATCH, copies of earlier words taken out; REV:R, those of records of R words\n"
      "in the opposite order. IN is then held in memory.\n"
      "Input from a pipe is first copied to a temporary file in $TMPDIR (or /tmp), as are more\n"
      "than 64 MiB of output to a pipe. OUT appears when it is complete, or not at all.");
  command.callback([arguments] { compress(*arguments); });
}

void add_decompress(Command app) {
  Command command = app.add_subcommand("decompress", "Restore a file written by compress");
  auto arguments = std::make_shared<CompressArguments>();
  command.add_option("IN", arguments->input, "File to decompress; - is standard input").required();
  command.add_option("OUT", arguments->output,
                     "File to write; - is standard output; IN without .fps if left out");
  command
      .add_option("--as", arguments->form,
                  "npy: values with their type and shape; raw: the values alone; if left out, what "
                  "was compressed, to the byte, and npy for a variable of another file")
      .one_of({kNpy, kRaw});
  add_any_size(command, arguments->any_size);
  add_common(command, *arguments);
  command.footer(
      "Examples:\n"
      "  fpsynth decompress plasma.fps plasma.f64\n"
      "  fpsynth decompress plasma.f64.fps\n"
      "  fpsynth decompress huge.fps huge.f64 --backend auto\n"
      "  fpsynth decompress plasma.fps - | head -c 80 | od -t f8\n"
      "  fpsynth decompress temperature.fps temperature.npy\n"
      "  fpsynth decompress field.npy.fps field.f64 --as raw\n"
      "\n"
      "OUT appears when its checksum has been verified, or not at all. On standard output, pipes\n"
      "and devices, bytes are written as they are decoded: if the file proves to be damaged,\n"
      "wrong bytes may have been written; the exit status is 0 only if all of them are right.");
  command.callback([arguments] { decompress(*arguments); });
}

}  // namespace fpsynth::cli
