#include "runners/search/preludes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/search/structure/structure.hpp"
#include "synth/common/error.hpp"

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

std::vector<Part> parts_of(const data::Input& input) {
  const results::DataSet* const data = input.in_chunks_of();
  if (!data) return {input.bytes()};
  const std::size_t bytes = data->hdf5->words() * synth::word_bytes(input.native());
  std::vector<Part> parts;
  for (std::size_t at = 0; at < input.bytes().size(); at += bytes) {
    parts.push_back(input.bytes().subspan(at, bytes));
  }
  return parts;
}

SampledParts::SampledParts(const data::Input& input, std::size_t chunk_words,
                           std::uint64_t sample) {
  if (sample == 1) {
    parts = parts_of(input);
  } else if (input.in_chunks_of()) {
    const std::uint64_t chunks = input.cutting(chunk_words).chunks(sample);
    for (std::uint64_t index = 0; index < chunks; ++index) {
      parts.push_back(chunk_of(input, chunk_words, sample, index));
    }
  } else {
    bytes = sampled(input, sample, chunk_words);
    parts = {bytes};
  }
}

std::uint64_t sum_over(
    std::span<const Part> parts, const SearchOptions& options,
    const std::function<std::uint64_t(Part, std::size_t, const codec::CodecOptions&)>& work) {
  codec::CodecOptions codec;
  codec.stages = options.stages;
  codec.threads = options.threads;
  if (parts.size() == 1) return work(parts.front(), 0, codec);
  const int threads = codec::threads_for(options.threads, parts.size());
  codec.threads = std::max(1, codec::threads_for(options.threads, UINT64_MAX) / threads);
  std::atomic<std::uint64_t> sum = 0;
  codec::in_order(
      0, parts.size(), threads,
      [&](std::uint64_t part, std::size_t, std::size_t) { sum += work(parts[part], part, codec); },
      [](std::uint64_t, std::size_t) {});
  return sum;
}

std::uint64_t overhead_of(std::span<const Part> parts, const synth::Pipeline& pipeline,
                          std::size_t word_bytes) {
  std::uint64_t bytes = 0;
  for (const Part& part : parts) {
    bytes += codec::overhead_bytes(pipeline, part.size(), word_bytes);
  }
  return bytes;
}

bool decodes(std::span<const Part> parts, const synth::Method& method, std::size_t word_bytes,
             std::size_t chunk_words, std::uint64_t file_bytes, const SearchOptions& options) {
  try {
    std::atomic<bool> same = true;
    const std::uint64_t written = sum_over(
        parts, options, [&](Part part, std::size_t, codec::CodecOptions codec) -> std::uint64_t {
          codec.chunk_words = chunk_words;
          codec.limit = part.size();
          const std::vector<std::byte> file = codec::compress(part, method, word_bytes, codec);
          codec::ComparingSink sink(part);
          codec::decompress(file, "the compressed data", sink, codec);
          if (!sink.same()) same = false;
          return file.size();
        });
    return written == file_bytes && same;
  } catch (const Error&) {
    // If the codec refuses its own output, that proves a failure as well as a difference does.
    return false;
  }
}

TransformedInput transform_input(const data::Input& input, const synth::Prelude& prelude,
                                 const SearchOptions& options) {
  if (prelude.empty()) return {input, 0};
  const std::size_t word_bytes = synth::word_bytes(input.native());
  const std::vector<Part> parts = parts_of(input);
  std::vector<std::byte> words;
  if (parts.size() > 1) words.resize(input.bytes().size());
  const std::uint64_t overhead = sum_over(
      parts, options, [&](Part part, std::size_t number, const codec::CodecOptions& codec) {
        codec::Transformed transformed = codec::transform(part, prelude, word_bytes, codec);
        const std::uint64_t bytes = transformed.overhead_bytes();
        if (parts.size() == 1) {
          words = std::move(transformed.bytes);
        } else {
          std::ranges::copy(transformed.bytes,
                            words.begin() + std::ptrdiff_t(number * part.size()));
        }
        return bytes;
      });
  return {input.with_words(std::move(words)), overhead};
}

