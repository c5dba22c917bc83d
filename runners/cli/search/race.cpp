#include "runners/cli/search/race.hpp"

#include <fmt/core.h>

#include <csignal>
#include <system_error>
#include <utility>
#include <vector>

#include "results/documents/document_file.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/cli/search/output.hpp"
#include "runners/cli/studies.hpp"
#include "runners/cluster/shards/file_peers.hpp"
#include "runners/data/description.hpp"
#include "runners/search/checks.hpp"
#include "runners/search/race/state/states.hpp"
#include "synth/common/directory_lock.hpp"
#include "synth/common/ending_signals.hpp"
#include "synth/common/error.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/version.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

/// Least speeds are those of one core: of more, they depend on how many there are.
constexpr std::uint64_t kSpeedThreads = 1;

}  // namespace

std::string round_text(const std::string& label, const search::RaceProgress& progress) {
  const double left = progress.seconds_left;
  return fmt::format(
      "{}  round {} ({}): {:5.1f} % of {}, {} left, {:.1f} G pipeline-bytes/s  ETA {}", label,
      progress.round, counted(progress.chunks, "chunk"), 100 * progress.done, progress.entered,
      progress.stayed, progress.pipeline_bytes_per_second / 1e9, duration(left));
}

search::Raced raced_of(const results::Document& document) {
  search::Raced raced;
  raced.complete = true;
  raced.space = document.space;
  raced.race = *document.race;
  raced.prelude_candidates = document.prelude_candidates;
  return raced;
}

results::Document read_raced(const std::filesystem::path& path) {
  results::Document document = results::read_document(path);
  if (document.race) return document;
  throw Error(
      fmt::format("{} is of an exhaustive search; race into another directory", path.string()));
}

std::optional<search::SpeedLimit> speed_limit(const search::RaceOptions& race,
                                              const std::filesystem::path& directory,
                                              const std::string& data_set,
                                              synth::Precision precision) {
  if (race.min_speed.none()) return std::nullopt;
  const auto path = results::throughput_path(directory, data_set, precision, "cpu");
  const auto refuse = [&](const std::string& reason) {
    throw Error(fmt::format(
        "{}; search some stages exhaustively into a directory, and let `fpsynth bench pipelines "
        "--model --runs DIRECTORY` fit the model there",
        reason));
  };
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    refuse(fmt::format("{} has no model of the speed of {} ({}): there is no {}",
                       directory.string(), data_set, synth::to_string(precision),
                       path.filename().string()));
  }
  const results::ThroughputDocument document = results::read_throughput(path);
  if (!document.model) refuse(fmt::format("{} has no model of speed", path.string()));
  return search::SpeedLimit(*document.model, race.min_speed, synth::word_bytes(precision),
                            kSpeedThreads);
}

void print_rounds(const std::string& label, const search::Raced& raced) {
  const results::Race& race = raced.race;
  for (const results::RaceRound& round : race.rounds) {
    print_error("{}: {} of {} distinct pipelines are left after {}\n", label, round.left,
                round.entered, counted(round.chunks, "chunk"));
  }
  if (raced.of_all_chunks) {
    print_error("{}: note: these are all chunks, so this race was an exhaustive search\n", label);
  }
  if (race.too_slow > 0) {
    print_error(
        "{}: {} of {} distinct pipelines are predicted to be too slow (less than {} GB/s)\n", label,
        race.too_slow, race.distinct, race.min_speed);
  }
  if (race.dropped > 0) {
    print_error(
        "{}: note: {} more might have been the best, and were let go because they do not fit in "
        "memory; a larger --margin or more --round-chunks leave fewer\n",
        label, race.dropped);
  }
}

namespace {

/// The files by which the shards of a race meet, in the folder of all shards.
cluster::FilePeers peers_of(const RaceJob& job, const search::RaceOptions& race) {
  const std::filesystem::path parts = job.document.parent_path().parent_path();
  const std::string identity = fmt::format(
      "fpsynth {}, {}, preludes {}", synth::kVersion,
      search::race_identity(data::description_of(job.input), job.space, race, job.options),
      job.preludes.text());
  cluster::FilePeers peers(parts / "race" / job.document.stem(), job.share->shard, identity);
  peers.is_running = [parts](const cluster::Shard& shard) {
    return is_locked(parts / shard.directory_name());
  };
  peers.stop = job.options.stop;
  peers.waiting = [label = job.label](std::string_view step, const std::string& shards) {
    print_error("{}: waiting for {} of shards {}\n", label, step, shards);
  };
  return peers;
}

}  // namespace

