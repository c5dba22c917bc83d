// fpsynth bench pipelines: how fast pipelines compress and decompress on this machine.

#include "runners/cli/bench/bench_pipelines.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "results/documents/fields.hpp"
#include "results/documents/runs.hpp"
#include "results/queries/queries.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/baselines/baseline.hpp"
#include "runners/baselines/mpc/compressor.hpp"
#include "runners/cli/studies.hpp"
#include "runners/codec/codec.hpp"
#include "runners/timing/backend.hpp"
#include "runners/timing/measure.hpp"
#include "synth/common/directory_lock.hpp"
#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::cli {
namespace {

using results::ThroughputDocument;
using results::ThroughputRow;
using timing::Backend;
using timing::TimedInput;
using timing::Variant;

std::uint64_t least_bytes(const PipelinesArguments& arguments, const Backend& backend) {
  return arguments.bytes > 0 ? arguments.bytes : timing::default_input_bytes(backend.cache_bytes);
}

/// The conditions under which a data set will be timed.
results::ThroughputRun run_of(const PipelinesArguments& arguments, const PipelinesJob& job,
                              const Backend& backend) {
  const timing::TimedSize size =
      timing::timed_size(job.data.bytes, job.data.precision, least_bytes(arguments, backend));
  return {.program_version = synth::kVersion,
          .commit = synth::kCommit,
          .compiler = synth::kCompiler,
          .backend = backend.name,
          .device = backend.device,
          .instruction_set = backend.instruction_set,
          .threads = backend.threads,
          .repetitions = static_cast<std::uint64_t>(arguments.repetitions),
          .input_bytes = size.bytes,
          .copies = size.copies,
          .cache_bytes = backend.cache_bytes};
}

/// Times one data set on one backend.
struct Bench {
  const PipelinesArguments& arguments;
  const PipelinesJob& job;
  const Backend& backend;
  const TimedInput& input;
  const study::ProgressLine& line;
  std::string label;
  ThroughputDocument document = {job.data, run_of(arguments, job, backend), {}, backend.notes};

  ThroughputDocument run() {
    for (const std::uint64_t threads : {std::uint64_t{1}, backend.threads}) {
      if (threads == 1 && !document.rows.empty()) continue;
      add(backend.copy_name, "copy", *backend.copy(threads), job.data.bytes).threads = threads;
    }
    for (const synth::Pipeline& pipeline : job.pipelines) {
      time_all(pipeline, synth::to_string(pipeline), "pipeline");
    }
    if (arguments.baselines && backend.gpu) baselines();
    return std::move(document);
  }

  void say(const std::string& doing) const { line.show(label + doing); }

  /// Times a codec on the input and adds its row, with the size of the data set's file.
  ThroughputRow& add(const std::string& name, const char* kind, timing::TimedCodec& codec,
                     std::uint64_t compressed_bytes) {
    ThroughputRow row =
        timing::measure(codec, name, input.bytes(), {.repetitions = arguments.repetitions},
                        [&](const std::string& doing) { say(name + ": " + doing); });
    row.kind = kind;
    row.original_bytes = job.data.bytes;
    row.compressed_bytes = compressed_bytes;
    return document.rows.emplace_back(std::move(row));
  }

  /// Times a pipeline with every variant of the backend. All must write the same bytes.
  void time_all(const synth::Pipeline& pipeline, const std::string& name, const char* kind) {
    std::optional<XXH128_hash_t> written;
    const std::uint64_t compressed_bytes =
        codec::compress(job.input.bytes(), pipeline, synth::word_bytes(job.data.precision)).size();
    for (const Variant& variant : backend.variants) {
      std::unique_ptr<timing::TimedCodec> codec;
      try {
        say(fmt::format("{}: {}", name, variant.how));
        codec = variant.make(pipeline, job.data.precision);
      } catch (const Error& error) {
        if (variant.how == "library") throw;
        note(fmt::format("{}: no {} code: {}", name, variant.how, error.what()));
        continue;
      }
      ThroughputRow& row = add(name, kind, *codec, compressed_bytes);
      row.pipeline = synth::to_string(pipeline);
      row.how = variant.how;
      row.version = variant.version;
      row.threads = variant.threads;
      const auto bytes = codec->compressed();
      const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
      if (written && !XXH128_isEqual(*written, hash)) {
        raise<timing::RoundTripError>(
            "{}: {} code on {} threads writes other bytes than the library; nothing was timed",
            name, variant.how, variant.threads);
      }
      written = hash;
    }
  }

  void note(const std::string& text) {
    if (std::ranges::find(document.notes, text) == document.notes.end()) {
      document.notes.push_back(text);
    }
  }

