// fpsynth baseline: the papers' compressors on files, and the sweeps of their figures.

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runners/baselines/fpc/compressor.hpp"
#include "runners/baselines/gfc/device.hpp"
#include "runners/baselines/holt/device.hpp"
#include "runners/baselines/mpc/compressor.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/one_gpu.hpp"
#include "runners/cli/type_option.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/streams.hpp"
#include "runners/data/fpc/fcm_predictor.hpp"
#include "runners/data/fpc/fpc.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/error.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

using Bytes = std::span<const std::byte>;
using synth::Precision;

struct Arguments {
  std::string input, output, dimensionality = "auto";
  TypeOption type;
  unsigned table_bits = 20, instances = 1, chunks = 1000, gfc_dimensionality = 1;
  std::uint32_t chunk = 1024;
  baselines::HoltParameters holt;
  GpuChoice gpu;
  int threads = 0;
  bool force = false, verbose = false;
};

/// Writes OUT from IN; returns the number of bytes written.
using Work =
    std::function<std::uint64_t(const Arguments&, const codec::Input&, codec::PatchableSink&)>;

std::uint64_t put(codec::Sink& sink, Bytes bytes) {
  sink.write(bytes);
  return bytes.size();
}

void run(const Arguments& arguments, bool compressing, bool both_ratios, const Work& work,
         const codec::Input::Check& check = {}) {
  const auto start = Clock::now();
  codec::refuse_same_file(arguments.input, arguments.output);
  const auto sink = codec::open_patchable_sink(arguments.output, arguments.force);
  const codec::Input input =
      compressing ? open_bytes(arguments.input) : codec::Input::open(arguments.input, check);
  if (input.bytes().empty()) {
    throw Error(fmt::format("{} is empty; there is nothing to {}", input.name(),
                            compressing ? "compress" : "decompress"));
  }
  const std::uint64_t from = input.bytes().size();
  const std::uint64_t to = while_unchanged(input, [&] { return work(arguments, input, *sink); });
  sink->finish();
  if (!arguments.verbose && !::isatty(STDERR_FILENO)) return;
  const double seconds = seconds_since(start);
  const auto original = static_cast<double>(compressing ? from : to);
  const auto compressed = static_cast<double>(compressing ? to : from);
  std::string line =
      fmt::format("{} -> {}, ratio {:.3f}, ", from, counted(to, "byte"), original / compressed);
  if (both_ratios) line += fmt::format("compressed/original {:.3f}, ", compressed / original);
  print_error("{}{:.3f} s, {:.2f} GB/s\n", line, seconds, original / seconds / 1e9);
}

/// Refuses singles and trailing bytes, for formats that can hold neither.
Bytes doubles(const Arguments& arguments, const codec::Input& input, const char* format) {
  if (type_of(input, arguments.type) != Precision::Double) {
    throw Error(
        fmt::format("{} holds singles, and {} files hold doubles; read its bytes as doubles with "
                    "--type f64, or use another compressor",
                    input.name(), format));
  }
  if (const std::size_t tail = input.bytes().size() % 8; tail != 0) {
    throw Error(
        fmt::format("{}: its size of {} is not a whole number of doubles, and {} files hold "
                    "nothing else; cut off the last {}",
                    input.name(), counted(input.bytes().size(), "byte"), format,
                    by_count(tail, "byte", counted(tail, "byte"))));
  }
  return input.bytes();
}

void add_files(Command command, const std::shared_ptr<Arguments>& arguments, bool threads) {
  command.add_option("IN", arguments->input, "File to read; - is standard input").required();
  command.add_option("OUT", arguments->output, "File to write; - is standard output").required();
  if (threads) {
    command.add_threads(arguments->threads, "Threads to use; as many as OpenMP has if left out");
  }
  command.add_flag("--force", arguments->force, "Replace OUT if it exists");
  command.add_flag("--verbose", arguments->verbose,
                   "Print the summary line even if standard error is no terminal");
}

struct Pair {
  Command compress_command, decompress_command;
  std::shared_ptr<Arguments> compress = std::make_shared<Arguments>(),
                             decompress = std::make_shared<Arguments>();
};

/// How a baseline's commands and files differ from the others'.
struct Format {
  std::string name, suffix;
  bool threads = false;      ///< whether compress has --threads
  bool both_ratios = false;  ///< whether its paper reports compressed/original
  bool singles = false;      ///< whether it compresses singles too
  bool checksum = false;     ///< whether its files have a checksum
};

