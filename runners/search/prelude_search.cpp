#include "runners/search/prelude_search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "results/documents/means.hpp"
#include "results/documents/merge.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/data/description.hpp"
#include "runners/data/structure/structure.hpp"
#include "runners/device/device.hpp"
#include "runners/search/checks.hpp"
#include "runners/search/transformed_input.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::search {
namespace {

/// A part is to take so long; what an interrupted search loses is at most a part.
constexpr double kPartSeconds = 10;
constexpr std::uint64_t kFirstPart = 64;  ///< chunks
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

class PreludeSearch {
 public:
  PreludeSearch(const data::Input& input, const synth::Plan& plan, const PreludeOptions& preludes,
                const SearchOptions& options)
      : input_(input), plan_(plan), preludes_(preludes), options_(options) {
    document_ = empty_document(data::description_of(input), plan.space(), options);
    document_.run.chunks_total = cutting().chunks(options.sample);
  }

  results::Document run(const results::Document* done) {
    if (done) {
      document_.space.preludes = done->space.preludes;
      check_resumable(*done, document_);
      if (is_prepared(*done) && is_finished(*done, options_)) return *done;
      document_ = *done;
    }
    if (document_.prelude_candidates.empty() && !try_candidates()) return document_;
    const bool prepared = prepare_finalists();
    if (document_.chunk_ranges.empty()) {
      if (!prepared) return unprepared(done);
      start_document();
    } else if (prepared) {
      refuse_other_overheads();
    }
    search_parts();
    refuse_changed(input_, document_.data);
    if (has_all_chunks()) verify();
    return document_;
  }

 private:
  std::size_t chunk_words() const { return plan_.space().chunk_words; }
  results::Cutting cutting() const { return input_.cutting(chunk_words()); }
  results::ChunkRange own_part() const { return options_.part_of(document_.run.chunks_total); }
  /// True for the part with the last chunk, which counts the findings on the whole input. The other
  /// parts are searched elsewhere.
  bool has_last_chunk() const {
    return own_part().size() > 0 && own_part().end == document_.run.chunks_total;
  }
  std::uint64_t chunks_done() const {
    return results::chunks_in(document_.chunk_ranges, own_part());
  }
  bool has_all_chunks() const { return chunks_done() == own_part().size(); }

  /// Chooses the finalists. False if the search was stopped; the document is then of no chunks.
  bool try_candidates() {
    TriedPreludes tried = try_preludes(input_, plan_.space(), preludes_, options_);
    take_run(document_.run, tried.run);
    if (!tried.complete) {
      start_document();
      return false;
    }
    document_.prelude_candidates = std::move(tried.candidates);
    document_.space.preludes = std::move(tried.finalists);
    synth::plan_size(document_.space).check(document_.space);
    return true;
  }

  /// Undoes each finalist, if this part counts that, and learns what is in front of its containers.
  /// False if the search was stopped before all is known.
  bool prepare_finalists() {
    const std::vector<synth::Prelude>& preludes = document_.space.preludes;
    keep_ = preludes.size() * input_.bytes().size() <= kMostKept;
    const auto undo = preludes_.restores ? preludes_.restores : restores;
    kept_.assign(preludes.size(), std::nullopt);
    restored_.assign(preludes.size(), true);
    overheads_.assign(preludes.size(), 0);
    for (std::size_t index = 1; index < preludes.size() && !options_.stopped(); ++index) {
      restored_[index] = !has_last_chunk() || undo(input_, preludes[index], options_);
      overheads_[index] = cutting().share_of(finalist(index).overhead_bytes, options_.sample);
    }
    return !options_.stopped();
  }
  /// The document of a search that was stopped before it could begin; that of survivors is the one
  /// that was given, which is not prepared.
  results::Document unprepared(const results::Document* done) {
    if (done) return *done;
    document_.prelude_candidates.clear();
    document_.space = document_.space.without_preludes();
    start_document();
    return document_;
  }

  /// The input behind a finalist.
  TransformedInput finalist(std::size_t index) {
    if (kept_[index]) return *kept_[index];
    TransformedInput made = transform_input(input_, document_.space.preludes[index], options_);
    if (keep_) kept_[index] = made;
    return made;
  }

