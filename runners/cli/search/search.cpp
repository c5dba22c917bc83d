// fpsynth search: every pipeline of a space on every data set of a study.

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/documents/document.hpp"
#include "results/documents/document_file.hpp"
#include "results/documents/study.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/search/arguments.hpp"
#include "runners/cli/search/data.hpp"
#include "runners/cli/search/dry_run.hpp"
#include "runners/cli/search/engine.hpp"
#include "runners/cli/search/output.hpp"
#include "runners/cli/search/race_ranks.hpp"
#include "runners/cli/search/ranks.hpp"
#include "runners/cli/search/scale.hpp"
#include "runners/cli/studies.hpp"
#include "runners/cluster/shards/shard.hpp"
#include "runners/data/study.hpp"
#include "runners/device/device.hpp"
#include "runners/search/checks.hpp"
#include "runners/search/prelude_search.hpp"
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

std::atomic<bool> interrupted = false;
volatile std::sig_atomic_t interrupted_by = 0;

/// The first SIGINT, SIGTERM or SIGHUP ends the search after the chunks that are being processed. A
/// second SIGINT or SIGTERM ends the program; further SIGHUPs of the same lost terminal do not.
void on_interrupt(int signal) {
  interrupted_by = signal;
  interrupted = true;
  end_on_next_interrupt();
}

