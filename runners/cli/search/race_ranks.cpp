#include "runners/cli/search/race_ranks.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "results/documents/document_file.hpp"
#include "runners/cli/search/output.hpp"
#include "runners/cli/search/race.hpp"
#include "runners/cli/studies.hpp"
#include "runners/cluster/ranks/race_peers.hpp"
#include "runners/data/description.hpp"
#include "runners/search/checks.hpp"
#include "runners/search/race/state/states.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Json = nlohmann::json;

/// The race of one document as one rank runs it.
class RaceOfRank {
 public:
  RaceOfRank(const cluster::Transport& transport, const RankedRace& ranked,
             const cluster::Task& task)
      : ranks_(transport.ranks()),
        leads_(transport.rank() == 0),
        ranked_(ranked),
        task_(task),
        name_(fmt::format("{} {}", task.name, synth::to_string(task.precision))),
        path_(results::document_path(ranked.directory, task.name, task.precision)) {}

  /// Called by the thread that races. Returns the state of the race.
  Bytes run(search::RacePeers& peers, const std::atomic<bool>& stop) {
    const data::Input input = task_.open().in(task_.precision);
    data_ = data::description_of(input);
    const Bytes earlier = earlier_state(peers);
    if (raced.complete) return {};
    const ProgressLine line;
    const std::string label = fmt::format("{}, {}", counted(ranks_, "rank"), name_);
    search::RaceOptions race = ranked_.race;
    const std::optional<search::SpeedLimit> limit =
        speed_limit(race, ranked_.speed_model, input.name(), input.native());
    race.speed_limit = limit ? &*limit : nullptr;
    race.peers = &peers;
    race.save = [&](const Bytes& state) { save(state); };
    race.progress = [&](const search::RaceProgress& progress) {
      if (leads_) line.show(round_text(label, progress));
    };
    search::SearchOptions options = ranked_.options;
    options.stop = &stop;
    try {
      raced = search::race(input, ranked_.space, race, ranked_.preludes, options, earlier);
    } catch (const Error&) {
      if (!stop) throw;  // else what others did not give any more
    }
    if (raced.complete && leads_) {
      line.show({});
      print_rounds(name_, raced);
    }
    return state_;
  }

  /// Keeps what the ranks had when they were stopped.
  void keep(std::span<const Bytes> states) const {
    const Bytes joined = search::joined_states(states);
    if (!joined.empty()) search::write_state(race_state_path(path_), joined);
  }

  /// Searches the survivors with all ranks.
  RankedSearch search_survivors(cluster::Transport& transport, const std::string& identity) const {
    const synth::Plan plan(raced.space.without_preludes());
    cluster::Job job;
    job.tasks = {task_};
    job.tasks.front().xxh3 = data_.xxh3;
    job.identity = identity;
    job.plan = &plan;
    job.preludes = ranked_.preludes;
    job.options = ranked_.options;
    job.options.race = raced.race;
    const auto begin_with = [&](std::size_t) -> std::optional<results::Document> {
      if (raced.prelude_candidates.empty()) return std::nullopt;
      // What the preludes put in front of the chunks, and nothing of these.
      search::SearchOptions options = job.options;
      options.stop = &ranked_.stop;
      options.part = results::ChunkRange{0, 0};
      const data::Input input = task_.open().in(task_.precision);
      return search::search_survivors(input, plan, raced, ranked_.preludes, options);
    };
    const RankedDocuments documents{ranked_.directory, ranked_.resume, ranked_.json, ranked_.stop,
                                    begin_with};
    const RankedSearch found = search_job(transport, job, documents);
    std::error_code ignored;
    if (leads_ && found.complete) std::filesystem::remove(race_state_path(path_), ignored);
    return found;
  }

  search::Raced raced;

 private:
  /// What rank 0 has of an earlier race: a document, which is taken into `raced`, or the state that
  /// is returned. Throws Error if the data here are not the same as on rank 0.
  Bytes earlier_state(search::RacePeers& peers) {
    Json own = {{"xxh3", data_.xxh3}, {"document", ""}, {"state", Json::binary({})}};
    if (leads_) {
      const std::filesystem::path state = race_state_path(path_);
      for (const auto& path : {path_, state}) {
        if (!ranked_.resume && std::filesystem::exists(path)) throw exists_already(path);
      }
      if (std::filesystem::exists(path_)) {
        own["document"] = results::document_text(read_raced(path_));
      } else if (std::filesystem::exists(state)) {
        own["state"] = Json::binary(search::read_state(state));
      }
    }
    const Json of_leader =
        from_cbor(peers.exchange("what there is of " + name_, to_cbor(own)).front());
    if (of_leader.at("xxh3") != data_.xxh3) {
      throw Error(
          fmt::format("{}: the data here are not the same as on rank 0; copy the file "
                      "again, or use a folder that the nodes share",
                      name_));
    }
    if (const std::string text = of_leader.at("document"); !text.empty()) {
      raced = raced_of(results::parse_document(text, "the document of rank 0"));
    }
    const Bytes& state = of_leader.at("state").get_binary();
    return state.empty() ? Bytes() : search::state_of(state, peers.rank(), peers.count());
  }

  void save(const Bytes& state) {
    state_ = state;
    if (!leads_) return;
    // Those of the others come when all end: what they have of a wave is lost if they are killed.
    std::vector<Bytes> states(ranks_);
    states.front() = state_;
    keep(states);
  }

  std::size_t ranks_;
  bool leads_;
  const RankedRace& ranked_;
  const cluster::Task& task_;
  std::string name_;
  std::filesystem::path path_;
  results::DataSet data_;
  Bytes state_;
};

}  // namespace

RankedSearch race_on_ranks(cluster::Transport& transport, const RankedRace& race) {
  const std::vector<cluster::Task> tasks = tasks_of(race.study);
  const std::string identity = identity_text(race.identity, tasks);
  RankedSearch all;
  for (const cluster::Task& task : tasks) {
    RaceOfRank own(transport, race, task);
    const cluster::RaceResult result =
        cluster::race_on_ranks(identity, transport, race.stop,
                               [&](search::RacePeers& peers, const std::atomic<bool>& stop) {
                                 return own.run(peers, stop);
                               });
    if (!result.complete) {
      all.complete = false;
      if (transport.rank() > 0) return all;
      own.keep(result.left);
      if (result.error.empty()) return all;
      throw Error(fmt::format("{}; {} holds the results so far, continue with --resume",
                              result.error, race.directory.string()));
    }
    const RankedSearch found = own.search_survivors(transport, identity);
    all.failures += found.failures;
    if (!found.complete) {
      all.complete = false;
      return all;
    }
  }
  return all;
}

}  // namespace fpsynth::cli