/// The compress and decompress commands of a baseline, without the special options of compress.
Pair add_pair(Command baseline, const Format& format, const std::string& example, Work compress,
              Work decompress) {
  Pair pair{.compress_command = baseline.add_subcommand("compress", "Compress a file"),
            .decompress_command = baseline.add_subcommand("decompress", "Restore a file")};
  const std::string call = "  fpsynth baseline " + format.name;
  const std::string unchecked =
      format.checksum
          ? std::string()
          : "\n\nThe format has no checksum: a damaged file may decode to wrong values without a "
            "message.\nKeep a checksum of your own beside it.";
  add_files(pair.compress_command, pair.compress, format.threads);
  if (format.singles) {
    add_type(pair.compress_command, pair.compress->type, "--precision");
  } else {
    add_type(pair.compress_command, pair.compress->type);
  }
  pair.compress_command.footer("Examples:\n" + call + " compress " + example + "\n  simulate |" +
                               call.substr(1) + " compress - - --type f64 > out." + format.suffix +
                               "\n\nOUT appears when it is complete, or not at all." + unchecked);
  pair.compress_command.callback(
      [=, arguments = pair.compress] { run(*arguments, true, format.both_ratios, compress); });

  add_files(pair.decompress_command, pair.decompress, format.threads || format.name == "pfpc");
  pair.decompress_command.footer("Examples:\n" + call + " decompress plasma." + format.suffix +
                                 " plasma.f64\n" + call + " decompress plasma." + format.suffix +
                                 " - | head -c 80 | od -t f8" + unchecked);
  pair.decompress_command.callback([=, arguments = pair.decompress] {
    const bool container = format.suffix == "fps";
    run(*arguments, false, format.both_ratios, decompress,
        container ? codec::parse_header : codec::Input::Check());
  });
  return pair;
}

/// Lets both commands of a pair run on a GPU.
void add_backend(Pair& pair) {
  add_gpu_choice(pair.compress_command, pair.compress->gpu);
  add_gpu_choice(pair.decompress_command, pair.decompress->gpu);
}

/// Prints how long the GPU took, with --verbose. Returns `bytes`.
std::vector<std::byte> report_times(std::vector<std::byte> bytes, const Arguments& arguments,
                                    const device::DeviceInfo& gpu,
                                    const baselines::DeviceTimes& times) {
  if (arguments.verbose) {
    print_error("{}: kernels {:.6f} s, copies to it {:.6f} s, from it {:.6f} s\n", gpu.name,
                times.kernel, times.to_device, times.to_host);
  }
  return bytes;
}

void add_table_bits(Pair& pair, unsigned usual) {
  pair.compress->table_bits = usual;
  pair.compress_command
      .add_option("--table-bits", pair.compress->table_bits,
                  "Two predictor tables of 2^P entries of 8 bytes")
      .value_name("P")
      .show_default()
      .range(data::kMinTableBits, data::kMaxTableBits);
}

Command add_one(Command baselines, const char* name, const char* help) {
  Command command = baselines.add_subcommand(name, help);
  command.require_subcommand();
  command.footer(
      fmt::format("fpsynth baseline {} COMMAND --help explains a command and shows "
                  "examples.",
                  name));
  return command;
}

void add_fpc(Command baselines) {
  Command command = add_one(baselines, "fpc", "FPC, as the 13 data sets are distributed (*.fpc)");
  Pair pair = add_pair(
      command, {.name = "fpc", .suffix = "fpc"}, "plasma.f64 plasma.fpc --table-bits 22",
      [](const Arguments& arguments, const codec::Input& input, codec::PatchableSink& sink) {
        return put(sink, data::encode_fpc(doubles(arguments, input, "FPC"), arguments.table_bits));
      },
      [](const Arguments&, const codec::Input& input, codec::PatchableSink& sink) {
        return put(sink, data::decode_fpc(input.bytes(), input.name()));
      });
  add_table_bits(pair, data::kFpcTableBits);
}

std::uint64_t pfpc_compress(const Arguments& arguments, const codec::Input& input,
                            codec::PatchableSink& sink) {
  Bytes left = doubles(arguments, input, "pFPC");
  baselines::PfpcEncoder encoder({arguments.table_bits, arguments.instances, arguments.chunk},
                                 left.size() / 8);
  std::uint64_t written = put(sink, encoder.header());
  while (!left.empty()) {
    const Bytes group = left.first(std::min(8 * baselines::kPfpcGroupValues, left.size()));
    for (const Bytes piece : encoder.encode(group)) written += put(sink, piece);
    left = left.subspan(group.size());
  }
  return written;
}

