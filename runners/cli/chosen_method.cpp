#include "runners/cli/chosen_method.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "results/documents/means.hpp"
#include "results/documents/runs.hpp"
#include "runners/cli/studies.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/space.hpp"

namespace fpsynth::cli {
namespace {

/// A sentence on what a study found about a pipeline.
std::string origin(const results::Document& document, std::uint64_t id) {
  std::string part;
  if (document.sampled()) part = fmt::format("a 1/{} sample of ", document.run.sample);
  if (!document.run.complete) part = "the part searched so far of " + part;
  std::string name = document.data.name;
  if (document.data.hdf5)
    name += ", in HDF5 chunks of " + results::extents_text(document.data.hdf5->chunk);
  std::string pipelines = fmt::format("{} pipelines", document.ranking.size());
  if (document.race) {
    pipelines += fmt::format(", which a race left of {},", document.race->pipelines);
  }
  return fmt::format(
      "It is the best of {} on {}the data set {}: {} bytes in {} become {}, a ratio of {:.3f} "
      "(fpsynth {}, {}).",
      pipelines, part, name, document.sampled_bytes, synth::to_string(document.data.precision),
      document.compressed_bytes(id), document.ratio(id), document.run.program_version,
      document.run.commit);
}

}  // namespace

void BestOption::check(const std::string& pipeline, const std::string& doing) const {
  if (best && best->starts_with('-')) {
    raise<UsageError>("--best {}: name a data set of the results", *best);
  }
  if (best && !pipeline.empty()) throw UsageError("give a PIPELINE or --best, not both");
  if (!best && pipeline.empty()) {
    raise<UsageError>("nothing to {}: give a PIPELINE, or --best DATASET for a study's best",
                      doing);
  }
  if (runs && !best) throw UsageError("--runs goes with --best DATASET; a PIPELINE needs no study");
}

void add_best(Command command, BestOption& option) {
  command.add_option("--best", option.best,
                     "Instead of PIPELINE: the best pipeline of this data set ...");
  command.add_option("--runs", option.runs, "... in this study's results")
      .show_default(kDefaultRuns);
}

void add_chunk_words(Command command, std::optional<std::string>& option) {
  std::vector<std::string> lengths;
  for (const std::size_t words : synth::kChunkLengths) lengths.push_back(std::to_string(words));
  command
      .add_option("--chunk-words", option,
                  "Words of a chunk; 1024 if left out, with --best those of the search")
      .one_of(lengths);
}

synth::Method typed_method(const std::string& text) {
  if (text == "auto") {
    throw UsageError(
        "auto is not a method; `fpsynth compress auto FILE OUT` finds one and says which");
  }
  const synth::Method method = synth::Space::paper().method_named(text);
  if (text.find_first_not_of("0123456789") == text.npos) {
    print_error("pipeline {}: {}\n", text, synth::to_string(method));
  }
  return method;
}

std::vector<synth::Method> typed_methods(const std::string& text) {
  std::vector<synth::Method> methods;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    methods.push_back(typed_method(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return methods;
}

BestPipeline best_pipeline(const BestOption& option, std::optional<synth::Precision> precision) {
  return best_pipelines(option, precision, 1).front();
}

std::vector<BestPipeline> best_pipelines(const BestOption& option,
                                         std::optional<synth::Precision> precision,
                                         std::size_t count) {
  const std::string directory = directory_of_runs(option.runs.value_or(kDefaultRuns));
  const auto runs = results::load_runs(directory).select(option.best, precision);
  const std::string what = option.best.value_or(directory);
  const std::vector<const results::Document*> documents = runs.searched();
  if (documents.empty()) {
    raise("{}: nothing was searched yet; continue with fpsynth search --resume",
          results::label(runs.documents().front()));
  }
  const results::Document& first = *documents.front();
  if (std::ranges::any_of(documents, [&](const results::Document* one) {
        return one->data.precision != first.data.precision;
      })) {
    raise<UsageError>("{} was searched in both precisions; name one with --precision", what);
  }
  std::vector<BestPipeline> best;
  double last = 0;
  const auto add = [&](const synth::Method& method, double ratio, const auto& said) {
    if (ratio == last) return;
    last = ratio;
    best.push_back({method, first.data.precision, ratio, best.empty() ? said() : std::string(),
                    first.space.chunk_words});
    if (first.data.hdf5) best.back().hdf5_chunk = first.data.hdf5->chunk;
  };
  if (documents.size() == 1) {
    for (const std::uint64_t id : first.ranking) {
      if (best.size() == count) break;
      add(first.space.method_at(id), first.ratio(id), [&] { return origin(first, id); });
    }
    return best;
  }
  const results::Means means(documents);
  for (const std::uint64_t id : results::lowest(means.costs(), means.costs().size())) {
    if (best.size() == count) break;
    add({{}, means.space().at(id)}, means.ratio(id), [&] {
      return fmt::format(
          "It is the best of {} pipelines over {}the {} data sets in {}, in {}: the harmonic mean "
          "of its ratios is {:.3f} (fpsynth {}, {}).",
          means.costs().size(),
          first.sampled() ? fmt::format("a 1/{} sample of ", first.run.sample) : "",
          documents.size(), directory, synth::to_string(first.data.precision), means.ratio(id),
          first.run.program_version, first.run.commit);
    });
  }
  if (best.empty()) {
    raise("{}: no pipeline was tried on all data sets; name one with --best", directory);
  }
  return best;
}

}  // namespace fpsynth::cli