bool restores(const data::Input& input, const synth::Prelude& prelude,
              const SearchOptions& options) {
  if (prelude.empty()) return true;
  const std::size_t word_bytes = synth::word_bytes(input.native());
  const std::uint64_t wrong = sum_over(
      parts_of(input), options,
      [&](Part part, std::size_t, const codec::CodecOptions& codec) -> std::uint64_t {
        codec::Transformed transformed = codec::transform(part, prelude, word_bytes, codec);
        const std::vector<std::span<const std::byte>> side(transformed.side.begin(),
                                                           transformed.side.end());
        try {
          codec::restore(transformed.bytes, prelude, word_bytes, side, input.name(), codec);
        } catch (const Error&) {
          return 1;  // the codec refuses its own output
        }
        return std::ranges::equal(transformed.bytes, part) ? 0 : 1;
      });
  return wrong == 0;
}

std::string PreludeOptions::text() const {
  std::string text = request.text();
  const PreludeOptions usual;
  if (request.kind == synth::PreludeRequest::Kind::None) return text;
  if (candidates != usual.candidates) text += fmt::format(", at most {} candidates", candidates);
  if (finalists != usual.finalists) text += fmt::format(", at most {} finalists", finalists);
  return text;
}

std::vector<results::PreludeCandidate> wanted_preludes(const data::Input& input,
                                                       const synth::PreludeRequest& request,
                                                       const StructureOptions& options) {
  std::vector<results::PreludeCandidate> wanted = {{{}, "pipelines alone", false, 0, {}, 0}};
  if (request.kind == synth::PreludeRequest::Kind::Named) {
    for (const synth::Prelude& prelude : request.named) {
      synth::check(prelude, synth::word_bytes(input.native()));
      wanted.push_back({prelude, "named by the user", false, 0, {}, 0});
    }
  } else if (request.kind == synth::PreludeRequest::Kind::Found && options.candidates > 0) {
    for (const PreludeCandidate& found : find_structure(input, options).candidates) {
      if (does_nothing(found.prelude, input)) continue;
      wanted.push_back({found.prelude, found.reason, false, 0, {}, 0});
    }
  }
  return wanted;
}

TriedPreludes try_preludes(const data::Input& input, const synth::Space& space,
                           const PreludeOptions& preludes, const SearchOptions& options) {
  synth::Space shorter = space;
  while (shorter.stages > 1 && shorter.pipelines() > kMostTried) shorter = shorter.shorter();
  const synth::Plan plan(shorter.without_preludes());
  const results::Cutting cutting = input.cutting(plan.space().chunk_words);
  SearchOptions sampling = options;
  sampling.verification = Verification::parse("none");
  sampling.sample =
      std::max<std::uint64_t>(1, (cutting.chunks() + preludes.chunks - 1) / preludes.chunks);
  while (!cutting.takes_all_places(sampling.sample)) ++sampling.sample;
  sampling.part.reset();
  sampling.peers = nullptr;
  sampling.progress = nullptr;
  sampling.checkpoint = nullptr;
  const double scale = double(cutting.words()) / double(cutting.words_in(sampling.sample));
  TriedPreludes tried;
  tried.candidates = wanted_preludes(input, preludes.request, {.candidates = preludes.candidates});
  for (std::size_t i = 0; i < tried.candidates.size(); ++i) {
    results::PreludeCandidate& candidate = tried.candidates[i];
    if (preludes.trying) preludes.trying(i, tried.candidates.size());
    const TransformedInput behind = transform_input(input, candidate.prelude, options);
    const results::Document sample = search(behind.input, plan, sampling);
    if (i == 0) tried.run = sample.run;
    if (!sample.run.complete) {
      tried.candidates.clear();
      return tried;
    }
    const std::uint64_t best = sample.ranking.front();
    const double bytes = double(sample.payload_bytes[best]) * scale +
                         double(behind.overhead_bytes + sample.overhead_bytes);
    candidate.finalist = candidate.prelude.empty();
    candidate.sampled_chunks = sample.run.chunks_done;
    candidate.best = plan.space().at(best);
    candidate.estimated_ratio = double(input.bytes().size()) / bytes;
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
  return tried;
}

}  // namespace fpsynth::search
