#include "runners/search/race/race.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "results/documents/fields.hpp"
#include "runners/data/description.hpp"
#include "runners/search/race/rounds.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::search {
namespace {

/// The survivors as a space: the preludes with survivors behind them, and the pipelines that
/// survive behind any prelude.
synth::Space space_of(const Entrants& survivors, const synth::Space& raced) {
  synth::Space space = raced;
  space.preludes = {synth::Prelude{}};
  for (std::size_t i = 0; i < survivors.size(); ++i) {
    const synth::Prelude& prelude = raced.preludes[survivors.who(i).prelude];
    if (std::ranges::find(space.preludes, prelude) == space.preludes.end()) {
      space.preludes.push_back(prelude);
    }
    space.only.push_back(survivors.who(i).id);
  }
  std::ranges::sort(space.only);
  space.only.erase(std::unique(space.only.begin(), space.only.end()), space.only.end());
  return space;
}

}  // namespace

void RaceOptions::check() const {
  if (!(risk > 0 && risk < 0.5)) {
    raise<UsageError>(
        "risk {}: a race drops pipelines after some of the chunks, and the probability that it "
        "drops the best is above 0 and below 0.5; search exhaustively to have none",
        risk);
  }
  if (!(margin >= 0 && margin < 1)) {
    raise<UsageError>(
        "margin {}: give the share by which the best may be missed, 0 (no less) to below 1, such "
        "as 0.0001",
        margin);
  }
  if (first_chunks < 2) {
    raise<UsageError>("{} in the first round: differences need two at least",
                      counted(first_chunks, "chunk"));
  }
}

std::string RaceOptions::text() const {
  return fmt::format("race, margin {}, risk {}, seed {}, first round {} chunks", margin, risk, seed,
                     first_chunks);
}

std::string race_identity(const results::DataSet& data, const synth::Space& space,
                          const RaceOptions& race, const SearchOptions& options) {
  std::string text = results::space_to_json(space).dump();
  if (data.hdf5) text += data.hdf5->text() + data.hdf5->fill;
  return fmt::format("{} {} (checksum {}), {}, one chunk in {}, {} (checksum {:016x})", data.name,
                     synth::to_string(data.precision), data.xxh3, race.text(), options.sample,
                     space.describe(), XXH3_64bits(text.data(), text.size()));
}

Raced race(const data::Input& input, const synth::Space& space, const RaceOptions& race,
           const PreludeOptions& preludes, const SearchOptions& options,
           std::span<const std::uint8_t> resumed) {
  race.check();
  refuse_no_words(input);
  Raced raced;
  raced.space = space.without_preludes();
  synth::Space all = raced.space;
  if (preludes.request.kind != synth::PreludeRequest::Kind::None) {
    const TriedPreludes tried = try_preludes(input, space, preludes, options);
    if (tried.candidates.empty()) return raced;
    raced.prelude_candidates = tried.candidates;
    all.preludes = tried.finalists;
  }
  std::vector<TransformedInput> inputs;
  for (const synth::Prelude& prelude : all.preludes) {
    if (options.stopped()) return raced;
    inputs.push_back(transform_input(input, prelude, options));
  }
  const results::DataSet data = data::description_of(input);
  Rounds rounds(inputs, all, race_identity(data, all, race, options), race, options);
  try {
    if (!resumed.empty()) rounds.resume(resumed);
  } catch (const Error& error) {
    raise("{} {}: the earlier race cannot be continued: {}; race into another directory", data.name,
          synth::to_string(data.precision), error.what());
  }
  raced.complete = rounds.run();
  raced.race = rounds.race();
  raced.of_all_chunks = rounds.has_drawn_all();
  if (raced.complete) {
    raced.space = space_of(rounds.survivors(), all);
    for (results::PreludeCandidate& candidate : raced.prelude_candidates) {
      candidate.finalist =
          std::ranges::find(raced.space.preludes, candidate.prelude) != raced.space.preludes.end();
    }
    refuse_changed(input, data);
  }
  return raced;
}

results::Document search_survivors(const data::Input& input, const synth::Plan& plan,
                                   const Raced& raced, const PreludeOptions& preludes,
                                   const SearchOptions& options, const results::Document* done) {
  SearchOptions with_race = options;
  with_race.race = raced.race;
  if (raced.prelude_candidates.empty()) return search(input, plan, with_race, done);
  if (done) return search_with_preludes(input, plan, preludes, with_race, done);
  results::Document nothing = empty_document(data::description_of(input), plan.space(), with_race);
  nothing.space = raced.space;
  nothing.prelude_candidates = raced.prelude_candidates;
  results::finish(nothing);
  return search_with_preludes(input, plan, preludes, with_race, &nothing);
}

}  // namespace fpsynth::search
