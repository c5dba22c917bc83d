#include "runners/search/search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <fpsynth/search.hpp>
#include <stop_token>

#include "results/documents/document_file.hpp"
#include "runners/data/input.hpp"
#include "runners/library/content.hpp"
#include "runners/search/preludes.hpp"
#include "synth/plan.hpp"

namespace fpsynth {
namespace {

std::vector<synth::Component> components(const std::vector<std::string>& names) {
  std::vector<synth::Component> list;
  for (const std::string& name : names) {
    const auto component = synth::parse_component(name);
    if (!component) {
      throw UsageError(fmt::format("unknown component '{}'; did you mean {}?", name,
                                   synth::nearest_component(name)));
    }
    list.push_back(*component);
  }
  return list;
}

synth::Space internal(const SearchSpace& asked) {
  synth::Space space = synth::Space::paper();
  space.stages = asked.stages;
  if (!asked.components.empty()) space.components = components(asked.components);
  if (!asked.last.empty()) space.last = components(asked.last);
  space.cuts = asked.cuts;
  if (asked.cuts.empty()) {
    // Of too many stages, which validate() refuses, cuts up to the most that there can be.
    const unsigned last = std::min<unsigned>(asked.stages, synth::kMaxStages);
    for (unsigned cut = 0; cut <= last; ++cut) space.cuts.push_back(cut);
  }
  space.chunk_words = asked.chunk_words;
  space.validate();
  return space;
}

/// Checks that a number of preludes is one that the command line takes, too.
std::uint64_t count_of(const char* name, std::uint64_t count, std::uint64_t most) {
  if (count >= 1 && count <= most) return count;
  throw UsageError(fmt::format("{} {}: give a number from 1 to {}", name, count, most));
}

search::PreludeOptions preludes_of(const SearchOptions& asked, std::size_t word_bytes) {
  search::PreludeOptions preludes;
  if (!asked.preludes.empty()) preludes.request = synth::PreludeRequest::parse(asked.preludes);
  preludes.request.check(word_bytes);
  preludes.candidates =
      count_of("prelude_candidates", asked.prelude_candidates, preludes.kMostCandidates);
  preludes.finalists =
      count_of("prelude_finalists", asked.prelude_finalists, preludes.kMostFinalists);
  return preludes;
}

Results search_bytes(std::span<const std::byte> bytes, synth::Precision precision,
                     const SearchOptions& options) {
  results::document_path({}, options.name, precision);  // throws for a name that has no file
  const synth::Plan plan(internal(options.space));
  search::SearchOptions internal;
  internal.threads = options.threads;
  internal.verification = search::Verification::parse(options.verification);
  if (options.sample == 0)
    throw UsageError("sample 0: use 1 for every chunk, K for one chunk in K");
  internal.sample = options.sample;
  if (options.progress) {
    internal.progress = [&](const search::Progress& progress) {
      options.progress({.chunks_done = progress.chunks_done,
                        .chunks_total = progress.chunks_total,
                        .seconds = progress.seconds,
                        .pipeline_bytes_per_second = progress.pipeline_bytes_per_second});
    };
  }
  std::atomic<bool> stopped = false;
  const std::stop_callback on_stop(options.stop, [&] { stopped = true; });
  internal.stop = &stopped;
  results::Document document =
      search::search_with_preludes(data::Input::borrowed(options.name, bytes, precision), plan,
                                   preludes_of(options, synth::word_bytes(precision)), internal);
  document.data.source = "values in memory";
  return ResultsMaker::make(std::move(document));
}

}  // namespace

Results search_pipelines(std::span<const double> values, const SearchOptions& options) {
  return search_bytes(std::as_bytes(values), synth::Precision::Double, options);
}

Results search_pipelines(std::span<const float> values, const SearchOptions& options) {
  return search_bytes(std::as_bytes(values), synth::Precision::Single, options);
}

}  // namespace fpsynth