  /// Takes over how and on what a search ran.
  static void take_run(results::Run& run, const results::Run& other) {
    run.program_version = other.program_version;
    run.commit = other.commit;
    run.compiler = other.compiler;
    run.backend = other.backend;
    run.device = other.device;
    run.threads = other.threads;
  }

  /// Makes the document one of no chunks behind the finalists.
  void start_document() {
    document_.prelude_overhead_bytes.clear();
    for (std::size_t index = 0; document_.space.has_preludes() && index < overheads_.size();
         ++index) {
      document_.prelude_overhead_bytes.push_back(document_.overhead_bytes + overheads_[index]);
    }
    document_.payload_bytes.assign(document_.space.size(), 0);
    results::finish(document_);
  }

  /// Throws Error if an earlier part of the search had side data of other sizes.
  void refuse_other_overheads() const {
    for (std::size_t index = 0; index < document_.prelude_overhead_bytes.size(); ++index) {
      const std::uint64_t now = document_.overhead_bytes + overheads_[index];
      if (document_.prelude_overhead_bytes[index] == now) continue;
      throw Error(fmt::format(
          "{}: in the earlier result, what is in front of the chunks behind {} takes {} bytes, now "
          "{}: it is of another version of the program; search into another directory",
          document_.data.name, synth::to_string(document_.space.preludes[index]),
          document_.prelude_overhead_bytes[index], now));
    }
  }

  void search_parts() {
    std::uint64_t length = kFirstPart;
    auto saved = Clock::now();
    chunks_before_ = chunks_done();
    while (!options_.stopped()) {
      const results::ChunkRange next = first_missing(length);
      if (next.size() == 0) return;
      const auto start = Clock::now();
      std::optional<results::Document> part;
      try {
        part = search_part(next);
      } catch (const device::DeviceError& error) {
        if (document_.run.chunks_done == 0 || !options_.checkpoint) throw;
        input_.check_unchanged();
        options_.checkpoint(document_);
        throw with_rest_saved(error, chunks_done(), own_part().size());
      }
      if (!part) return;
      if (document_.run.chunks_done == 0) {
        document_ = *part;
      } else {
        const results::Document parts[] = {document_, *part};
        document_ = results::merge(parts, results::Timing::Sequential);
      }
      const double seconds = std::max(seconds_since(start), 1e-3);
      length = std::max<std::uint64_t>(
          1, static_cast<std::uint64_t>(double(next.size()) * kPartSeconds / seconds));
      // A document with all its chunks is saved by the caller, with the failures that verify()
      // adds.
      if (options_.checkpoint && seconds_since(saved) > options_.checkpoint_seconds &&
          !options_.stopped() && !has_all_chunks()) {
        input_.check_unchanged();
        options_.checkpoint(document_);
        saved = Clock::now();
      }
    }
  }

  /// The first chunks of the part that are not done, at most `length`; empty if all are.
  results::ChunkRange first_missing(std::uint64_t length) const {
    const auto missing = results::missing_in(document_.chunk_ranges, own_part());
    if (missing.empty()) return {};
    const results::ChunkRange& first = missing.front();
    return {first.begin, std::min(first.end, first.begin + length)};
  }

  /// Searches chunks behind every finalist; nothing if that was stopped.
  std::optional<results::Document> search_part(const results::ChunkRange& range) {
    SearchOptions options = options_;
    options.part = range;
    options.checkpoint = nullptr;
    if (options.verification.kind == Verification::Kind::Top) {
      options.verification = Verification::parse("none");  // verify() does it, on all chunks
    }
    results::Document combined = document_;
    combined.chunk_ranges = {range};
    combined.failed.clear();
    combined.payload_bytes.clear();
    results::Run& run = combined.run;
    run.edges_verified = run.merged_states = run.failures = 0;
    run.seconds = 0;
    const std::uint64_t chunks = range.size();
    const std::uint64_t before = chunks_done() * finalists();
    for (std::size_t index = 0; index < finalists(); ++index) {
      if (options_.progress) {
        options.progress = [&](const Progress& progress) {
          report(before + index * chunks + progress.chunks_done);
        };
      }
      const results::Document part = search(finalist(index).input, plan_, options);
      if (part.run.chunks_done != chunks) return std::nullopt;
      combined.sampled_bytes = part.sampled_bytes;
      take_run(run, part.run);
      add_behind(combined, part);
    }
    results::finish(combined);
    return combined;
  }

