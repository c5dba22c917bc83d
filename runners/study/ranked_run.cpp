// A study that the ranks of a cluster search together.

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "results/documents/document_file.hpp"
#include "runners/cluster/ranks/job.hpp"
#include "runners/cluster/ranks/rank.hpp"
#include "runners/data/description.hpp"
#include "runners/search/race/state/states.hpp"
#include "runners/study/choice.hpp"
#include "runners/study/document_run.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::study {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Json = nlohmann::json;
using cluster::Task;

/// The data sets of a study in each of its precisions; notes those that are unlike what was
/// published, and tails. The study must outlive them.
std::vector<Task> tasks_of(const data::Study& study) {
  std::vector<Task> tasks;
  for (const data::StudyItem& item : study.items) {
    const data::Input stored = open_noted(item);
    for (const synth::Precision precision : precisions_of(study.precisions, stored)) {
      print_tail(item.name, precision, stored);
      tasks.push_back({item.name, [&item] { return item.open(); }, precision,
                       data::size_in(stored, precision) / synth::word_bytes(precision)});
    }
  }
  return tasks;
}

/// The text on which ranks that work together must agree.
std::string identity_text(const results::StudyIdentity& identity, const std::vector<Task>& tasks) {
  std::string whole = fmt::format("{} {} {} {} {}", identity.name, identity.space.describe(),
                                  identity.sample, identity.preludes, identity.strategy);
  for (std::uint64_t id = 0; id < std::min<std::uint64_t>(identity.space.pipelines(), 10'000);
       ++id) {
    whole += synth::to_string(identity.space.at(id));
  }
  for (const Task& task : tasks) {
    whole += fmt::format("; {} {} {}", task.name, synth::to_string(task.precision), task.words);
  }
  return fmt::format(
      "study {}, {}, verification {}, one chunk in {}, preludes {} (checksum {:016x})",
      identity.name, counted(tasks.size(), "document"), identity.verification, identity.sample,
      identity.preludes, XXH3_64bits(whole.data(), whole.size()));
}

/// The study as one rank runs it.
class RankedRun {
 public:
  RankedRun(const StudyRun& run, const std::string& identity, cluster::Transport& transport)
      : run_(run), identity_(identity), transport_(transport) {}

  /// Searches tasks together. `raced`: the race that has left the pipelines of the plan, if any.
  StudyEnd search(std::vector<Task> tasks, const synth::Plan& plan,
                  const search::Raced* raced) const {
    cluster::Job job{identity_, std::move(tasks), &plan, run_.preludes, run_.options};
    if (raced) job.options.race = raced->race;
    const std::size_t width = name_width(run_.study);
    std::size_t ended = 0;
    std::uint64_t failures = 0, before = 0;
    const ProgressLine line;
    const auto files = [&](std::size_t task) {
      return DocumentFiles(run_, job.tasks[task].name, job.tasks[task].precision);
    };
    cluster::LeaderCallbacks callbacks;
    callbacks.earlier = [&](std::size_t task) -> std::optional<results::Document> {
      std::optional<results::Document> document = files(task).earlier();
      if (document) {
        before += document->run.chunks_done;
      } else if (raced && !raced->prelude_candidates.empty()) {
        // The document has what the preludes put in front of the chunks, and none of these.
        search::SearchOptions options = job.options;
        options.part = results::ChunkRange{0, 0};
        options.stop = nullptr;  // a stopped one would not be prepared
        const data::Input input = job.tasks[task].open().in(job.tasks[task].precision);
        document = search::search_survivors(input, plan, *raced, run_.preludes, options);
      }
      return document;
    };
    callbacks.save = [&](std::size_t task, const results::Document& document) {
      files(task).save(document);
    };
    callbacks.done = [&](std::size_t task, const results::Document& document, bool already) {
      ++ended;
      failures += document.run.failures;
      if (raced) files(task).remove_race();
      line.show({});
      print_result(document, already, run_.json, width);
    };
    callbacks.progress = [&](const search::Progress& progress) {
      const std::string label =
          fmt::format("{}, {} of {} complete", counted(transport_.ranks(), "rank"), ended,
                      counted(job.tasks.size(), "document"));
      const double share = double(progress.chunks_done - std::min(before, progress.chunks_done)) /
                           double(progress.chunks_total);
      line.show(progress_text(label, progress, share));
    };
    const cluster::RankResult result =
        cluster::run_rank(job, transport_, callbacks, *run_.options.stop);
    refuse(result);
    return {result.complete, failures};
  }

  /// Races a task, then searches the survivors.
  StudyEnd race(Task task) const {
    DocumentRun document(run_, task.name, task.precision,
                         fmt::format("{}, ", counted(transport_.ranks(), "rank")));
    search::Raced raced;
    Bytes state;  // of this rank
    const auto work = [&](search::RacePeers& peers, const std::atomic<bool>& stop) -> Bytes {
      const data::Input input = task.open().in(task.precision);
      task.xxh3 = data::description_of(input).xxh3;
      const Bytes earlier = take_earlier(document, peers, task.xxh3, raced);
      if (raced.complete) return {};
      search::RaceOptions race = document.race_options();
      race.peers = &peers;
      race.save = [&](const Bytes& latest) {
        state = latest;
        // The states of the others come when all end: what they have of a wave is lost if they are
        // killed.
        std::vector<Bytes> states(transport_.ranks());
        states.front() = latest;
        keep(document.files(), states);
      };
      search::SearchOptions options = run_.options;
      options.stop = &stop;
      try {
        raced = search::race(input, run_.space, race, document.prelude_options(), options, earlier);
      } catch (const Error&) {
        if (!stop) throw;  // another rank's share does not come any more
      }
      if (raced.complete) document.print_race(document.name(), raced);
      return state;
    };
    const cluster::RaceResult result =
        cluster::race_on_ranks(identity_, transport_, *run_.options.stop, work);
    if (!result.complete) {
      keep(document.files(), result.left);
      refuse(result);
      return {.complete = false};
    }
    return search({task}, synth::Plan(raced.space.without_preludes()), &raced);
  }

 private:
  bool leads() const { return transport_.rank() == 0; }

  /// Throws Error if the work ended early because of one.
  void refuse(const cluster::RankResult& result) const {
    if (result.error.empty()) return;
    throw Error(fmt::format("{}; {} holds the results so far, continue with --resume", result.error,
                            run_.directory.string()));
  }

  /// Keeps the states of the ranks of a race, on rank 0.
  void keep(const DocumentFiles& files, std::span<const Bytes> states) const {
    if (!leads()) return;
    const Bytes joined = search::joined_states(states);
    if (!joined.empty()) files.save_race(joined);
  }

  /// Takes over what rank 0 has of an earlier race: its document, which becomes `raced`, or the
  /// state that is returned. Throws Error if the data here are not the same as on rank 0.
  Bytes take_earlier(const DocumentRun& document, search::RacePeers& peers, const std::string& xxh3,
                     search::Raced& raced) const {
    Json own = {{"xxh3", xxh3}, {"document", ""}, {"state", Json::binary({})}};
    if (leads()) {
      if (const auto earlier = document.files().earlier()) {
        own["document"] = results::document_text(*earlier);
      } else {
        own["state"] = Json::binary(document.files().earlier_race());
      }
    }
    const Json of_leader =
        from_cbor(peers.exchange("what there is of " + document.name(), to_cbor(own)).front());
    if (of_leader.at("xxh3") != xxh3) {
      throw Error(
          fmt::format("{}: the data here are not the same as on rank 0; copy the file "
                      "again, or use a folder that the nodes share",
                      document.name()));
    }
    if (const std::string text = of_leader.at("document"); !text.empty()) {
      raced = raced_of(results::parse_document(text, "the document of rank 0"));
    }
    const Bytes& state = of_leader.at("state").get_binary();
    return state.empty() ? Bytes() : search::state_of(state, peers.rank(), peers.count());
  }

  const StudyRun& run_;
  const std::string& identity_;
  cluster::Transport& transport_;
};

}  // namespace

StudyEnd run_on_ranks(const StudyRun& run, const results::StudyIdentity& identity,
                      cluster::Transport& transport) {
  const std::vector<Task> tasks = tasks_of(run.study);
  const std::string text = identity_text(identity, tasks);
  const RankedRun ranked(run, text, transport);
  if (run.plan) return ranked.search(tasks, *run.plan, nullptr);
  StudyEnd all;
  for (const Task& task : tasks) {
    const StudyEnd one = ranked.race(task);
    all.failures += one.failures;
    all.complete = one.complete;
    if (!all.complete) break;
  }
  return all;
}

}  // namespace fpsynth::study
