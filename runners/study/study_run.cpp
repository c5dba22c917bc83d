#include "runners/study/study_run.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "results/documents/document_file.hpp"
#include "runners/data/description.hpp"
#include "runners/search/race/states.hpp"
#include "runners/search/search.hpp"
#include "runners/study/data_sets.hpp"
#include "synth/common/directory_lock.hpp"
#include "synth/common/ending_signals.hpp"
#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/version.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::study {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;
using Json = nlohmann::json;

/// Percent, rate and time left of a search; `work_done` is the share of the whole that this run has
/// done.
std::string progress_text(const std::string& label, const search::Progress& progress,
                          double work_done) {
  const double share = double(progress.chunks_done) / double(progress.chunks_total);
  const double left = work_done > 0 ? progress.seconds / work_done * (1 - share) : 0;
  return fmt::format("{}  {:5.1f} %  {:.1f} G pipeline-bytes/s  ETA {}", label, 100 * share,
                     progress.pipeline_bytes_per_second / 1e9, duration(left));
}

std::string progress_text(const std::string& label, const search::RaceProgress& progress) {
  const double left = progress.seconds_left;
  return fmt::format(
      "{}  round {} ({}): {:5.1f} % of {}, {} left  {:.1f} G pipeline-bytes/s  ETA {}", label,
      progress.round, counted(progress.chunks, "chunk"), 100 * progress.done, progress.entered,
      progress.stayed, progress.pipeline_bytes_per_second / 1e9, duration(left));
}

std::size_t name_width(const data::Study& study) {
  std::size_t width = 16;
  for (const data::StudyItem& item : study.items) width = std::max(width, item.name.size());
  return width;
}

void print_nothing_of(const std::string& document, const ShardShare& share) {
  print_error("{}: shard {} has none of {}\n", document, share.shard.text(),
              counted(share.all, "chunk"));
}

/// Prints the number of pipelines left after each round of a race, and notes on the race.
void print_rounds(const std::string& label, const search::Raced& raced) {
  const results::Race& race = raced.race;
  for (const results::RaceRound& round : race.rounds) {
    print_error("{}: {} of {} distinct pipelines are left after {}\n", label, round.left,
                round.entered, counted(round.chunks, "chunk"));
  }
  if (raced.of_all_chunks) {
    print_error("{}: note: these are all chunks, so this race was an exhaustive search\n", label);
  }
  if (race.dropped > 0) {
    print_error(
        "{}: note: {} more might have been the best, and were let go because they do not fit in "
        "memory; a larger --margin or more --round-chunks leave fewer\n",
        label, race.dropped);
  }
}

/// Notes that the last bytes of a data set are no whole word in a precision, if so.
void print_tail(const std::string& name, synth::Precision precision, const data::Input& stored) {
  const std::size_t word = synth::word_bytes(precision);
  const std::size_t tail = data::size_in(stored, precision) % word;
  if (tail == 0) return;
  print_error("note: {} is not whole {}-byte words; its {} kept verbatim\n", name, word,
              by_count(tail, "trailing byte is", fmt::format("{} trailing bytes are", tail)));
}

/// The files of one document: itself, and beside it the state of a race that was stopped. Ranks
/// other than 0 have none, and write none.
class DocumentFiles {
 public:
  DocumentFiles(const StudyRun& run, const std::string& data_set, synth::Precision precision)
      : path_(results::document_path(run.directory, data_set, precision)),
        race_path_(fs::path(path_).replace_extension(".race")),
        raced_(!run.plan),
        leads_(run.leads()) {}

