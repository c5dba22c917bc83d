#include "runners/search/search.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fpsynth/search.hpp>
#include <stop_token>

#include "results/documents/document_file.hpp"
#include "runners/data/input.hpp"
#include "runners/library/content.hpp"
#include "runners/library/front.hpp"
#include "runners/search/auto/choose.hpp"
#include "runners/search/preludes.hpp"
#include "synth/common/raise.hpp"
#include "synth/plan.hpp"

namespace fpsynth {
namespace {

std::vector<synth::Component> components(const std::vector<std::string>& names) {
  std::vector<synth::Component> list;
  for (const std::string& name : names) {
    const auto component = synth::parse_component(name);
    if (!component) {
      raise<UsageError>("unknown component '{}'; did you mean {}?", name,
                        synth::nearest_component(name));
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
  raise<UsageError>("{} {}: give a number from 1 to {}", name, count, most);
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

/// A view of values.
data::Input input_of(const Values& values, const std::string& name) {
  const synth::ValueType type = library::described(values).type;
  const data::Input input = data::Input::borrowed(name, values.bytes, type);
  return values.shape.empty() ? input : input.shaped(values.shape);
}

search::ChoiceOptions internal(const CompressOptions& asked) {
  std::optional<std::size_t> chunk_words;
  if (asked.chunk_words != 0) {
    synth::check_chunk_words(asked.chunk_words);
    chunk_words = asked.chunk_words;
  }
  search::ChoiceOptions options;
  options.threads = asked.threads;
  options.smaller = search::numbers_up_to(search::parse_effort(asked.effort), chunk_words);
  options.numbers = std::move(options.smaller.back());
  options.smaller.pop_back();
  return options;
}

}  // namespace

Results search_pipelines(const Values& values, const SearchOptions& options) {
  const data::Input input = input_of(values, options.name);
  // Throws for a name that has no file.
  results::document_path({}, options.name, input.native());
  const synth::Plan plan(internal(options.space).for_words(synth::word_bytes(input.native())));
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
  results::Document document = search::search_with_preludes(
      input, plan, preludes_of(options, synth::word_bytes(input.native())), internal);
  document.data.source = "values in memory";
  return ResultsMaker::make(std::move(document));
}

std::vector<codec::Section> library::best_sections(const Values& values,
                                                   const CompressOptions& options) {
  const data::Input input = input_of(values, "the input");
  const search::ChoiceOptions choice = internal(options);
  // Of values that are unlike the samples, the container may be larger than this promises.
  const codec::Section safe = named_section(values, "ZE", options);
  if (safe.words == 0) return {safe};
  const search::SectionChoice found =
      search::parse_effort(options.effort) == search::Effort::Quick
          ? search::choose_for(input, std::array{safe.words}, choice)
          : search::choose_sections(input, choice);
  if (found.bytes > codec::bound(input.bytes().size(), safe.method, synth::word_bytes(input.type()),
                                 safe.chunk_words)) {
    return {safe};
  }
  std::vector<codec::Section> sections;
  for (const auto& [words, chosen] : found.sections) {
    const search::Candidate& best = chosen.candidates.front();
    sections.push_back({words, best.method, best.chunk_words});
  }
  return sections;
}

BestMethod best_method(const Values& values, const CompressOptions& options) {
  const search::Choice choice = search::choose(input_of(values, "the input"), internal(options));
  const search::Candidate& best = choice.candidates.front();
  return {synth::to_string(best.method), best.chunk_words, best.bytes};
}

}  // namespace fpsynth

int fpsynth_best_method(const fpsynth_values* values, const fpsynth_options* options, char* method,
                        std::size_t capacity, std::size_t* chunk_words) {
  namespace library = fpsynth::library;
  return library::status_of([&] {
    if (capacity > 0) library::not_null(method, "method");
    const fpsynth::Values from = library::values_of(values);
    const fpsynth::BestMethod best = fpsynth::best_method(from, library::options_of(options));
    const std::size_t size = best.method.size() + 1;
    if (size > capacity) {
      fpsynth::raise("the method takes {} bytes, and there are {}; {} are enough", size, capacity,
                     FPSYNTH_METHOD_BYTES);
    }
    std::memcpy(method, best.method.c_str(), size);
    if (chunk_words) *chunk_words = best.chunk_words;
  });
}
