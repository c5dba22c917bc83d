// fpsynth search: every pipeline of a space on every data set of a study.

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/document_file.hpp"
#include "results/documents/study.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/search/dry_run.hpp"
#include "runners/cli/studies.hpp"
#include "runners/cluster/shards.hpp"
#include "runners/data/hdf5_chunks.hpp"
#include "runners/data/study.hpp"
#include "runners/device/device.hpp"
#include "runners/search/preludes.hpp"
#include "runners/search/race/race.hpp"
#include "runners/study/data_sets.hpp"
#include "runners/study/study_run.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/directory_lock.hpp"
#include "synth/common/ending_signals.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"
#include "synth/plan.hpp"

namespace fpsynth::cli {
namespace {

/// The options of a race, as they are given.
struct RaceArguments {
  std::string strategy = "exhaustive";
  std::optional<double> margin, risk;
  std::optional<std::uint64_t> seed, first_chunks;

  bool race() const { return strategy == "race"; }
  /// Throws UsageError for options without a race, and for values that none can have.
  search::RaceOptions options() const {
    search::RaceOptions options;
    if (!race()) {
      if (margin || risk || seed || first_chunks) {
        throw UsageError(
            "--margin, --risk, --seed and --round-chunks are of a race; add --strategy race, or "
            "leave them out");
      }
      return options;
    }
    options.margin = margin.value_or(options.margin);
    options.risk = risk.value_or(options.risk);
    options.seed = seed.value_or(options.seed);
    options.first_chunks = first_chunks.value_or(options.first_chunks);
    options.check();
    return options;
  }
};

struct SearchArguments : StudyArguments {
  std::string space, verify, out, backend = "auto", device = "all";
  std::optional<std::string> shard, preludes, hdf5_chunk;
  search::PreludeOptions prelude_options;
  std::optional<unsigned> stages;
  std::optional<std::uint64_t> shards;
  RaceArguments race;
  int threads = 0;
  double checkpoint_seconds = 60;
  std::uint64_t sample = 1;
  bool resume = false, dry_run = false, json = false, no_merge = false, skip_missing = false;
};

/// The lock's owner, as others that want the same directory see it.
constexpr std::string_view kLockedFor = "fpsynth search";
/// As --hdf5-chunk: those that the file has.
constexpr std::string_view kChunksOfFile = "file";

std::atomic<bool> interrupted = false;
volatile std::sig_atomic_t interrupted_by = 0;

/// The first SIGINT, SIGTERM or SIGHUP ends the search after the chunks that are being processed. A
/// second SIGINT or SIGTERM ends the program; further SIGHUPs of the same lost terminal do not.
void on_interrupt(int signal) {
  interrupted_by = signal;
  interrupted = true;
  end_on_next_interrupt();
}

/// The shard that is to be searched, if not all. Throws UsageError.
std::optional<cluster::Shard> shard_of(const SearchArguments& arguments, const data::Study& study) {
  if (!arguments.shard) return std::nullopt;
  const cluster::Shard shard = cluster::Shard::parse(*arguments.shard);
  if (search::Verification::parse(study.verify).kind == search::Verification::Kind::Top) {
    throw UsageError(fmt::format(
        "shard {} with verification {}: the best are known when all shards are merged; shards take "
        "--verify all or none",
        shard.text(), study.verify));
  }
  if (arguments.dry_run) {
    throw UsageError("--dry-run is of the whole study; leave --shard out");
  }
  if (cluster_ranks()) {
    throw UsageError("fpsynth-mpi divides the chunks among its ranks itself; leave --shard out");
  }
  return shard;
}

/// The directory of the results: that of a shard is one of several in the same directory.
std::filesystem::path directory_of(const SearchArguments& arguments, const data::Study& study,
                                   const std::optional<cluster::Shard>& shard) {
  const std::filesystem::path runs = "results/runs";
  const std::filesystem::path usual = arguments.study.empty() ? runs : runs / study.name;
  std::filesystem::path directory = arguments.out;
  if (arguments.out.empty()) directory = shard ? usual / "parts" : usual;
  return shard ? directory / shard->directory_name() : directory;
}

/// The space of the study, or the paper's, with as many stages as are asked for.
synth::Space space_of(const SearchArguments& arguments, const data::Study& study) {
  synth::Space space = study.space.value_or(synth::Space::paper());
  if (arguments.stages) {
    space.stages = *arguments.stages;
    space.cuts.clear();
    for (unsigned cut = 0; cut <= space.stages; ++cut) space.cuts.push_back(cut);
  }
  space.validate();
  return space;
}

/// The engine for the chosen GPUs, or those of them that are for this rank, or the CPU.
search::EngineFactory engine_of(const SearchArguments& arguments) {
  std::string own = arguments.device;
  const auto* const ranks = cluster_ranks();
  if (ranks && arguments.backend != "cpu") {  // before any is opened: others are other ranks'
    const std::vector<int> listed = device::listed_devices(arguments.device);
    if (!listed.empty()) own = study::devices_of_rank(listed, ranks->place());
  }
  std::vector<device::DeviceInfo> devices;
  if (device::parse_backend(arguments.backend, own) == device::Backend::Cuda) {
    devices = device::parse_devices(own);
  }
  return study::engine_on(devices, arguments.backend == "auto", arguments.threads,
                          !arguments.no_merge);
}

/// The command that was typed, but with preludes and another directory.
std::string command_with_preludes(const std::filesystem::path& directory) {
  const std::string beside = (directory / "").parent_path().string() + "-preludes";
  std::string command =
      fmt::format("{} search --preludes auto --out {}", study::program_word(), shell_word(beside));
  const std::span<char* const> typed = typed_words().subspan(2);  // behind the command's name
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const std::string_view word = typed[i];
    const bool replaced = word.starts_with("--out") || word.starts_with("--preludes");
    if (replaced && word.find('=') == word.npos) ++i;
    if (!replaced && word != "--resume") command += " " + shell_word(word);
  }
  return command;
}

/// Which preludes are to be tried. Throws UsageError if one does not suit the study's precisions.
synth::PreludeRequest request_of(const SearchArguments& arguments, const data::Study& study) {
  const synth::PreludeRequest request =
      arguments.preludes ? synth::PreludeRequest::parse(*arguments.preludes) : study.preludes;
  for (const synth::Precision precision : study.precisions) {
    request.check(synth::word_bytes(precision));
  }
  return request;
}

/// Sets the HDF5 chunks of the study. Throws UsageError.
void set_hdf5_chunk(data::Study& study, const SearchArguments& arguments) {
  if (!arguments.hdf5_chunk) return;
  study.hdf5_chunk.emplace();
  if (*arguments.hdf5_chunk == kChunksOfFile) return;
  study.hdf5_chunk = data::parse_extents("--hdf5-chunk", *arguments.hdf5_chunk);
}

/// Throws UsageError for options of a dry run that do not go together.
void check_shards(const SearchArguments& arguments) {
  if (arguments.shards && !arguments.dry_run) {
    throw UsageError("--shards is for --dry-run; --shard K/N searches one of them");
  }
  if (arguments.shards && arguments.race.race()) {
    throw UsageError(
        "--shards is for exhaustive searches; a dry run of a race says what one machine would "
        "take");
  }
}

/// Throws Error if a directory cannot be written to, or made where it is to be.
void check_writable(const std::filesystem::path& directory) {
  std::filesystem::path there = std::filesystem::absolute(directory);
  while (::access(there.c_str(), F_OK) != 0 && errno == ENOENT && there != there.root_path()) {
    there = there.parent_path();
  }
  if (::access((there / "").c_str(), W_OK | X_OK) == 0) return;
  throw Error(fmt::format("cannot write to {}: {}", directory.string(),
                          reason_and_advice(errno, "write elsewhere with --out")));
}

/// Searches, or prints what a search would take. Chooses the threads if they are 0.
void run_search(SearchArguments& arguments) {
  check_shards(arguments);
  const search::RaceOptions race = arguments.race.options();
  data::Study study = study_of(arguments, "search");
  if (!arguments.verify.empty()) study.verify = arguments.verify;
  set_hdf5_chunk(study, arguments);
  if (!arguments.space.empty())
    study.space = data::read_space(config_file(arguments.space, "spaces"));
  const std::optional<cluster::Shard> shard = shard_of(arguments, study);
  cluster::Ranks* const ranks = cluster_ranks();
  if (!ranks && !shard) study::refuse_other_ranks();
  const bool writes = !ranks || ranks->rank() == 0;
  if (arguments.threads == 0) arguments.threads = study::threads_by_default(ranks);
  const std::filesystem::path directory = directory_of(arguments, study, shard);
  std::error_code error;
  std::optional<DirectoryLock> lock;
  // The lock is acquired before the data are read, which may take long. A new directory is created
  // only after the data are known to be good. A dry run gives it back before it measures.
  if (writes && std::filesystem::is_directory(directory, error)) {
    lock.emplace(directory, kLockedFor);
  }
  if (arguments.skip_missing) study::leave_out_missing(study);
  const synth::Space space = space_of(arguments, study);
  const std::vector<results::PlannedDocument> documents =
      study::check_data(study, arguments.sample, space.chunk_words);
  const search::Verification verification = search::Verification::parse(study.verify);
  arguments.prelude_options.request = request_of(arguments, study);
  const search::EngineFactory engine = engine_of(arguments);
  std::optional<synth::Plan> plan;  // a race has none of the whole space, and a dry run needs none
  if (!arguments.race.race() && !arguments.dry_run) plan.emplace(space);
  if (writes && !arguments.dry_run) {
    create_folder(directory, "check the path and its permissions, or write elsewhere");
  }
  if (writes && !arguments.dry_run && !lock) lock.emplace(directory, kLockedFor);
  results::StudyIdentity identity = {.name = study.name,
                                     .space = space,
                                     .precisions = study.precisions,
                                     .verification = verification.text(),
                                     .sample = arguments.sample,
                                     .preludes = arguments.prelude_options.text()};
  if (arguments.race.race()) identity.strategy = race.text();
  if (study.hdf5_chunk) {
    identity.hdf5_chunk = study.hdf5_chunk->empty() ? std::string(kChunksOfFile)
                                                    : results::extents_text(*study.hdf5_chunk);
  }
  if (shard) {
    identity.shard = shard->text();
    identity.documents = documents;
    std::ranges::sort(identity.documents);
  }
  if (writes && arguments.dry_run) {
    check_writable(directory);
    results::check_study_directory(directory, identity);
    if (!arguments.resume) study::refuse_earlier(directory, documents);
  } else if (writes) {
    results::ensure_study_directory(directory, identity);
  }
  for (const data::StudyItem& item : study.items) {
    for (const synth::Precision precision : study.precisions) {
      check_length_of_name(results::document_path(directory, item.name, precision));
    }
  }
  if (arguments.dry_run) {
    // Nothing is shared, and ranks of a node would disturb each other's timing.
    if (!writes) return;
    lock.reset();
    const DryRun of{study,
                    space,
                    verification,
                    arguments.prelude_options,
                    arguments.sample,
                    engine,
                    arguments.race.race() ? &race : nullptr,
                    arguments.shards.value_or(0)};
    return dry_run(of, arguments.json);
  }
  interrupted = false;
  on_interrupt_call(on_interrupt);
  // The documents contain what is printed, so a search continues without a reader of its output;
  // the error is reported at the end.
  std::signal(SIGPIPE, SIG_IGN);
  // mpirun passes SIGUSR1 on to the ranks, and ends them within a second of a SIGTERM.
  if (ranks) std::signal(SIGUSR1, on_interrupt);
  search::SearchOptions options;
  options.engine = engine;
  options.threads = arguments.threads;
  options.verification = verification;
  options.sample = arguments.sample;
  options.checkpoint_seconds = arguments.checkpoint_seconds;
  options.stop = &interrupted;
  options.peers = ranks;
  // They are of all words together.
  const bool promises = !shard && !arguments.json && !study.hdf5_chunk &&
                        identity.preludes == search::PreludeOptions().text();
  const study::StudyRun run{.study = study,
                            .space = space,
                            .plan = plan ? &*plan : nullptr,
                            .race = race,
                            .preludes = arguments.prelude_options,
                            .ranks = ranks,
                            .options = options,
                            .directory = directory,
                            .resume = arguments.resume,
                            .json = arguments.json,
                            .promises = promises};
  if (ranks) study::refuse_other_work(*ranks, identity, documents);
  const study::StudyEnd end = study::run_study(run, documents, shard);
  if (!writes) return;
  if (!end.complete) {
    throw Interrupted(
        fmt::format("interrupted; {} holds the results so far; continue with --resume",
                    directory.string()),
        interrupted_by ? interrupted_by : SIGTERM);
  }
  if (shard) results::mark_finished(directory);
  study::print_end(directory, end.failures, arguments.json, shard);
  if (end.promise.times > study::kWorthSaying) {
    print_error("Preludes promise more: {}{}; with them: {}\n", end.promise.text,
                end.promises > 1 ? fmt::format(", and {} more", end.promises - 1) : "",
                command_with_preludes(directory));
  }
}

}  // namespace