search::RaceOptions RaceArguments::options() const {
  search::RaceOptions options;
  if (!race()) {
    if (margin || risk || seed || first_chunks || min_speed || speed_model) {
      throw UsageError(
          "--margin, --risk, --seed, --round-chunks, --min-speed and --speed-model are of a race; "
          "add --strategy race, or leave them out");
    }
    return options;
  }
  options.margin = margin.value_or(options.margin);
  options.risk = risk.value_or(options.risk);
  options.seed = seed.value_or(options.seed);
  options.first_chunks = first_chunks.value_or(options.first_chunks);
  if (min_speed.has_value() != speed_model.has_value()) {
    throw UsageError(
        "--min-speed and --speed-model go together: the directory of `fpsynth bench pipelines "
        "--model --runs DIR` has what predicts speeds");
  }
  if (min_speed) options.min_speed = search::MinSpeed::parse(*min_speed);
  options.check();
  return options;
}

std::filesystem::path race_state_path(const std::filesystem::path& document) {
  std::filesystem::path path = document;
  return path.replace_extension(".race");
}

std::optional<Found> race_one(const RaceJob& job) {
  const std::filesystem::path state = race_state_path(job.document);
  const ProgressLine line;
  search::RaceOptions race = job.race;
  race.progress = [&](const search::RaceProgress& progress) {
    line.show(round_text(job.label, progress));
  };
  const std::optional<search::SpeedLimit> limit =
      speed_limit(job.race, job.speed_model, job.input.name(), job.input.native());
  race.speed_limit = limit ? &*limit : nullptr;
  race.save = [&](const std::vector<std::uint8_t>& bytes) { search::write_state(state, bytes); };
  search::PreludeOptions preludes = job.preludes;
  preludes.trying = [&](std::size_t tried, std::size_t candidates) {
    line.show(fmt::format("{}  trying prelude {} of {}", job.label, tried + 1, candidates));
  };

  search::SearchOptions options = job.options;
  if (job.share) options.part = job.share->chunks;
  std::optional<cluster::FilePeers> peers;
  std::optional<results::Document> done;
  bool already = false;
  search::Raced raced;
  if (std::filesystem::exists(job.document)) {
    if (!job.resume) throw exists_already(job.document);
    done = read_raced(job.document);
    already = search::is_finished(*done, options);
    raced = raced_of(*done);
  } else {
    std::vector<std::uint8_t> earlier;
    if (std::filesystem::exists(state)) {
      if (!job.resume) throw exists_already(state);
      earlier = search::state_of(search::read_state(state), 0, 1);
    }
    if (job.share) race.peers = &peers.emplace(peers_of(job, race));
    try {
      raced = search::race(job.input, job.space, race, preludes, job.options, earlier);
    } catch (const cluster::ShardsMissing& error) {
      if (job.options.stop->load()) return std::nullopt;
      throw Interrupted(error.what(), SIGTERM);
    }
    if (!raced.complete) return std::nullopt;
    line.show({});
    print_rounds(job.label, raced);
  }

  if (job.share && job.share->size() == 0) {
    std::filesystem::remove(state);
    return Found{.document = {}, .none = true};
  }
  const synth::Plan plan(raced.space.without_preludes());
  options.progress = [&](const search::Progress& progress) {
    const double share = double(progress.chunks_done) / double(progress.chunks_total);
    line.show(progress_text(job.label + "  survivors, all chunks:", progress, share));
  };
  options.checkpoint = [&](const results::Document& document) {
    results::write_document(job.document, document);
  };
  const results::Document document =
      search::search_survivors(job.input, plan, raced, preludes, options, done ? &*done : nullptr);
  if (already) return Found{document, true};
  results::write_document(job.document, document);
  std::error_code ignored;
  if (search::is_finished(document, options)) std::filesystem::remove(state, ignored);
  return Found{document, false};
}

}  // namespace fpsynth::cli