  /// The dimensionality that a baseline is told.
  unsigned dimensionality_of(const baselines::Baseline& baseline) {
    const std::string title = baseline.description().title;
    say(title + ": trying dimensionalities");
    const auto found =
        baseline.dimensionality(job.dimensionality, job.input.bytes(), job.data.precision);
    if (found.value > 0 && found.from != data::DimensionalityFrom::Data) {
      note(fmt::format("{} has dimensionality {}, {}", title, found.value,
                       text_of(found.from, "it")));
    }
    return found.value;
  }

  /// Times the papers' compressors on a GPU; MPC is a pipeline and timed as such.
  void baselines() {
    time_all(baselines::mpc_pipeline(dimensionality_of(*baselines::mpc_baseline())), "MPC",
             "baseline");
    for (const auto& baseline : baselines::all_baselines()) {
      const baselines::Description its = baseline->description();
      if (!its.device || its.title == "MPC") continue;
      if (!its.singles && job.data.precision == synth::Precision::Single) continue;
      for (const auto& timed :
           baseline->timed_on(*backend.gpu, job.data.precision, dimensionality_of(*baseline))) {
        const auto codec = timed.make();
        codec->compress(job.input.bytes());
        add(timed.name, "baseline", *codec, codec->compressed().size()).version =
            std::string("fpsynth ") + synth::kVersion;
      }
    }
  }
};

std::vector<Backend> backends_of(const PipelinesArguments& arguments) {
  std::vector<Backend> backends;
  const auto add = [&](Backend backend, std::string (*add_generated)(Backend&)) {
    const std::string why = arguments.no_generated ? "" : add_generated(backend);
    if (!why.empty()) print_error("fpsynth: {}\n", why);
    backends.push_back(std::move(backend));
  };
  if (arguments.backend != "cuda") {
    add(timing::cpu_backend(arguments.threads), timing::add_generated_code);
  }
  if (arguments.backend != "cpu") add(timing::cuda_backend(), timing::add_generated_kernels);
  return backends;
}

/// The differences that prevent measurements from sharing a document: "repetitions 3 and 2, ...".
std::string differences(const ThroughputDocument& held, const results::DataSet& data,
                        const results::ThroughputRun& run) {
  std::vector<std::string> texts;
  if (held.data.xxh3 != data.xxh3) {
    texts.push_back(fmt::format("data with checksum {} and {}", held.data.xxh3, data.xxh3));
  }
  const auto its = results::json_of(held.run), ours = results::json_of(run);
  for (const auto& [key, value] : its.items()) {
    if (value == ours[key]) continue;
    texts.push_back(fmt::format("{} {} and {}", key, json_text(value), json_text(ours[key])));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Throws Error if a study's directory has a document that measurements of a job would replace. The
/// message says what differs.
void refuse_to_replace(const PipelinesArguments& arguments, const PipelinesJob& job,
                       const Backend& backend) {
  const auto path =
      results::throughput_path(arguments.runs, job.data.name, job.data.precision, backend.name);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;
  const std::string different =
      differences(results::read_throughput(path), job.data, run_of(arguments, job, backend));
  if (different.empty()) return;
  raise(
      "{} holds measurements that cannot be combined with these ({}); repeat its conditions, move "
      "the file away, or replace it with --force",
      path.string(), different);
}

/// Writes a document into a study's directory. If one from the same device, program and input
/// exists, its rows are kept; any other document is replaced.
void put_beside_search(const std::filesystem::path& directory, ThroughputDocument& document) {
  const auto path = results::throughput_path(directory, document.data.name, document.data.precision,
                                             document.run.backend);
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    const ThroughputDocument held = results::read_throughput(path);
    if (held.run == document.run && held.data.xxh3 == document.data.xxh3) {
      for (const ThroughputRow& row : held.rows) {
        const bool again = std::ranges::any_of(document.rows, [&](const ThroughputRow& fresh) {
          return row.name == fresh.name && row.how == fresh.how && row.threads == fresh.threads;
        });
        if (!again) document.rows.push_back(row);
      }
    }
  }
  results::write_throughput(path, document);
}

void print(const std::vector<ThroughputDocument>& documents, const TableOutput& output) {
  if (!output.json)
    return put_tables(results::throughputs(documents, output.csv), output, "bench pipelines");
  std::string text;
  for (const ThroughputDocument& document : documents) {
    text += (text.empty() ? "[\n" : ",\n") + results::to_json(document);
  }
  fmt::print("{}]\n", text);
}

void run(const PipelinesArguments& arguments) {
  if (arguments.baselines && arguments.backend == "cpu") {
    throw UsageError(
        "--baselines times on a GPU (--backend cuda); on the CPU, use fpsynth compare");
  }
  std::optional<DirectoryLock> lock;
  if (std::error_code error; std::filesystem::is_directory(arguments.runs, error)) {
    lock.emplace(arguments.runs, "fpsynth bench pipelines");
  }
  const std::vector<PipelinesJob> jobs = pipelines_jobs(arguments);
  const std::vector<Backend> backends = backends_of(arguments);
  for (const PipelinesJob& job : jobs) {
    if (arguments.runs.empty() || arguments.force) break;
    for (const Backend& backend : backends) refuse_to_replace(arguments, job, backend);
  }
  std::vector<ThroughputDocument> documents;
  {
    const study::ProgressLine line;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      for (const Backend& backend : backends) {
        const TimedInput input(jobs[i].input.bytes(), jobs[i].data.precision,
                               least_bytes(arguments, backend));
        const std::string label =
            fmt::format("[{}/{}] {} {}: ", i + 1, jobs.size(), jobs[i].data.name,
                        synth::to_string(jobs[i].data.precision));
        documents.push_back(Bench{arguments, jobs[i], backend, input, line, label}.run());
        if (!arguments.runs.empty()) put_beside_search(arguments.runs, documents.back());
      }
    }
  }
  print(documents, arguments.output);
}

void add_data_options(Command command, PipelinesArguments& arguments) {
  command.add_option("--runs", arguments.runs,
                     "Directory of a search's results: the source of data sets and best pipelines; "
                     "the throughput documents are written there");
  command
      .add_option("--data", arguments.data,
                  "A data file to use instead of the search's, or a directory that holds the "
                  "search's files. May be given repeatedly")
      .one_value_a_time()
      .value_name("FILE|DIR");
  command.add_option("--study", arguments.study, "Study file whose data sets are used instead");
  command.add_option("--dataset", arguments.data_set, "Only this data set");
  add_type(command, arguments.type);
  add_reading(command, arguments.type);
  command
      .add_option("--precision", arguments.precision,
                  "What the values are converted to: double, single or both; all if left out")
      .one_of({"double", "single", "both"});
  command
      .add_option("--bytes", arguments.bytes,
                  "Least size of what is compressed in one timing, such as 512M; four "
                  "times the cache if left out. Smaller data sets are repeated")
      .sizes()
      .check([](const std::string& bytes) {
        return bytes == "0" ? std::string("must be at least 1") : std::string();
      });
}

}  // namespace

