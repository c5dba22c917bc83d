#include "runners/cli/search/ranks.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/document_file.hpp"
#include "runners/cli/search/output.hpp"
#include "runners/cli/studies.hpp"
#include "runners/cluster/ranks/rank.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "synth/common/error.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

/// A number from 1 in an environment variable; 0 if there is none.
int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (!text) return 0;
  const std::string_view digits = text;
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() && number > 0 ? number : 0;
}

}  // namespace

std::string identity_text(const results::StudyIdentity& identity,
                          const std::vector<cluster::Task>& tasks) {
  std::string whole = fmt::format("{} {} {} {} {}", identity.name, identity.space.describe(),
                                  identity.sample, identity.preludes, identity.strategy);
  for (std::uint64_t id = 0; id < std::min<std::uint64_t>(identity.space.pipelines(), 10'000);
       ++id) {
    whole += synth::to_string(identity.space.at(id));
  }
  for (const cluster::Task& task : tasks) {
    whole += fmt::format("; {} {} {}", task.name, synth::to_string(task.precision), task.words);
  }
  return fmt::format(
      "study {}, {}, verification {}, one chunk in {}, preludes {} (checksum {:016x})",
      identity.name, counted(tasks.size(), "document"), identity.verification, identity.sample,
      identity.preludes, XXH3_64bits(whole.data(), whole.size()));
}

std::vector<cluster::Task> tasks_of(const data::Study& study) {
  std::vector<cluster::Task> tasks;
  for (const data::StudyItem& item : study.items) {
    const data::Input stored = item.open();
    if (const auto note = unlike_published(item, stored)) print_error("note: {}\n", *note);
    for (const synth::Precision precision : precisions_of(study.precisions, stored)) {
      const std::size_t bytes = data::size_in(stored, precision);
      const std::size_t word = synth::word_bytes(precision);
      if (bytes % word > 0) print_error("{}", tail_note(item.name, precision, bytes % word));
      tasks.push_back({item.name, [&item] { return item.open(); }, precision, bytes / word});
    }
  }
  return tasks;
}

RankedSearch search_job(cluster::Transport& transport, const cluster::Job& job,
                        const RankedDocuments& documents) {
  std::size_t width = 16, complete = 0;
  for (const cluster::Task& task : job.tasks) width = std::max(width, task.name.size());
  const auto path_of = [&](std::size_t task) {
    return results::document_path(documents.directory, job.tasks[task].name,
                                  job.tasks[task].precision);
  };
  std::uint64_t failures = 0, before = 0;
  const ProgressLine line;
  cluster::LeaderCallbacks callbacks;
  callbacks.earlier = [&](std::size_t task) -> std::optional<results::Document> {
    const std::filesystem::path path = path_of(task);
    if (!std::filesystem::exists(path)) {
      return documents.begin_with ? documents.begin_with(task) : std::nullopt;
    }
    if (!documents.resume) throw exists_already(path);
    results::Document document = results::read_document(path);
    before += document.run.chunks_done;
    return document;
  };
  callbacks.save = [&](std::size_t task, const results::Document& document) {
    results::write_document(path_of(task), document);
  };
  callbacks.done = [&](std::size_t, const results::Document& document, bool already) {
    ++complete;
    failures += document.run.failures;
    line.show({});
    if (already) {
      print_error("{} {}: searched already\n", document.data.name,
                  synth::to_string(document.data.precision));
    } else {
      print_result(document, documents.json, width);
    }
  };
  callbacks.progress = [&](const search::Progress& progress) {
    const std::string label =
        fmt::format("{}, {} of {} complete", counted(transport.ranks(), "rank"), complete,
                    counted(job.tasks.size(), "document"));
    const double share = double(progress.chunks_done - std::min(before, progress.chunks_done)) /
                         double(progress.chunks_total);
    line.show(progress_text(label, progress, share));
  };
  const cluster::RankResult result = cluster::run_rank(job, transport, callbacks, documents.stop);
  if (!result.error.empty()) {
    throw Error(fmt::format("{}; {} holds the results so far, continue with --resume", result.error,
                            documents.directory.string()));
  }
  return {result.complete, failures};
}

RankedSearch search_on_ranks(cluster::Transport& transport, const ClusterSearch& search) {
  cluster::Job job;
  job.tasks = tasks_of(search.study);
  job.identity = identity_text(search.identity, job.tasks);
  job.plan = &search.plan;
  job.preludes = search.preludes;
  job.options = search.options;
  return search_job(transport, job,
                    {search.directory, search.resume, search.json, search.stop, nullptr});
}

int threads_by_default(const cluster::Transport* transport) {
  const int given = number_in("SLURM_CPUS_PER_TASK");
  if (given > 0) return std::min(given, codec::most_threads());
  return transport ? std::min(transport->place().processors, codec::most_threads()) : 0;
}

std::vector<device::DeviceInfo> devices_of_rank(const std::vector<device::DeviceInfo>& devices,
                                                const cluster::Place& place) {
  std::vector<device::DeviceInfo> own;
  for (std::size_t i = place.local_rank % std::max<std::size_t>(devices.size(), 1);
       i < devices.size(); i += place.local_ranks) {
    own.push_back(devices[i]);
  }
  return own;
}

void refuse_other_ranks() {
  for (const char* variable :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"}) {
    if (const int ranks = number_in(variable); ranks > 1) {
      throw UsageError(
          fmt::format("this program was started as one of {} ({}), but searches alone, and all "
                      "would search the "
                      "same; use fpsynth-mpi, which is built with -DFPSYNTH_MPI=ON, or --shard",
                      counted(std::uint64_t(ranks), "task"), variable));
    }
  }
}

}  // namespace fpsynth::cli