  std::size_t finalists() const { return document_.space.preludes.size(); }

  /// `done`: chunks, each counted behind each finalist.
  void report(std::uint64_t done) const {
    const double seconds = std::max(seconds_since(start_), 1e-9);
    const std::uint64_t word_bytes = synth::word_bytes(input_.native());
    const double walked = double(done - chunks_before_ * finalists());
    options_.progress(
        {done, (own_part().size()) * finalists(), seconds,
         double(plan_.space().size()) * walked * double(chunk_words() * word_bytes) / seconds});
  }

  /// True if all pipelines behind a finalist have failed: an earlier part of the search found the
  /// finalist wrong, and was interrupted while it verified the best.
  bool is_excluded(std::size_t index) const {
    const std::uint64_t pipelines = document_.space.pipelines();
    return std::uint64_t(std::ranges::count_if(document_.failed, [&](std::uint64_t id) {
             return id / pipelines == index;
           })) >= pipelines;
  }

  /// Excludes what a prelude that did not give back the input stands in front of, and verifies the
  /// best if that was asked for.
  void verify() {
    const std::uint64_t pipelines = document_.space.pipelines();
    for (std::size_t index = 0; index < finalists(); ++index) {
      if (restored_[index] || is_excluded(index)) continue;
      ++document_.run.failures;
      for (std::uint64_t id = 0; id < pipelines; ++id) {
        document_.failed.push_back(index * pipelines + id);
      }
    }
    results::finish(document_);
    if (!document_.run.complete || options_.verification.kind != Verification::Kind::Top) return;
    const std::size_t word_bytes = synth::word_bytes(input_.native());
    verify_top(document_, options_, [&](std::uint64_t id) {
      const synth::Method method = document_.space.method_at(id);
      if (options_.sample == 1) {
        return decodes(parts_of(input_), method, word_bytes, chunk_words(),
                       document_.compressed_bytes(id), options_);
      }
      // A prelude needs the whole input, and was undone on it.
      const TransformedInput behind = finalist(id / pipelines);
      const SampledParts sample(behind.input, chunk_words(), options_.sample);
      return decodes(
          sample.parts, {{}, method.pipeline}, word_bytes, chunk_words(),
          document_.payload_bytes[id] + overhead_of(sample.parts, method.pipeline, word_bytes),
          options_);
    });
  }

  const data::Input& input_;
  const synth::Plan& plan_;
  const PreludeOptions& preludes_;
  const SearchOptions& options_;
  results::Document document_;
  bool keep_ = false;
  std::vector<std::optional<TransformedInput>> kept_;  ///< by finalist
  std::vector<bool> restored_;
  std::vector<std::uint64_t> overheads_;  ///< in front of the containers
  std::uint64_t chunks_before_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

std::string PreludeOptions::text() const {
  std::string text = request.text();
  const PreludeOptions usual;
  if (request.kind == synth::PreludeRequest::Kind::None) return text;
  if (candidates != usual.candidates) text += fmt::format(", at most {} candidates", candidates);
  if (finalists != usual.finalists) text += fmt::format(", at most {} finalists", finalists);
  return text;
}

void add_behind(results::Document& all, const results::Document& next) {
  for (const std::uint64_t id : next.failed) all.failed.push_back(all.payload_bytes.size() + id);
  all.payload_bytes.insert(all.payload_bytes.end(), next.payload_bytes.begin(),
                           next.payload_bytes.end());
  all.run.edges_verified += next.run.edges_verified;
  all.run.merged_states += next.run.merged_states;
  all.run.failures += next.run.failures;
  all.run.seconds += next.run.seconds;
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
  if (preludes.request.kind == synth::PreludeRequest::Kind::None || input.view().words == 0) {
    return search(input, plan, options, done);
  }
  return PreludeSearch(input, plan, preludes, options).run(done);
}

}  // namespace fpsynth::search
