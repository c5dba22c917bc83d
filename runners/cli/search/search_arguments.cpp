#include "runners/cli/search/search_arguments.hpp"

#include <vector>

#include "runners/data/hdf5_chunks.hpp"
#include "runners/device/device.hpp"
#include "runners/study/study_run.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::cli {

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

std::optional<cluster::Shard> shard_of(const SearchArguments& arguments, const data::Study& study) {
  if (!arguments.shard) return std::nullopt;
  const cluster::Shard shard = cluster::Shard::parse(*arguments.shard);
  if (search::Verification::parse(study.verify).kind == search::Verification::Kind::Top) {
    raise<UsageError>(
        "shard {} with verification {}: the best are known when all shards are merged; shards take "
        "--verify all or none",
        shard.text(), study.verify);
  }
  if (arguments.dry_run) {
    throw UsageError("--dry-run is of the whole study; leave --shard out");
  }
  if (cluster_ranks()) {
    throw UsageError("fpsynth-mpi divides the chunks among its ranks itself; leave --shard out");
  }
  return shard;
}

std::filesystem::path directory_of(const SearchArguments& arguments, const data::Study& study,
                                   const std::optional<cluster::Shard>& shard) {
  const std::filesystem::path runs = "results/runs";
  const std::filesystem::path usual = arguments.study.empty() ? runs : runs / study.name;
  std::filesystem::path directory = arguments.out;
  if (arguments.out.empty()) directory = shard ? usual / "parts" : usual;
  return shard ? directory / shard->directory_name() : directory;
}

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

synth::PreludeRequest request_of(const SearchArguments& arguments, const data::Study& study) {
  const synth::PreludeRequest request =
      arguments.preludes ? synth::PreludeRequest::parse(*arguments.preludes) : study.preludes;
  for (const synth::Precision precision : study.precisions) {
    request.check(synth::word_bytes(precision));
  }
  return request;
}

data::Study study_of_search(const SearchArguments& arguments) {
  if (arguments.shards && !arguments.dry_run) {
    throw UsageError("--shards is for --dry-run; --shard K/N searches one of them");
  }
  if (arguments.shards && arguments.race.race()) {
    throw UsageError(
        "--shards is for exhaustive searches; a dry run of a race says what one machine would "
        "take");
  }
  data::Study study = study_of(arguments, "search");
  if (!arguments.verify.empty()) study.verify = arguments.verify;
  if (arguments.hdf5_chunk) {
    study.hdf5_chunk = *arguments.hdf5_chunk == kChunksOfFile
                           ? std::vector<std::uint64_t>()
                           : data::parse_extents("--hdf5-chunk", *arguments.hdf5_chunk);
  }
  if (!arguments.space.empty()) {
    study.space = data::read_space(config_file(arguments.space, "spaces"));
  }
  return study;
}