  /// The document of an earlier search, if there is one. Throws Error if a race would continue an
  /// exhaustive search.
  std::optional<results::Document> earlier() const {
    if (!has(path_)) return std::nullopt;
    results::Document document = results::read_document(path_);
    if (!raced_ || document.race) return document;
    raise("{} is of an exhaustive search; race into another directory", path_.string());
  }
  /// The state that an earlier race left; empty without one.
  Bytes earlier_race() const { return has(race_path_) ? search::read_state(race_path_) : Bytes(); }
  /// Writes the document: at every checkpoint, and at its end.
  void save(const results::Document& document) const {
    if (leads_) results::write_document(path_, document);
  }
  /// Writes the state of a race: at every checkpoint, and when it is stopped.
  void save_race(const Bytes& state) const {
    if (leads_) search::write_state(race_path_, state);
  }
  /// Removes that state, when all survivors are searched.
  void remove_race() const {
    std::error_code ignored;
    if (leads_) fs::remove(race_path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  bool has(const fs::path& file) const { return leads_ && fs::exists(file); }

  fs::path path_, race_path_;
  bool raced_, leads_;
};

/// One document that is raced, or searched alone, with its line of progress.
class DocumentRun {
 public:
  /// `before` and `after`: what the progress line says around the name, "DATA_SET PRECISION".
  DocumentRun(const StudyRun& run, const std::string& data_set, synth::Precision precision,
              const std::string& before, const std::string& after)
      : run_(run),
        name_(fmt::format("{} {}", data_set, synth::to_string(precision))),
        label_(before + name_ + after),
        files_(run, data_set, precision) {}

  const std::string& name() const { return name_; }

  /// Races and searches the document, on all chunks or on a shard's share of them, writes it and
  /// prints its row. `shape`: known extents of the values. Returns the end; one that is not
  /// complete was stopped.
  StudyEnd run(const data::Input& input, const std::vector<std::uint64_t>& shape,
               const std::optional<ShardShare>& share, std::size_t name_width);

 private:
  /// The options of the preludes, with this document's progress.
  search::PreludeOptions prelude_options() const {
    search::PreludeOptions preludes = run_.preludes;
    preludes.trying = [this](std::size_t tried, std::size_t candidates) {
      line_.show(fmt::format("{}  trying prelude {} of {}", label_, tried + 1, candidates));
    };
    return preludes;
  }
  /// Races from the state that an earlier race left.
  search::Raced race(const data::Input& input, const std::optional<results::Document>& done);
  /// The document or the state of an earlier race that rank 0 has, on all ranks; `done` is here
  /// that of rank 0. One or both are empty.
  std::pair<std::optional<results::Document>, Bytes> earlier_of_ranks(
      const data::Input& input, const std::optional<results::Document>& done) const;

  const StudyRun& run_;
  std::string name_, label_;
  DocumentFiles files_;
  ProgressLine line_;
};

std::pair<std::optional<results::Document>, Bytes> DocumentRun::earlier_of_ranks(
    const data::Input& input, const std::optional<results::Document>& done) const {
  Json own = {{"xxh3", data::description_of(input).xxh3},
              {"document", done ? results::document_text(*done) : ""},
              {"state", Json::binary(done ? Bytes() : files_.earlier_race())}};
  const std::vector<Bytes> all = run_.ranks->exchange("the race of " + name_, to_cbor(own));
  search::refuse_other_data(name_, all);
  Json first = from_cbor(all.front());
  const std::string text = first.at("document");
  if (text.empty()) return {std::nullopt, std::move(first.at("state").get_binary())};
  return {results::parse_document(text, "the document of rank 0"), Bytes()};
}

search::Raced DocumentRun::race(const data::Input& input,
                                const std::optional<results::Document>& done) {
  cluster::Ranks* const ranks = run_.ranks;
  auto [document, state] = ranks ? earlier_of_ranks(input, done)
                                 : std::pair(done, done ? Bytes() : files_.earlier_race());
  search::Raced raced;
  if (document) {
    raced.complete = true;
    raced.space = document->space;
    raced.race = *document->race;
    raced.prelude_candidates = document->prelude_candidates;
    return raced;
  }
  search::RaceOptions race = run_.race;
  race.progress = [this](const search::RaceProgress& progress) {
    line_.show(progress_text(label_, progress));
  };
  race.peers = run_.options.peers;
  // The states of other ranks come when all have ended: ranks that are killed lose their part of a
  // wave.
  std::vector<Bytes> states(ranks ? ranks->count() : 1);
  Bytes& own = states[ranks ? ranks->rank() : 0];
  if (!state.empty()) own = search::state_of(state, ranks ? ranks->rank() : 0, states.size());
  race.save = [&](const Bytes& latest) {
    own = latest;
    if (run_.leads()) files_.save_race(search::joined_states(states));
  };
  bool told = false;
  try {
    raced = search::race(input, run_.space, race, prelude_options(), run_.options, own);
    // A rank that was stopped comes to no end of its race.
    if (ranks && raced.complete) ranks->exchange("the end of the race of " + name_, {});
  } catch (const search::PeersStopped&) {
    raced.complete = false;
    told = true;
  }
  if (raced.complete) {
    line_.show({});
    print_rounds(ranks ? name_ : label_, raced);
  } else if (ranks) {
    if (!told) ranks->stop();
    const Bytes joined = search::joined_states(ranks->gather("the states", own));
    if (!joined.empty()) files_.save_race(joined);
  }
  return raced;
}

StudyEnd DocumentRun::run(const data::Input& input, const std::vector<std::uint64_t>& shape,
                          const std::optional<ShardShare>& share, std::size_t name_width) {
  const std::optional<results::Document> done = files_.earlier();
  std::optional<search::Raced> raced;
  std::optional<synth::Plan> of_survivors;
  if (!run_.plan) {
    raced = race(input, done);
    if (!raced->complete) return {.complete = false};
    of_survivors.emplace(raced->space.without_preludes());
  }
  search::SearchOptions options = run_.options;
  if (share) options.part = share->chunks;
  const bool already = done && search::is_finished(*done, options);
  const std::uint64_t chunks = share ? share->size() : done ? done->run.chunks_total : 1;
  const double before = done ? double(done->run.chunks_done) / double(chunks) : 0;
  options.progress = [&](const search::Progress& progress) {
    const double part = double(progress.chunks_done) / double(progress.chunks_total);
    line_.show(progress_text(raced ? label_ + ", survivors, all chunks:" : label_, progress,
                             part - before));
  };
  options.checkpoint = [this](const results::Document& state) { files_.save(state); };
  const results::Document* const earlier = done ? &*done : nullptr;
  const results::Document document =
      raced ? search::search_survivors(input, *of_survivors, *raced, prelude_options(), options,
                                       earlier)
            : search::search_with_preludes(input, *run_.plan, prelude_options(), options, earlier);
  StudyEnd end{.complete = already || !run_.options.stopped()};
  // The race, which is saved, ends with the same survivors again.
  if (!search::is_prepared(document)) end.complete = false;
  if (run_.ranks) {
    for (const Bytes& each :
         run_.ranks->exchange("the end of " + name_, {std::uint8_t(end.complete)})) {
      end.complete &= each.front() != 0;
    }
  }
  if (!run_.leads() || !search::is_prepared(document)) return end;
  if (!already) files_.save(document);
  if (raced && search::is_finished(document, options)) files_.remove_race();
  line_.show({});
  print_result(document, already, run_.json, name_width, share);
  end.failures = document.run.failures;
  if (run_.promises && end.complete) end.promise = promise_of(document, input, shape);
  return end;
}

}  // namespace

void refuse_earlier(const fs::path& directory,
                    const std::vector<results::PlannedDocument>& planned) {
  for (const results::PlannedDocument& document : planned) {
    const fs::path path = results::document_path(directory, document.data_set, document.precision);
    for (const fs::path& file : {path, fs::path(path).replace_extension(".race")}) {
      std::error_code error;
      if (!fs::exists(file, error)) continue;
      raise("{} exists already; continue with --resume, or choose another directory with --out",
            file.string());
    }
  }
}

void refuse_other_work(cluster::Ranks& ranks, const results::StudyIdentity& identity,
                       const std::vector<results::PlannedDocument>& planned) {
  std::string all =
      fmt::format("{} {} {}", identity.space.describe(), identity.strategy, identity.hdf5_chunk);
  for (std::uint64_t id = 0; id < std::min<std::uint64_t>(identity.space.pipelines(), 10'000);
       ++id) {
    all += synth::to_string(identity.space.at(id));
  }
  for (const results::PlannedDocument& document : planned) {
    all += fmt::format("; {} {} {}", document.data_set, synth::to_string(document.precision),
                       document.chunks);
  }
  const std::string text =
      fmt::format("study {}, {}, verification {}, one chunk in {}, preludes {} (checksum {:016x})",
                  identity.name, counted(planned.size(), "document"), identity.verification,
                  identity.sample, identity.preludes, XXH3_64bits(all.data(), all.size()));
  const std::vector<Bytes> all_texts = ranks.exchange("the study", {text.begin(), text.end()});
  for (std::size_t rank = 1; rank < all_texts.size(); ++rank) {
    if (all_texts[rank] == all_texts.front()) continue;
    const auto text_of = [&](std::size_t of) {
      return std::string(all_texts[of].begin(), all_texts[of].end());
    };
    raise(
        "rank {} was started for another search than rank 0: {}; rank 0: {}; start all ranks with "
        "the same arguments",
        rank, text_of(rank), text_of(0));
  }
}

StudyEnd run_study(const StudyRun& run, const std::vector<results::PlannedDocument>& planned,
                   const std::optional<cluster::Shard>& shard) {
  if (run.leads() && !run.resume) refuse_earlier(run.directory, planned);
  StudyEnd end;
  std::size_t number = 0;
  const std::size_t width = name_width(run.study);
  for (const data::StudyItem& item : run.study.items) {
    std::optional<data::Input> native = open_noted(item);
    const std::uint64_t sample = run.options.sample;
    const std::uint64_t chunks =
        cutting_of(run.study, item, *native, sample, run.space.chunk_words).chunks(sample);
    const std::vector<synth::Precision> precisions = precisions_of(run.study.precisions, *native);
    for (const synth::Precision precision : precisions) {
      const results::PlannedDocument found{item.name, precision, chunks};
      if (number == planned.size() || planned[number++] != found) {
        raise("{} changed since the search began; let nothing write to it, and search again",
              item.name);
      }
      DocumentRun document(run, item.name, precision,
                           fmt::format("[{}/{}] ", number, planned.size()),
                           shard ? fmt::format(", shard {}", shard->text())
                                 : (run.ranks ? ", " + counted(run.ranks->count(), "rank") : ""));
      std::optional<ShardShare> share;
      if (shard) share = ShardShare{*shard, shard->share(chunks), chunks};
      if (share && share->size() == 0) {
        print_nothing_of(document.name(), *share);
        continue;
      }
      print_tail(item.name, precision, *native);
      const data::Input input = searched_input(run.study, item, *native, precision);
      const std::vector<std::uint64_t> shape = known_shape(item, *native);
      if (precision == precisions.back()) native.reset();  // `input` may be a copy
      StudyEnd ended;
      try {
        ended = document.run(input, shape, share, width);
      } catch (const cluster::RankFailed& error) {
        raise<cluster::RankFailed>("{}; {} holds the results so far, continue with --resume",
                                   error.what(), run.directory.string());
      }
      end.failures += ended.failures;
      end.promises += ended.promise.times > kWorthSaying;
      if (ended.promise.times > end.promise.times) end.promise = std::move(ended.promise);
      end.complete = ended.complete;
      if (!end.complete) return end;
    }
  }
  return end;
}

}  // namespace fpsynth::study
