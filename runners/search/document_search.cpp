#include "runners/search/document_search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "results/documents/merge.hpp"
#include "runners/data/description.hpp"
#include "runners/device/device.hpp"
#include "runners/search/search.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"
#include "synth/stage_list.hpp"

namespace fpsynth::search {
namespace {

/// The length of a part behind several preludes, or by several processes: an interruption loses at
/// most the parts in progress.
constexpr double kPartSeconds = 10;
constexpr std::size_t kFirstPart = 64;  ///< chunks behind each of several preludes

/// Takes over how and on what a search ran.
void take_run(results::Run& run, const results::Run& other) {
  run.program_version = other.program_version;
  run.commit = other.commit;
  run.compiler = other.compiler;
  run.backend = other.backend;
  run.device = other.device;
  run.threads = other.threads;
}

/// The leaves that failed; a failed edge fails every leaf below it. Adds the number of failed edges
/// to `failures`.
std::vector<std::uint8_t> failed_leaves(const synth::Plan& plan, const Totals& totals,
                                        std::uint64_t& failures) {
  std::vector<std::uint8_t> leaf_failed(plan.leaves().size());
  std::vector<std::uint8_t> failed_at(plan.space().stages + 1);  // by depth: on the current path
  for (std::size_t n = 0; n < plan.nodes().size(); ++n) {
    const synth::PlanNode& node = plan.nodes()[n];
    failures += totals.failed_nodes[n];
    failed_at[node.depth] =
        (node.depth > 0 && failed_at[node.depth - 1]) || totals.failed_nodes[n] > 0;
    for (std::size_t leaf = node.leaves; leaf < node.leaves + node.leaf_count; ++leaf) {
      failures += totals.failed_leaves[leaf];
      leaf_failed[leaf] |= failed_at[node.depth] || totals.failed_leaves[leaf] > 0;
    }
  }
  return leaf_failed;
}

}  // namespace

DocumentSearch::DocumentSearch(const data::Input& input, const synth::Plan& plan,
                               const PreludeOptions& preludes, const SearchOptions& options)
    : input_(input),
      plan_(plan),
      preludes_(preludes),
      options_(options),
      word_bytes_(synth::word_bytes(input.native())),
      mode_(options.verification.kind == Verification::Kind::All ? Mode::Verify : Mode::Count),
      counted_(plan) {
  refuse_no_words(input);
  document_ = empty_document(data::description_of(input), plan.space(), options);
  document_.run.chunks_total = cutting().chunks(options.sample);
  for (std::uint64_t id = 0; id < plan.leaf_of_id().size(); ++id) {
    frames_.push_back(synth::frame_bytes(space().at(id), word_bytes_, space().chunk_words));
  }
}

results::Document DocumentSearch::run(const results::Document* done) {
  if (done) {
    document_.space.preludes = done->space.preludes;
    check_resumable(*done, document_);
    if (is_prepared(*done) && is_finished(*done, options_)) {
      begin_together(false);
      return *done;
    }
    const results::Document fresh = std::exchange(document_, *done);
    if (done->chunk_ranges.empty()) take_run(document_.run, fresh.run);
  }
  const bool tries = preludes_.request.kind != synth::PreludeRequest::Kind::None &&
                     document_.prelude_candidates.empty();
  covered_ = document_.chunk_ranges;
  const bool begins = !leads() || !tries || try_candidates();
  if (!begin_together(begins)) return document_;
  // Made after the trials, whose engines need a device's memory, too.
  engine_ = options_.make_engine(plan_, word_bytes_, mode_);
  if (document_.chunk_ranges.empty()) note_engine(document_.run);
  const bool prepared = !agree("the preludes", {.stop = !prepare_finalists()}).stop;
  if (document_.chunk_ranges.empty()) {
    if (!prepared) return unprepared(done);
    start_document();
  } else if (prepared) {
    refuse_other_overheads();
  }
  search_parts();
  refuse_changed(input_, document_.data);
  if (leads() && has_all_chunks()) verify();
  return document_;
}

std::uint64_t DocumentSearch::chunks_done() const {
  return results::chunks_in(document_.chunk_ranges, own_part());
}

bool DocumentSearch::has_last_chunk() const {
  return leads() && own_part().size() > 0 && own_part().end == document_.run.chunks_total;
}

/// Chooses the finalists. False if the search was stopped; the document is then of no chunks.
bool DocumentSearch::try_candidates() {
  TriedPreludes tried = try_preludes(input_, space(), preludes_, options_);
  if (tried.candidates.empty()) {
    take_run(document_.run, tried.run);
    start_document();
    return false;
  }
  document_.prelude_candidates = std::move(tried.candidates);
  document_.space.preludes = std::move(tried.finalists);
  synth::plan_size(document_.space).check(document_.space);
  return true;
}

/// Undoes each finalist, if this process counts that, and learns the bytes in front of its
/// containers. False if the search was stopped before all is known.
bool DocumentSearch::prepare_finalists() {
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
  return finalists() == 1 || !options_.stopped();
}

/// The input behind a finalist.
TransformedInput DocumentSearch::finalist(std::size_t index) {
  if (kept_[index]) return *kept_[index];
  TransformedInput made = transform_input(input_, document_.space.preludes[index], options_);
  if (keep_) kept_[index] = made;
  return made;
}

/// Makes the document one of no chunks behind the finalists.
void DocumentSearch::start_document() {
  document_.prelude_overhead_bytes.clear();
  for (std::size_t index = 0; document_.space.has_preludes() && index < overheads_.size();
       ++index) {
    document_.prelude_overhead_bytes.push_back(document_.overhead_bytes + overheads_[index]);
  }
  document_.chunk_ranges.clear();
  document_.failed.clear();
  document_.sampled_bytes = 0;
  document_.payload_bytes.assign(document_.space.size(), 0);
  results::Run& run = document_.run;
  run.edges_verified = run.merged_states = run.failures = 0;
  run.seconds = 0;
  results::finish(document_);
}

/// The document of a search that was stopped before it could begin; that of survivors is the one
/// that was given, which is not prepared.
results::Document DocumentSearch::unprepared(const results::Document* done) {
  if (done) return *done;
  document_.prelude_candidates.clear();
  document_.space = document_.space.without_preludes();
  start_document();
  return document_;
}

/// Throws Error if an earlier part of the search had side data of other sizes.
void DocumentSearch::refuse_other_overheads() const {
  for (std::size_t index = 0; index < document_.prelude_overhead_bytes.size(); ++index) {
    const std::uint64_t now = document_.overhead_bytes + overheads_[index];
    if (document_.prelude_overhead_bytes[index] == now) continue;
    raise(
        "{}: in the earlier result, the bytes in front of the chunks behind {} are {}, now {}: it "
        "is of another version of the program; search into another directory",
        document_.data.name, synth::to_string(document_.space.preludes[index]),
        document_.prelude_overhead_bytes[index], now);
  }
}

void DocumentSearch::search_parts() {
  start_ = timed_ = saved_ = Clock::now();
  walks_before_ = chunks_done() * finalists();
  const bool short_parts = finalists() > 1 || processes() > 1;
  const double wanted = short_parts ? std::min(kPartSeconds, options_.checkpoint_seconds)
                                    : options_.checkpoint_seconds;
  // The first part tells how many chunks fill the time.
  const std::size_t first = finalists() > 1 ? kFirstPart : engine_->first_segment() * processes();
  double length = double(first), seconds = 0;
  for (results::ChunkRange part;;) {
    const bool due = options_.checkpoint && part.size() > 0 &&
                     (!short_parts || seconds_since(saved_) > options_.checkpoint_seconds);
    const Agreement now =
        agree(fmt::format("chunk {}", part.end), {options_.stopped(), leads() && due, seconds});
    if (part.size() > 0) length = double(part.size()) * wanted / std::max(now.seconds, 1e-3);
    part = now.stop ? results::ChunkRange() : first_missing(std::uint64_t(std::max(length, 1.0)));
    if (part.size() == 0 || now.save) collect();
    if (part.size() == 0) break;  // the caller saves the end
    if (now.save) save();
    const auto begun = Clock::now();
    search_part(part);
    seconds = seconds_since(begun);
    covered_.push_back(part);
    covered_ = results::normalized(std::move(covered_));
  }
}

/// The first chunks that are not done, at most `length`; empty if all are.
results::ChunkRange DocumentSearch::first_missing(std::uint64_t length) const {
  const auto missing = results::missing_in(covered_, own_part());
  if (missing.empty()) return {};
  const results::ChunkRange& first = missing.front();
  return {first.begin, first.begin + std::min(first.size(), length)};
}

/// An engine has other names after another one has taken over (engine_or).
void DocumentSearch::note_engine(results::Run& run) const {
  run.backend = engine_->backend();
  run.device = engine_->device();
  run.threads = std::min(static_cast<std::uint64_t>(engine_->threads()), run.chunks_total);
}

void DocumentSearch::search_part(const results::ChunkRange& range) {
  const std::size_t rank = options_.peers ? options_.peers->rank() : 0;
  const results::ChunkRange own{range.begin + range.size() * rank / processes(),
                                range.begin + range.size() * (rank + 1) / processes()};
  results::Document part = document_;
  part.payload_bytes.clear();
  part.failed.clear();
  part.chunk_ranges.clear();
  results::Run& run = part.run;
  run.edges_verified = run.merged_states = run.failures = 0;
  std::exception_ptr failed;
  for (std::size_t index = 0; index < finalists() && !failed; ++index) {
    std::vector<std::uint8_t> finished(own.size());
    const Totals sums = walk(finalist(index).input, own, finished, failed);
    report();
    const auto chunks = std::uint64_t(std::ranges::count(finished, 1));
    if (finalists() > 1 && chunks != own.size()) {
      if (failed) give_up(failed);
      return;  // stopped
    }
    add_walk(part, sums, chunks);
    if (index > 0) continue;
    part.sampled_bytes = 0;
    for (std::uint64_t i = 0; i < own.size(); ++i) {
      if (!finished[i]) continue;
      part.chunk_ranges.push_back({own.begin + i, own.begin + i + 1});
      const auto [begin, words] = cutting().at((own.begin + i) * options_.sample);
      part.sampled_bytes +=
          (part.data.values_in(begin + words) - part.data.values_in(begin)) * word_bytes_;
      if (own.begin + i + 1 == run.chunks_total) part.sampled_bytes += input_.view().tail;
    }
  }
  note_engine(run);
  const auto now = Clock::now();
  run.seconds = std::chrono::duration<double>(now - std::exchange(timed_, now)).count();
  if (!part.chunk_ranges.empty()) {
    results::finish(part);
    if (!document_.chunk_ranges.empty()) {
      const results::Document parts[] = {std::move(document_), std::move(part)};
      part = results::merge(parts, results::Timing::Sequential);
    }
    document_ = std::move(part);
  }
  if (failed) give_up(failed);
}

Totals DocumentSearch::walk(const data::Input& behind, const results::ChunkRange& range,
                            std::vector<std::uint8_t>& finished, std::exception_ptr& failed) {
  std::vector<std::span<const std::byte>> chunks;
  for (std::uint64_t chunk = range.begin; chunk < range.end; ++chunk) {
    chunks.push_back(chunk_of(behind, space().chunk_words, options_.sample, chunk));
  }
  const WalkCallbacks callbacks{[this] { return options_.stopped(); },
                                [this](std::uint64_t walked) {
                                  walked_ += walked;
                                  if (seconds_since(reported_) > kReportSeconds) report();
                                }};
  if (chunks.empty()) return Totals(plan_);
  try {
    engine_->walk(chunks, finished, callbacks);
  } catch (const device::DeviceError&) {
    failed = std::current_exception();
  }
  // The engine counts all of its walks.
  Totals now(plan_), sums(plan_);
  engine_->add_to(now);
  const auto less = [](auto& difference, const auto& of, const auto& before) {
    for (std::size_t i = 0; i < of.size(); ++i) difference[i] = of[i] - before[i];
  };
  less(sums.block_bytes, now.block_bytes, counted_.block_bytes);
  less(sums.failed_nodes, now.failed_nodes, counted_.failed_nodes);
  less(sums.failed_leaves, now.failed_leaves, counted_.failed_leaves);
  sums.merged_states = now.merged_states - counted_.merged_states;
  counted_ = std::move(now);
  return sums;
}

void DocumentSearch::add_walk(results::Document& part, const Totals& sums,
                              std::uint64_t chunks) const {
  const std::uint64_t before = part.payload_bytes.size();
  const std::vector<std::uint8_t> failed = failed_leaves(plan_, sums, part.run.failures);
  if (mode_ == Mode::Verify) part.run.edges_verified += chunks * plan_.edges();
  part.run.merged_states += sums.merged_states;
  for (std::uint64_t id = 0; id < frames_.size(); ++id) {
    const std::uint32_t leaf = plan_.leaf_of_id()[id];
    part.payload_bytes.push_back(sums.block_bytes[leaf] + chunks * frames_[id]);
    if (failed[leaf]) part.failed.push_back(before + id);
  }
}

void DocumentSearch::give_up(const std::exception_ptr& failed) {
  try {
    std::rethrow_exception(failed);
  } catch (const device::DeviceError& error) {
    if (document_.run.chunks_done == 0 || !options_.checkpoint || !leads()) throw;
    save();
    raise<device::DeviceError>("{}; the results of {} of {} are saved, continue with --resume",
                               error.what(), chunks_done(), counted(own_part().size(), "chunk"));
  }
}

void DocumentSearch::save() {
  if (!options_.checkpoint || !leads()) return;
  input_.check_unchanged();
  options_.checkpoint(document_);
  saved_ = Clock::now();
}

void DocumentSearch::report() {
  reported_ = Clock::now();
  if (!options_.progress) return;
  const double seconds = std::max(seconds_since(start_), 1e-9);
  // Other processes do as much.
  const std::uint64_t walked = walked_ * processes();
  const std::uint64_t all = own_part().size() * finalists();
  options_.progress({std::min(walks_before_ + walked, all), all, seconds,
                     double(space().size()) * double(walked) *
                         double(space().chunk_words * word_bytes_) / seconds});
}

/// True if all pipelines behind a finalist have failed: an earlier part of the search found the
/// finalist wrong, and was interrupted while it verified the best.
bool DocumentSearch::is_excluded(std::size_t index) const {
  const std::uint64_t pipelines = document_.space.pipelines();
  return std::uint64_t(std::ranges::count_if(document_.failed, [&](std::uint64_t id) {
           return id / pipelines == index;
         })) >= pipelines;
}

/// Excludes the pipelines behind a prelude that did not give back the input, and verifies the best
/// if that was asked for.
void DocumentSearch::verify() {
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
  const auto restores_id = [&](std::uint64_t id) {
    const synth::Method method = document_.space.method_at(id);
    if (options_.sample == 1) {
      return decodes(parts_of(input_), method, word_bytes_, space().chunk_words,
                     document_.compressed_bytes(id), options_);
    }
    // A prelude needs the whole input, and was undone on it.
    const TransformedInput behind = finalist(id / pipelines);
    const SampledParts sample(behind.input, space().chunk_words, options_.sample);
    return decodes(
        sample.parts, {{}, method.pipeline}, word_bytes_, space().chunk_words,
        document_.payload_bytes[id] + overhead_of(sample.parts, method.pipeline, word_bytes_),
        options_);
  };
  std::vector<std::uint64_t> failed;
  for (std::size_t i = 0; i < document_.ranking.size() && i < options_.verification.top; ++i) {
    if (options_.stopped()) {
      document_.run.complete = false;  // all chunks are done, but verification must start again
      return;
    }
    if (!restores_id(document_.ranking[i])) failed.push_back(document_.ranking[i]);
  }
  document_.failed.insert(document_.failed.end(), failed.begin(), failed.end());
  document_.run.failures += failed.size();
  results::finish(document_);
}

results::Document search_with_preludes(const data::Input& input, const synth::Plan& plan,
                                       const PreludeOptions& preludes, const SearchOptions& options,
                                       const results::Document* done) {
  return DocumentSearch(input, plan, preludes, options).run(done);
}

}  // namespace fpsynth::search
