#include "runners/search/prelude_search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "runners/data/structure/structure.hpp"
#include "runners/search/document_search.hpp"
#include "runners/search/transformed_input.hpp"

namespace fpsynth::search {
namespace {

/// In a space of more pipelines, preludes are tried with those that have one stage less.
constexpr std::uint64_t kMostTried = 200'000;

/// True for a lag or a row that no HDF5 chunk is long enough for.
bool does_nothing(const synth::Prelude& prelude, const data::Input& input) {
  return input.in_chunks_of() &&
         std::ranges::any_of(prelude.steps, [&](const synth::PreludeStep& step) {
           return preludes::idle_on_few(synth::prelude_traits(step.kind).shape) &&
                  step.parameter >= input.in_chunks_of()->hdf5->words();
         });
}

}  // namespace

std::string PreludeOptions::text() const {
  std::string text = request.text();
  const PreludeOptions usual;
  if (request.kind == synth::PreludeRequest::Kind::None) return text;
  if (candidates != usual.candidates) text += fmt::format(", at most {} candidates", candidates);
  if (finalists != usual.finalists) text += fmt::format(", at most {} finalists", finalists);
  return text;
}

std::vector<WantedPrelude> wanted_preludes(const data::Input& input,
                                           const synth::PreludeRequest& request,
                                           std::uint64_t candidates) {
  std::vector<WantedPrelude> wanted = {{{}, "pipelines alone"}};
  if (request.kind == synth::PreludeRequest::Kind::Named) {
    for (const synth::Prelude& prelude : request.named) {
      synth::check(prelude, synth::word_bytes(input.native()));
      wanted.push_back({prelude, "named by the user"});
    }
  } else if (request.kind == synth::PreludeRequest::Kind::Found && candidates > 0) {
    data::StructureOptions options;
    options.candidates = candidates;
    for (const data::PreludeCandidate& found : data::find_structure(input, options).candidates) {
      if (does_nothing(found.prelude, input)) continue;
      wanted.push_back({found.prelude, found.reason});
    }
  }
  return wanted;
}

TriedPreludes try_preludes(const data::Input& input, const synth::Space& space,
                           const PreludeOptions& preludes, const SearchOptions& options) {
  const std::vector<WantedPrelude> wanted =
      wanted_preludes(input, preludes.request, preludes.candidates);
  SearchOptions quiet = options;
  quiet.progress = nullptr;
  synth::Space shorter = space;
  while (shorter.stages > 1 && shorter.pipelines() > kMostTried) shorter = shorter.shorter();
  const synth::Plan plan(shorter.without_preludes());
  TriedPreludes tried;
  for (const WantedPrelude& candidate : wanted) {
    if (preludes.trying) preludes.trying(tried.candidates.size(), wanted.size());
    const Trial trial = try_prelude(input, candidate.prelude, plan, preludes.chunks, quiet);
    if (tried.candidates.empty()) tried.run = trial.document.run;
    if (!trial.document.run.complete) {
      tried.candidates.clear();
      return tried;
    }
    tried.candidates.push_back({candidate.prelude, candidate.reason, candidate.prelude.empty(),
                                trial.document.run.chunks_done,
                                plan.space().at(trial.document.ranking.front()),
                                double(input.bytes().size()) / trial.estimated_bytes()});
  }
  const double alone = tried.candidates.front().estimated_ratio;
  std::ranges::stable_sort(tried.candidates, std::ranges::greater(),
                           &results::PreludeCandidate::estimated_ratio);
  const bool named = preludes.request.kind == synth::PreludeRequest::Kind::Named;
  tried.finalists.push_back({});
  for (results::PreludeCandidate& candidate : tried.candidates) {
    if (candidate.prelude.empty() || tried.finalists.size() > preludes.finalists) continue;
    candidate.finalist = named || candidate.estimated_ratio > alone;
    if (candidate.finalist) tried.finalists.push_back(candidate.prelude);
  }
  tried.complete = true;
  return tried;
}

results::Document search_with_preludes(const data::Input& input, const synth::Plan& plan,
                                       const PreludeOptions& preludes, const SearchOptions& options,
                                       const results::Document* done) {
  return DocumentSearch(input, plan, preludes, options).run(done);
}

}  // namespace fpsynth::search