void add_search(Command app) {
  auto arguments = std::make_shared<SearchArguments>();
  Command command = app.add_subcommand(
      "search", "Run every pipeline of a space on data sets and rank them by compression ratio");
  command.group("Data");
  add_study_options(command, *arguments);
  command.add_flag("--skip-missing", arguments->skip_missing,
                   "Leave out the study's described data sets that are not in the data folder");
  add_shape(command, arguments->type, "; for --hdf5-chunk");
  command
      .add_option(
          "--hdf5-chunk", arguments->hdf5_chunk,
          "Search within the chunks in which HDF5 stores the array, as its filter sees them: "
          "extents such as 64x256, or file for those of the file")
      .value_name("EXTENTS");
  command.add_option("--sample", arguments->sample, "Search every N-th chunk only")
      .range(std::uint64_t{1}, std::uint64_t{1} << 40);
  command.group("Space");
  command.add_option(
      "--space", arguments->space,
      "File that describes the space, or the name of one that comes with fpsynth, such as "
      "wide, in place of the study's or the paper's");
  command
      .add_option("--stages", arguments->stages,
                  "Stages of the space's pipelines, with every cut, in place of what it says")
      .range(1U, unsigned(synth::kMaxStages));
  command
      .add_option("--strategy", arguments->race.strategy,
                  "exhaustive: all pipelines on all chunks; race: all on a few chunks drawn at "
                  "random, those that may be the best on more and more of them, the last ones on "
                  "all, verified")
      .one_of({"exhaustive", "race"})
      .show_default();
  command.group("Race (--strategy race)");
  command
      .add_option("--margin", arguments->race.margin,
                  "A pipeline leaves when it cannot be smaller than the best so far by more "
                  "than this share of it; default: 0.0001")
      .value_name("SHARE");
  command
      .add_option("--risk", arguments->race.risk,
                  "The probability that a pipeline leaves although it is smaller by more, "
                  "above 0 and below 0.5; default: 0.01")
      .value_name("PROBABILITY");
  command
      .add_option("--seed", arguments->race.seed, "Seed of the chunks that are drawn; default: 1")
      .range(std::uint64_t{0}, std::uint64_t{1} << 53);
  command
      .add_option("--round-chunks", arguments->race.first_chunks,
                  "Chunks of the first round, each later one has twice as many; "
                  "default: 8")
      .range(std::uint64_t{2}, std::uint64_t{4096});
  command.group("Preludes");
  command.add_option(
      "--preludes", arguments->preludes,
      "Preludes to put in front of the pipelines, too: auto (those that the data "
      "suggest), none, or a list such as \"LAGx:18200, DICT LAGs:2401\"; if left out, "
      "what the study says, or none");
  command
      .add_option("--prelude-candidates", arguments->prelude_options.candidates,
                  "--preludes auto: how many the data may suggest")
      .range(std::uint64_t{1}, search::PreludeOptions::kMostCandidates)
      .show_default();
  command
      .add_option("--prelude-finalists", arguments->prelude_options.finalists,
                  "--preludes: how many, the best on a sample, are searched on all chunks")
      .range(std::uint64_t{1}, search::PreludeOptions::kMostFinalists)
      .show_default();
  command.group("Execution");
  command.add_option("--verify", arguments->verify,
                     "all (default): decode every stage and compare; top=K: compress and "
                     "decompress with the K best; none");
  command
      .add_option("--backend", arguments->backend,
                  "cpu, cuda, or auto: GPUs if there are any. The results are the same")
      .show_default();
  command.add_option("--device", arguments->device, "GPUs that share the work: all, or as in 0,2")
      .show_default();
  command.add_threads(arguments->threads, "Threads; default: all processors");
  command.add_flag(
      "--no-merge", arguments->no_merge,
      "With --verify none and top=K: also count the successors of equal blocks each on "
      "its own. The results are the same");
  command.group("Results");
  command
      .add_option("--out", arguments->out,
                  "Directory for the results; default: results/runs, or results/runs/STUDY; with "
                  "--shard, for the directories of all shards, and parts/ in the default one")
      .check([](const std::string& name) {
        return name.empty() ? "an empty name; omit --out for the default" : std::string();
      });
  command.add_flag("--resume", arguments->resume, "Continue the search that the directory holds");
  command
      .add_option("--checkpoint", arguments->checkpoint_seconds,
                  "Save the results so far this often")
      .range(0.1, 1e6, "SECONDS")
      .show_default();
  command.add_flag("--json", arguments->json,
                   "One JSON object per data set on standard output; with --dry-run, one in all");
  command.group("Parts and plans");
  command
      .add_option("--shard", arguments->shard,
                  "Search only the K-th of N equal shares of the chunks of every data set and "
                  "precision; auto/N: the share of this task of a Slurm array job. `fpsynth merge` "
                  "makes the results of all shares those of the whole")
      .value_name("K/N");
  command.add_flag("--dry-run", arguments->dry_run,
                   "Print the size of the space and an estimate of the time, and stop");
  command
      .add_option("--shards", arguments->shards,
                  "With --dry-run: how long the longest of so many shards takes on a machine like "
                  "this one, and to merge them")
      .range(std::uint64_t{1}, cluster::Shard::kMost);
  command.footer(
      "Examples:\n"
      "  fpsynth search field.f64 --precision both\n"
      "  fpsynth search field.bin --type f32\n"
      "  fpsynth search --study mini --out results/runs/mini\n"
      "  fpsynth search field.f64 --space wide --sample 16 --dry-run\n"
      "  fpsynth search --study fpc --backend cuda --device 0,1\n"
      "  fpsynth search big.f64 --sample 100 --verify none --dry-run\n"
      "  fpsynth search big.f64 --dry-run --shards 64\n"
      "  fpsynth search grid.npy --preludes auto\n"
      "  fpsynth search grid.f32 --preludes \"LAGs:2401, DICT LAGs:2401\"\n"
      "  fpsynth search run.h5:/step7/velocity --hdf5-chunk file --preludes auto\n"
      "  fpsynth search big.f64 --shard 3/64 --out parts\n"
      "  fpsynth search field.f64 --stages 6 --strategy race --out results/runs/six\n"
      "With preludes, candidates are tried on about 64 chunks of what they make of the data, then "
      "the\n"
      "best of them and none on all; each is undone and compared with the data, which are held in\n"
      "memory once for each.\n"
      "Ctrl-C keeps the results so far in the directory; --resume continues the search.");
  command.callback([arguments] { run_search(*arguments); });
}

}  // namespace fpsynth::cli