void add_bench_pipelines(Command bench) {
  auto arguments = std::make_shared<PipelinesArguments>();
  Command command = bench.add_subcommand(
      "pipelines", "How fast pipelines compress and decompress, from memory to memory");
  command.add_option("PIPELINE", arguments->pipelines,
                     "Pipelines, each in quotes: component names, | at the cut");
  command.add_option("--top", arguments->top, "The K best pipelines of each data set of a search")
      .value_name("K")
      .range(1, 100000);
  add_data_options(command, *arguments);
  command.add_option("--backend", arguments->backend, "cpu, cuda or both")
      .one_of({"cpu", "cuda", "both"})
      .show_default();
  command.add_threads(arguments->threads,
                      "Threads of the second timing; as many as OpenMP has if left out");
  command.add_option("--repetitions", arguments->repetitions, "Of each timing, after a warm-up")
      .range(1, 1000)
      .show_default();
  command.add_flag("--baselines", arguments->baselines,
                   "With --backend cuda or both, also MPC, GFC and Holt on the GPU");
  command.add_flag("--no-generated", arguments->no_generated,
                   "Only the library's codec, not the code that is generated for each pipeline");
  command.add_flag("--force", arguments->force,
                   "With --runs, replace measurements that differ in the device, the input, the "
                   "program, the repetitions or the threads");
  Option json =
      command.add_flag("--json", arguments->output.json, "Print the documents, as a JSON array");
  add_csv(command, arguments->output, json);
  command.footer(
      "Examples:\n"
      "  fpsynth bench pipelines \"LNV6s BIT LNV1s ZE\"\n"
      "  fpsynth bench pipelines \"LNV2s BIT LNV1s ZE\" --data plasma.f64 --backend cuda "
      "--baselines\n"
      "  fpsynth bench pipelines --top 10 --runs results/runs/plasma\n"
      "Without --runs, --data and --study, the 13 synthetic sets are compressed. Generated code is "
      "compiled\n"
      "by the system's C++ compiler, or what CXX names.");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace fpsynth::cli