std::uint64_t pfpc_decompress(const Arguments& arguments, const codec::Input& input,
                              codec::PatchableSink& sink) {
  baselines::PfpcDecoder decoder(input.bytes(), input.name(), arguments.threads);
  std::uint64_t written = 0;
  std::vector<std::byte> group;
  while (const std::size_t values = decoder.next_values()) {
    group.resize(8 * values);
    decoder.decode(group.data());
    written += put(sink, group);
  }
  return written;
}

void add_pfpc(Command baselines) {
  Command command = add_one(baselines, "pfpc", "pFPC v1.0: FPC by several threads in turn");
  Pair pair = add_pair(command, {.name = "pfpc", .suffix = "pfpc"},
                       "plasma.f64 plasma.pfpc --table-bits 20 --instances 4 --chunk 1024",
                       pfpc_compress, pfpc_decompress);
  add_table_bits(pair, 20);
  pair.compress_command
      .add_option("--instances,--threads", pair.compress->instances,
                  "Instances of FPC that take turns; part of the format, and run by as "
                  "many threads as OpenMP has")
      .range(1u, baselines::kMaxPfpcThreads)
      .show_default();
  pair.compress_command.add_option("--chunk", pair.compress->chunk, "Values in a turn")
      .range(std::uint32_t{1}, ~std::uint32_t{0})
      .show_default();
  add_pfpc_sweep(command);
}

std::vector<std::byte> gfc_file(const Arguments& arguments, const codec::Input& input) {
  const Bytes values = doubles(arguments, input, "GFC");
  const auto gpu = gpu_of(arguments.gpu);
  if (!gpu) {
    return baselines::encode_gfc(values, arguments.chunks, arguments.gfc_dimensionality,
                                 arguments.threads);
  }
  const auto gfc = baselines::gfc_on(*gpu);
  return report_times(gfc->encode(values, arguments.chunks, arguments.gfc_dimensionality),
                      arguments, *gpu, gfc->times());
}

std::vector<std::byte> gfc_original(const Arguments& arguments, const codec::Input& input) {
  const auto gpu = gpu_of(arguments.gpu);
  if (!gpu) return baselines::decode_gfc(input.bytes(), input.name(), arguments.threads);
  const auto gfc = baselines::gfc_on(*gpu);
  return report_times(gfc->decode(input.bytes(), input.name()), arguments, *gpu, gfc->times());
}

void add_gfc(Command baselines) {
  Command command = add_one(baselines, "gfc", "GFC, designed for GPUs; runs on the CPU or a GPU");
  Pair pair = add_pair(
      command, {.name = "gfc", .suffix = "gfc", .threads = true},
      "plasma.f64 plasma.gfc --chunks 1000 --dim 2 --backend auto",
      [](const Arguments& arguments, const codec::Input& input, codec::PatchableSink& sink) {
        return put(sink, gfc_file(arguments, input));
      },
      [](const Arguments& arguments, const codec::Input& input, codec::PatchableSink& sink) {
        return put(sink, gfc_original(arguments, input));
      });
  add_backend(pair);
  pair.compress_command.add_option("--chunks", pair.compress->chunks, "Independent chunks")
      .range(1u, baselines::kMaxGfcChunks)
      .show_default();
  pair.compress_command
      .add_option("--dim", pair.compress->gfc_dimensionality, "Dimensionality of the data")
      .range(1u, baselines::kMaxGfcDimensionality)
      .show_default();
  add_gfc_sweep(command);
}

std::vector<std::byte> holt_file(const Arguments& arguments, const codec::Input& input) {
  const Precision type = type_of(input, arguments.type);
  const auto gpu = gpu_of(arguments.gpu);
  if (!gpu) {
    return baselines::encode_holt(input.bytes(), type, arguments.holt, arguments.threads);
  }
  const auto holt = baselines::holt_on(*gpu);
  return report_times(holt->encode(input.bytes(), type, arguments.holt), arguments, *gpu,
                      holt->times());
}

std::vector<std::byte> holt_original(const Arguments& arguments, const codec::Input& input) {
  const auto gpu = gpu_of(arguments.gpu);
  if (!gpu) return baselines::decode_holt(input.bytes(), input.name(), arguments.threads);
  const auto holt = baselines::holt_on(*gpu);
  return report_times(holt->decode(input.bytes(), input.name()), arguments, *gpu, holt->times());
}

