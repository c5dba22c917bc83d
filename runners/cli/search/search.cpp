// fpsynth search: every pipeline of a space on every data set of a study.

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/document_file.hpp"
#include "results/documents/study.hpp"
#include "runners/cli/search/dry_run.hpp"
#include "runners/cli/search/search_arguments.hpp"
#include "runners/study/data_sets.hpp"
#include "runners/study/study_run.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/directory_lock.hpp"
#include "synth/common/ending_signals.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"
#include "synth/plan.hpp"

namespace fpsynth::cli {
namespace {

/// The lock's owner, as others that want the same directory see it.
constexpr std::string_view kLockedFor = "fpsynth search";

std::atomic<bool> interrupted = false;
volatile std::sig_atomic_t interrupted_by = 0;

/// The first SIGINT, SIGTERM or SIGHUP ends the search after the chunks that are being processed. A
/// second SIGINT or SIGTERM ends the program; further SIGHUPs of the same lost terminal do not.
void on_interrupt(int signal) {
  interrupted_by = signal;
  interrupted = true;
  end_on_next_interrupt();
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

/// Throws Error if a directory cannot be written to, or made where it is to be.
void check_writable(const std::filesystem::path& directory) {
  std::filesystem::path there = std::filesystem::absolute(directory);
  while (::access(there.c_str(), F_OK) != 0 && errno == ENOENT && there != there.root_path()) {
    there = there.parent_path();
  }
  if (::access((there / "").c_str(), W_OK | X_OK) == 0) return;
  raise("cannot write to {}: {}", directory.string(),
        reason_and_advice(errno, "write elsewhere with --out"));
}

/// The space for the words of all documents, which is one.
synth::Space space_for(const std::vector<results::PlannedDocument>& documents,
                       const synth::Space& space) {
  const auto is_of_bytes = [](const results::PlannedDocument& document) {
    return document.precision == synth::Precision::Byte;
  };
  const auto bytes = std::ranges::count_if(documents, is_of_bytes);
  if (bytes == 0) return space;
  if (bytes == std::ssize(documents)) return space.for_words(1);
  raise<UsageError>(
      "{} holds bytes, whose pipelines have no cut, and other data sets longer words; search them "
      "apart",
      std::ranges::find_if(documents, is_of_bytes)->data_set);
}

/// The facts that make the results of a directory comparable.
results::StudyIdentity identity_of(const SearchArguments& arguments, const data::Study& study,
                                   const synth::Space& space,
                                   const std::optional<cluster::Shard>& shard,
                                   const std::vector<results::PlannedDocument>& documents) {
  results::StudyIdentity identity = {
      .name = study.name,
      .space = space,
      .precisions = study.precisions,
      .verification = search::Verification::parse(study.verify).text(),
      .sample = arguments.sample,
      .preludes = arguments.prelude_options.text()};
  if (arguments.race.race()) identity.strategy = arguments.race.options().text();
  if (study.hdf5_chunk) {
    identity.hdf5_chunk = study.hdf5_chunk->empty() ? std::string(kChunksOfFile)
                                                    : results::extents_text(*study.hdf5_chunk);
  }
  if (shard) {
    identity.shard = shard->text();
    identity.documents = documents;
    std::ranges::sort(identity.documents);
  }
  return identity;
}

/// Makes a directory that of a study, and locks it; for a dry run, throws what that would throw.
void claim(const std::filesystem::path& directory, const results::StudyIdentity& identity,
           const std::vector<results::PlannedDocument>& documents, const SearchArguments& arguments,
           std::optional<DirectoryLock>& lock) {
  if (arguments.dry_run) {
    check_writable(directory);
    results::check_study_directory(directory, identity);
    if (!arguments.resume) study::refuse_earlier(directory, documents);
    return;
  }
  create_folder(directory, "check the path and its permissions, or write elsewhere");
  if (!lock) lock.emplace(directory, kLockedFor);
  results::ensure_study_directory(directory, identity);
}

/// Searches, or prints what a search would take. Chooses the threads if they are 0.
void run_search(SearchArguments& arguments) {
  const search::RaceOptions race = arguments.race.options();
  data::Study study = study_of_search(arguments);
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
  synth::Space space = space_of(arguments, study);
  const std::vector<results::PlannedDocument> documents =
      study::check_data(study, arguments.sample, space.chunk_words);
  space = space_for(documents, space);
  const search::Verification verification = search::Verification::parse(study.verify);
  arguments.prelude_options.request = request_of(arguments, study);
  const search::EngineFactory engine = engine_of(arguments);
  std::optional<synth::Plan> plan;  // a race has none of the whole space, and a dry run needs none
  if (!arguments.race.race() && !arguments.dry_run) plan.emplace(space);
  const results::StudyIdentity identity = identity_of(arguments, study, space, shard, documents);
  if (writes) claim(directory, identity, documents, arguments, lock);
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
  add_options(command, *arguments);
  command.callback([arguments] { run_search(*arguments); });
}

}  // namespace fpsynth::cli
