// fpsynth search: every pipeline of a space on every data set of a study.

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/document_file.hpp"
#include "results/documents/study.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/search/arguments.hpp"
#include "runners/cli/search/dry_run.hpp"
#include "runners/cli/studies.hpp"
#include "runners/cluster/shards/shard.hpp"
#include "runners/data/hdf5_chunks.hpp"
#include "runners/data/study.hpp"
#include "runners/device/device.hpp"
#include "runners/search/prelude_search.hpp"
#include "runners/study/choice.hpp"
#include "runners/study/document_run.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/directory_lock.hpp"
#include "synth/common/ending_signals.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"
#include "synth/plan.hpp"

namespace fpsynth::cli {
namespace {

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

}  // namespace

search::RaceOptions RaceArguments::options() const {
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
  if (!ranks && !shard && !arguments.dry_run) study::refuse_other_ranks();
  const bool writes = !ranks || ranks->rank() == 0;
  if (arguments.threads == 0) arguments.threads = study::threads_by_default(ranks);
  const std::filesystem::path directory = directory_of(arguments, study, shard);
  std::error_code error;
  std::optional<DirectoryLock> lock;
  // The lock is acquired before the data are read, which may take long. A new directory is created
  // only after the data are known to be good.
  if (writes && !arguments.dry_run && std::filesystem::is_directory(directory, error)) {
    lock.emplace(directory, kLockedFor);
  }
  if (arguments.skip_missing) study::leave_out_missing(study);
  const synth::Space space = space_of(arguments, study);
  const std::vector<results::PlannedDocument> documents =
      study::check_data(study, arguments.sample, space.chunk_words);
  const search::Verification verification = search::Verification::parse(study.verify);
  arguments.prelude_options.request = request_of(arguments, study);
  const search::EngineFactory engine = engine_of(arguments);
  if (arguments.dry_run) {
    // Nothing is shared, and ranks of a node would disturb each other's timing.
    if (!writes) return;
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

  std::optional<synth::Plan> plan;  // a race has none of the whole space
  if (!arguments.race.race()) plan.emplace(space);
  if (writes) results::make_study_directory(directory);
  if (writes && !lock) lock.emplace(directory, kLockedFor);
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
  if (writes) results::ensure_study_directory(directory, identity);
  for (const data::StudyItem& item : study.items) {
    for (const synth::Precision precision : study.precisions) {
      check_length_of_name(results::document_path(directory, item.name, precision));
    }
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
  const study::StudyRun run{.study = study,
                            .space = space,
                            .plan = plan ? &*plan : nullptr,
                            .race = race,
                            .preludes = arguments.prelude_options,
                            .ranks = ranks,
                            .options = options,
                            .directory = directory,
                            .resume = arguments.resume,
                            .json = arguments.json};
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
  // The promise is of all words together.
  const bool could_have = identity.preludes == search::PreludeOptions().text() && !study.hdf5_chunk;
  if (shard || arguments.json || !could_have) return;
  if (const std::string promise = study::promise_of_preludes(study, directory); !promise.empty()) {
    print_error("Preludes promise more: {}; with them: {}\n", promise,
                command_with_preludes(directory));
  }
}

}  // namespace fpsynth::cli