/// What is thrown if the data of an item are not those that the search was planned for.
Error changed(const data::StudyItem& item) {
  return Error(fmt::format(
      "{} changed since the search began; let nothing write to it, and search again", item.name));
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
  if (cluster_transport()) {
    throw UsageError("fpsynth-mpi deals the chunks out to its ranks itself; leave --shard out");
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

/// What the arguments say of every search.
search::SearchOptions options_of(const SearchArguments& arguments,
                                 const search::Verification& verification,
                                 const search::EngineFactory& engine) {
  search::SearchOptions options;
  options.engine = engine;
  options.threads = arguments.threads;
  options.verification = verification;
  options.sample = arguments.sample;
  options.checkpoint_seconds = arguments.checkpoint_seconds;
  return options;
}

/// Searches one data set in one precision, or what remains of it, and writes its document.
Found search_one(const data::Input& input, const synth::Plan& plan,
                 const SearchArguments& arguments, const search::Verification& verification,
                 const search::EngineFactory& engine, const std::filesystem::path& path,
                 const std::string& label, const std::optional<ShardShare>& share) {
  std::optional<results::Document> done;
  if (std::filesystem::exists(path)) {
    if (!arguments.resume) throw exists_already(path);
    done = results::read_document(path);
  }
  const ProgressLine line;
  search::PreludeOptions preludes = arguments.prelude_options;
  preludes.trying = [&](std::size_t tried, std::size_t candidates) {
    line.show(fmt::format("{}  trying prelude {} of {}", label, tried + 1, candidates));
  };
  search::SearchOptions options = options_of(arguments, verification, engine);
  options.stop = &interrupted;
  if (share) options.part = share->chunks;
  const std::uint64_t chunks = share ? share->size() : done ? done->run.chunks_total : 1;
  const double before = done ? double(done->run.chunks_done) / double(chunks) : 0;
  options.progress = [&](const search::Progress& progress) {
    const double part = double(progress.chunks_done) / double(progress.chunks_total);
    line.show(progress_text(label, progress, part - before));
  };
  options.checkpoint = [&](const results::Document& state) {
    results::write_document(path, state);
  };
  const bool had_all = done && search::is_finished(*done, options);
  const results::Document document =
      search::search_with_preludes(input, plan, preludes, options, done ? &*done : nullptr);
  if (!had_all) results::write_document(path, document);
  return {document, had_all};
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
  std::vector<device::DeviceInfo> devices;
  if (arguments.nodes)
    return engine_of_rank(arguments.gpus.has_value(), arguments.device, arguments.threads,
                          !arguments.no_merge);
  if (device::parse_backend(arguments.backend, arguments.device) == device::Backend::Cuda) {
    devices = device::parse_devices(arguments.device);
    if (const auto* transport = cluster_transport()) {
      devices = devices_of_rank(devices, transport->place());
    }
  }
  return engine_on(devices, arguments.backend == "auto", arguments.threads, !arguments.no_merge);
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

/// Says where the results are, or throws the Error of a search in which checks failed.
void print_end(const SearchArguments& arguments, const std::filesystem::path& directory,
               const std::optional<cluster::Shard>& shard, std::uint64_t failures) {
  if (failures > 0) {
    throw Error(failures_message(failures, directory));
  }
  if (!arguments.json && shard) {
    const std::string parts = directory.parent_path().string();
    print_error("Shard {} is in {}; when all are there: fpsynth merge {} --out DIR\n",
                shard->text(), directory.string(), shell_word(parts));
  } else if (!arguments.json) {
    print_error("The results are in {}; next: fpsynth query best --runs {}\n", directory.string(),
                shell_word(directory.string()));
  }
}

/// What run() knows before it searches.
struct Prepared {
  const data::Study& study;
  const synth::Space& space;
  const synth::Plan* plan;  ///< null for a race, which has none of the whole space
  const search::RaceOptions& race;
  const results::StudyIdentity& identity;
  const search::Verification& verification;
  const search::EngineFactory& engine;
  const std::filesystem::path& directory;
};

[[noreturn]] void throw_interrupted(const std::filesystem::path& directory, int signal) {
  throw Interrupted(fmt::format("interrupted; {} holds the results so far; continue with --resume",
                                directory.string()),
                    signal);
}

/// Searches as one of the ranks of a cluster.
void search_on(cluster::Transport& transport, const SearchArguments& arguments,
               const Prepared& prepared) {
  // mpirun passes SIGUSR1 on to the ranks, and ends them within a second of a SIGTERM.
  std::signal(SIGUSR1, on_interrupt);
  const search::SearchOptions options =
      options_of(arguments, prepared.verification, prepared.engine);
  const RankedSearch result =
      prepared.plan
          ? search_on_ranks(transport, {prepared.study, *prepared.plan, prepared.identity,
                                        arguments.prelude_options, options, prepared.directory,
                                        arguments.resume, arguments.json, interrupted})
          : race_on_ranks(transport, {prepared.study, prepared.space, prepared.race,
                                      prepared.identity, arguments.prelude_options, options,
                                      prepared.directory, arguments.race.speed_model.value_or(""),
                                      arguments.resume, arguments.json, interrupted});
  if (transport.rank() > 0) return;
  if (!result.complete) {
    throw_interrupted(prepared.directory, interrupted_by ? interrupted_by : SIGTERM);
  }
  print_end(arguments, prepared.directory, std::nullopt, result.failures);
}

/// Throws UsageError for options of a dry run that do not go together.
void check_nodes(const SearchArguments& arguments) {
  if (arguments.gpus && !arguments.nodes) {
    throw UsageError("--gpus is how many GPUs a node has; say with --nodes how many nodes");
  }
  if (arguments.nodes && !arguments.dry_run) {
    throw UsageError(
        "--nodes is for --dry-run; to search on several nodes, start fpsynth-mpi with srun or "
        "mpirun, or an array job with --shard");
  }
  if (arguments.nodes && arguments.race.race()) {
    throw UsageError(
        "--nodes is for exhaustive searches; a dry run of a race says what one node would take");
  }
  if (arguments.gpus && arguments.backend == "cpu") {
    throw UsageError("--gpus with --backend cpu: leave one of them out");
  }
}

}  // namespace

void run_search(SearchArguments& arguments) {
  check_nodes(arguments);
  const search::RaceOptions race = arguments.race.options();
  data::Study study = study_of(arguments, "search");
  if (!arguments.verify.empty()) study.verify = arguments.verify;
  if (!arguments.space.empty()) study.space = data::read_space(arguments.space);
  const std::optional<cluster::Shard> shard = shard_of(arguments, study);
  cluster::Transport* const transport = cluster_transport();
  if (!transport && !shard && !arguments.dry_run) refuse_other_ranks();
  const bool writes = !transport || transport->rank() == 0;
  if (arguments.threads == 0) arguments.threads = threads_by_default(transport);
  const std::filesystem::path directory = directory_of(arguments, study, shard);
  std::error_code error;
  std::optional<DirectoryLock> lock;
  // The lock is acquired before the data are read, which may take long. A new directory is created
  // only after the data are known to be good.
  if (writes && !arguments.dry_run && std::filesystem::is_directory(directory, error)) {
    lock.emplace(directory, kLockedFor);
  }
  if (arguments.skip_missing) leave_out_missing(study);
  const synth::Space space = space_of(arguments, study);
  const std::vector<results::PlannedDocument> documents =
      check_data(study, arguments.sample, space.chunk_words);
  const search::Verification verification = search::Verification::parse(study.verify);
  arguments.prelude_options.request = request_of(arguments, study);
  race.check_with(arguments.prelude_options.request);
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
                    arguments.race.race() ? &race : nullptr};
    if (!arguments.nodes) return dry_run(of, arguments.json);
    return dry_run_on_nodes(of, {*arguments.nodes, arguments.gpus.value_or(0)}, arguments.json);
  }

  // Before a directory is made for what cannot be raced.
  for (const results::PlannedDocument& document : documents) {
    const auto limit = speed_limit(race, arguments.race.speed_model.value_or(""), document.data_set,
                                   document.precision);
    if (limit) limit->check(space);
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
  if (transport) {
    search_on(
        *transport, arguments,
        {study, space, plan ? &*plan : nullptr, race, identity, verification, engine, directory});
    return;
  }

  std::size_t number = 0, width = 16;
  for (const data::StudyItem& item : study.items) width = std::max(width, item.name.size());
  std::uint64_t failures = 0;
  for (const data::StudyItem& item : study.items) {
    const data::Input native = item.open();
    if (const auto note = unlike_published(item, native)) {
      print_error("note: {}\n", *note);
    }
    for (const synth::Precision precision : precisions_of(study.precisions, native)) {
      const std::string name = fmt::format("{} {}", item.name, synth::to_string(precision));
      const results::PlannedDocument planned{
          item.name, precision,
          results::chunks_of(native.view().words, arguments.sample, space.chunk_words)};
      if (number == documents.size() || documents[number++] != planned) throw changed(item);
      std::optional<ShardShare> share;
      if (shard) share = ShardShare{*shard, shard->share(planned.chunks)};
      if (share && share->size() == 0 && plan) {
        print_error("{}: shard {} has none of {}\n", name, shard->text(),
                    counted(planned.chunks, "chunk"));
        continue;
      }
      const data::Input input = native.in(precision);
      if (const data::View view = input.view(); view.tail > 0) {
        print_error("{}", tail_note(item.name, precision, view.tail));
      }
      const auto path = results::document_path(directory, item.name, precision);
      const std::string label = fmt::format("[{}/{}] {}{}", number, documents.size(), name,
                                            shard ? fmt::format(", shard {}", shard->text()) : "");
      std::optional<Found> found;
      if (plan) {
        found = search_one(input, *plan, arguments, verification, engine, path, label, share);
      } else {
        search::SearchOptions options = options_of(arguments, verification, engine);
        options.stop = &interrupted;
        found = race_one({input, space, race, arguments.prelude_options, options, path, label,
                          arguments.resume, share, arguments.race.speed_model.value_or("")});
      }
      if (!found) throw_interrupted(directory, interrupted_by);
      if (found->none) {
        print_error("{}: shard {} has none of {}\n", name, shard->text(),
                    counted(planned.chunks, "chunk"));
        continue;
      }
      failures += found->document.run.failures;
      if (found->already) {
        print_error("{}: searched already\n", name);
        continue;
      }
      print_result(found->document, arguments.json, width, share);
      if (interrupted) throw_interrupted(directory, interrupted_by);
    }
  }
  if (shard) results::mark_finished(directory);
  print_end(arguments, directory, shard, failures);
}

}  // namespace fpsynth::cli