void add_options(Command command, SearchArguments& arguments) {
  command.group("Data");
  add_study_options(command, arguments);
  command.add_flag("--skip-missing", arguments.skip_missing,
                   "Leave out the study's described data sets that are not in the data folder");
  add_shape(command, arguments.type, "; for --hdf5-chunk");
  command
      .add_option(
          "--hdf5-chunk", arguments.hdf5_chunk,
          "Search within the chunks in which HDF5 stores the array, as its filter sees them: "
          "extents such as 64x256, or file for those of the file")
      .value_name("EXTENTS");
  command.add_option("--sample", arguments.sample, "Search every N-th chunk only")
      .range(std::uint64_t{1}, std::uint64_t{1} << 40);
  command.group("Space");
  command.add_option(
      "--space", arguments.space,
      "File that describes the space, or the name of one that comes with fpsynth, such as "
      "wide, in place of the study's or the paper's");
  command
      .add_option("--stages", arguments.stages,
                  "Stages of the space's pipelines, with every cut, in place of what it says")
      .range(1U, unsigned(synth::kMaxStages));
  command
      .add_option("--strategy", arguments.race.strategy,
                  "exhaustive: all pipelines on all chunks; race: all on a few chunks drawn at "
                  "random, those that may be the best on more and more of them, the last ones on "
                  "all, verified")
      .one_of({"exhaustive", "race"})
      .show_default();
  command.group("Race (--strategy race)");
  command
      .add_option("--margin", arguments.race.margin,
                  "A pipeline leaves when it cannot be smaller than the best so far by more "
                  "than this share of it; default: 0.0001")
      .value_name("SHARE");
  command
      .add_option("--risk", arguments.race.risk,
                  "The probability that a pipeline leaves although it is smaller by more, "
                  "above 0 and below 0.5; default: 0.01")
      .value_name("PROBABILITY");
  command.add_option("--seed", arguments.race.seed, "Seed of the chunks that are drawn; default: 1")
      .range(std::uint64_t{0}, std::uint64_t{1} << 53);
  command
      .add_option("--round-chunks", arguments.race.first_chunks,
                  "Chunks of the first round, each later one has twice as many; "
                  "default: 8")
      .range(std::uint64_t{2}, std::uint64_t{4096});
  command.group("Preludes");
  command.add_option(
      "--preludes", arguments.preludes,
      "Preludes to put in front of the pipelines, too: auto (those that the data "
      "suggest), none, or a list such as \"LAGx:18200, DICT LAGs:2401\"; if left out, "
      "what the study says, or none");
  command
      .add_option("--prelude-candidates", arguments.prelude_options.candidates,
                  "--preludes auto: how many the data may suggest")
      .range(std::uint64_t{1}, search::PreludeOptions::kMostCandidates)
      .show_default();
  command
      .add_option("--prelude-finalists", arguments.prelude_options.finalists,
                  "--preludes: how many, the best on a sample, are searched on all chunks")
      .range(std::uint64_t{1}, search::PreludeOptions::kMostFinalists)
      .show_default();
  command.group("Execution");
  command.add_option("--verify", arguments.verify,
                     "all (default): decode every stage and compare; top=K: compress and "
                     "decompress with the K best; none");
  command
      .add_option("--backend", arguments.backend,
                  "cpu, cuda, or auto: GPUs if there are any. The results are the same")
      .show_default();
  command.add_option("--device", arguments.device, "GPUs that share the work: all, or as in 0,2")
      .show_default();
  command.add_threads(arguments.threads, "Threads; default: all processors");
  command.add_flag(
      "--no-merge", arguments.no_merge,
      "With --verify none and top=K: also count the successors of equal blocks each on "
      "its own. The results are the same");
  command.group("Results");
  command
      .add_option("--out", arguments.out,
                  "Directory for the results; default: results/runs, or results/runs/STUDY; with "
                  "--shard, for the directories of all shards, and parts/ in the default one")
      .check([](const std::string& name) {
        return name.empty() ? "an empty name; omit --out for the default" : std::string();
      });
  command.add_flag("--resume", arguments.resume, "Continue the search that the directory holds");
  command
      .add_option("--checkpoint", arguments.checkpoint_seconds,
                  "Save the results so far this often")
      .range(0.1, 1e6, "SECONDS")
      .show_default();
  command.add_flag("--json", arguments.json,
                   "One JSON object per data set on standard output; with --dry-run, one in all");
  command.group("Parts and plans");
  command
      .add_option("--shard", arguments.shard,
                  "Search only the K-th of N equal shares of the chunks of every data set and "
                  "precision; auto/N: the share of this task of a Slurm array job. `fpsynth merge` "
                  "makes the results of all shares those of the whole")
      .value_name("K/N");
  command.add_flag("--dry-run", arguments.dry_run,
                   "Print the size of the space and an estimate of the time, and stop");
  command
      .add_option("--shards", arguments.shards,
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
      "With preludes, candidates are tried on about 64 chunks of what they make of the data,\n"
      "then the best of them and none on all; each is undone and compared with the data,\n"
      "which are held in memory once for each.\n"
      "Ctrl-C keeps the results so far in the directory; --resume continues the search.");
}

}  // namespace fpsynth::cli