void add_holt(Command baselines) {
  Command command = add_one(baselines, "holt", "Holt's linear exponential smoothing");
  Pair pair = add_pair(
      command,
      {.name = "holt",
       .suffix = "holt",
       .threads = true,
       .both_ratios = true,
       .singles = true,
       .checksum = true},
      "plasma.f32 plasma.holt --alpha 0.5 --beta 0.1 --backend auto",
      [](const Arguments& arguments, const codec::Input& input, codec::PatchableSink& sink) {
        return put(sink, holt_file(arguments, input));
      },
      [](const Arguments& arguments, const codec::Input& input, codec::PatchableSink& sink) {
        return put(sink, holt_original(arguments, input));
      });
  add_backend(pair);
  baselines::HoltParameters& holt = pair.compress->holt;
  pair.compress_command.add_option("--alpha", holt.alpha, "Smoothing of the level")
      .range(0.0, 1.0)
      .show_default();
  pair.compress_command.add_option("--beta", holt.beta, "Smoothing of the slope")
      .range(0.0, 1.0)
      .show_default();
  pair.compress_command.add_option("--run", holt.run, "Values in an independent run")
      .range(std::uint32_t{1}, baselines::kMaxHoltRun)
      .show_default();
  add_holt_sweep(command);
}

std::uint64_t mpc_compress(const Arguments& arguments, const codec::Input& input,
                           codec::PatchableSink& sink) {
  const Precision type = type_of(input, arguments.type);
  unsigned dimensionality = 0;
  if (arguments.dimensionality == "auto") {
    const auto sizes = baselines::mpc_sizes(input.bytes(), type, arguments.threads);
    dimensionality = baselines::mpc_best(sizes);
    const auto ratio = [&](unsigned d) {
      return static_cast<double>(input.bytes().size()) / static_cast<double>(sizes[d - 1]);
    };
    print_error("dimensionality {}: ratio {:.4f}, the best of 1 to {}; 1 has {:.4f}\n",
                dimensionality, ratio(dimensionality), baselines::kMaxMpcDimensionality, ratio(1));
  } else {
    dimensionality = static_cast<unsigned>(std::stoul(arguments.dimensionality));
  }
  codec::CodecOptions options;
  options.threads = arguments.threads;
  return codec::compress(input.bytes(), input.name(), baselines::mpc_pipeline(dimensionality),
                         synth::word_bytes(type), sink, options);
}

std::uint64_t mpc_decompress(const Arguments& arguments, const codec::Input& input,
                             codec::PatchableSink& sink) {
  baselines::check_mpc(codec::parse_header(input.bytes(), input.name()), input.name());
  codec::CodecOptions options;
  options.threads = arguments.threads;
  return codec::decompress(input.bytes(), input.name(), sink, options);
}

void add_mpc(Command baselines) {
  Command command = add_one(baselines, "mpc", "MPC: the pipeline LNVds BIT LNV1s ZE");
  Pair pair = add_pair(
      command, {.name = "mpc", .suffix = "fps", .threads = true, .singles = true, .checksum = true},
      "plasma.f64 plasma.fps --dim auto", mpc_compress, mpc_decompress);
  const auto dimensionality = [](const std::string& text) -> std::string {
    if (text == "auto" || is_in_range(text, 1, baselines::kMaxMpcDimensionality)) return {};
    return fmt::format("{} is neither 1 to {} nor auto", text, baselines::kMaxMpcDimensionality);
  };
  pair.compress_command
      .add_option("--dim", pair.compress->dimensionality,
                  "Dimensionality, 1 to 64, or auto: measure all 64, use the best, report it")
      .check(dimensionality, "1..64|auto")
      .show_default();
}

}  // namespace

void add_baseline(Command app) {
  Command command =
      app.add_subcommand("baseline", "The papers' compressors: GFC, pFPC, FPC, Holt, MPC");
  command.require_subcommand();
  command.footer(
      "Examples:\n"
      "  fpsynth baseline gfc compress --chunks 1000 --dim 2 plasma.f64 plasma.gfc\n"
      "  fpsynth baseline mpc compress --dim auto plasma.f64 plasma.fps\n"
      "  fpsynth baseline pfpc decompress plasma.pfpc plasma.f64\n"
      "  fpsynth baseline pfpc sweep num_plasma.trace.fpc --csv > figures.csv\n"
      "\n"
      "compress and decompress use files as they are; sweep decodes *.fpc first. FPC, pFPC and "
      "GFC\n"
      "files have no checksum.\n"
      "fpsynth baseline NAME COMMAND --help explains a command.");
  add_fpc(command);
  add_pfpc(command);
  add_gfc(command);
  add_holt(command);
  add_mpc(command);
}

}  // namespace fpsynth::cli
