#include "runners/search/search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "results/documents/merge.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/data/description.hpp"
#include "runners/device/device.hpp"
#include "runners/search/checks.hpp"
#include "runners/search/engine.hpp"
#include "runners/search/parts.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/version.hpp"
#include "synth/common/words.hpp"
#include "synth/stage_list.hpp"

namespace fpsynth::search {
namespace {

constexpr double kProgressSeconds = 0.2;

class Search {
 public:
  Search(const data::Input& input, const synth::Plan& plan, const SearchOptions& options)
      : input_(input),
        view_(input.view()),
        cutting_(input.cutting(plan.space().chunk_words)),
        word_bytes_(synth::word_bytes(input.native())),
        plan_(plan),
        options_(options),
        mode_(options.verification.kind == Verification::Kind::All ? Mode::Verify : Mode::Count) {
    refuse_no_words(input);
    engine_ = options.make_engine(plan, word_bytes_, mode_);
    document_ = empty_document(data::description_of(input), plan.space(), options);
    chunks_total_ = cutting_.chunks(options.sample);
  }

  results::Document run(const results::Document* done) {
    std::vector<results::ChunkRange> earlier;
    if (done) earlier = done->chunk_ranges;
    chunks_before_ = results::chunks_in(earlier);
    const results::ChunkRange part = options_.part_of(chunks_total_);
    std::vector<std::uint64_t> queue;
    for (const results::ChunkRange& missing : results::missing_in(earlier, part)) {
      for (std::uint64_t chunk = missing.begin; chunk < missing.end; ++chunk)
        queue.push_back(chunk);
    }
    part_chunks_ = part.size();
    part_before_ = part_chunks_ - queue.size();
    start_ = Clock::now();
    finished_.assign(queue.size(), 0);
    // The queue is walked in segments, so that the engine's counters can be read between them.
    std::size_t begin = 0, length = engine_->first_segment();
    while (begin < queue.size() && !options_.stopped()) {
      const auto segment_start = Clock::now();
      const std::size_t end = std::min(queue.size(), begin + length);
      try {
        walk_segment(queue, begin, end);
      } catch (const device::DeviceError& error) {
        give_up(queue, done, error);
      }
      const double seconds = std::max(seconds_since(segment_start), 1e-3);
      length = std::max<std::size_t>(
          1, static_cast<std::size_t>(double(end - begin) * options_.checkpoint_seconds / seconds));
      begin = end;
      if (options_.checkpoint && begin < queue.size() && !options_.stopped()) {
        input_.check_unchanged();
        options_.checkpoint(collect(queue, done));
      }
    }
    report();
    refuse_changed(input_, document_.data);
    return collect(queue, done);
  }

  /// The data and options of this search, for comparison with an earlier one.
  const results::Document& identity() const { return document_; }

 private:
  std::size_t chunk_words() const { return plan_.space().chunk_words; }

  void walk_segment(const std::vector<std::uint64_t>& queue, std::size_t begin, std::size_t end) {
    std::vector<std::span<const std::byte>> chunks;
    for (std::size_t i = begin; i < end; ++i) {
      chunks.push_back(chunk_of(input_, chunk_words(), options_.sample, queue[i]));
    }
    const WalkCallbacks callbacks{[this] { return options_.stopped(); },
                                  [this](std::uint64_t walked) {
                                    chunks_walked_ += walked;
                                    if (seconds_since(reported_) > kProgressSeconds) report();
                                  }};
    engine_->walk(chunks, std::span(finished_).subspan(begin, end - begin), callbacks);
  }

  /// The words of a chunk that are values of the data set.
  std::uint64_t values_of(std::uint64_t chunk) const {
    const auto [begin, words] = cutting_.at(chunk);
    return document_.data.values_in(begin + words) - document_.data.values_in(begin);
  }

  /// Called after a device has failed. Keeps what was done before and throws.
  [[noreturn]] void give_up(const std::vector<std::uint64_t>& queue, const results::Document* done,
                            const device::DeviceError& error) {
    const std::uint64_t kept = part_before_ + chunks_walked_;
    if (kept == 0 || !options_.checkpoint) throw error;
    input_.check_unchanged();
    options_.checkpoint(collect(queue, done));
    throw with_rest_saved(error, kept, part_chunks_);
  }

  void report() {
    reported_ = Clock::now();
    if (!options_.progress) return;
    const double seconds = seconds_since(start_);
    const double bytes = double(chunks_walked_) * double(chunk_words() * word_bytes_);
    options_.progress({part_before_ + chunks_walked_, part_chunks_, seconds,
                       double(plan_.space().size()) * bytes / std::max(seconds, 1e-9)});
  }

  /// The engine's counters as a document, merged with what was done before.
  results::Document collect(const std::vector<std::uint64_t>& queue,
                            const results::Document* done) const {
    results::Document part = document_;
    // An engine has other names after another one has taken over (engine_or).
    part.run.backend = engine_->backend();
    part.run.device = engine_->device();
    part.run.threads = std::min(static_cast<std::uint64_t>(engine_->threads()), chunks_total_);
    std::uint64_t chunks = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      if (!finished_[i]) continue;
      ++chunks;
      part.chunk_ranges.push_back({queue[i], queue[i] + 1});
      part.sampled_bytes += values_of(queue[i] * options_.sample) * word_bytes_;
      if (queue[i] + 1 == chunks_total_) part.sampled_bytes += view_.tail;
    }
    part.chunk_ranges = results::normalized(part.chunk_ranges);
    part.run.seconds = seconds_since(start_);

    Totals totals(plan_);
    engine_->add_to(totals);
    const std::vector<std::uint8_t> leaf_failed = failures_of(totals, part.run.failures);
    if (mode_ == Mode::Verify) part.run.edges_verified = chunks * plan_.edges();
    part.run.merged_states = totals.merged_states;

    part.payload_bytes.resize(plan_.leaf_of_id().size());
    for (std::uint64_t id = 0; id < part.payload_bytes.size(); ++id) {
      const std::uint32_t leaf = plan_.leaf_of_id()[id];
      part.payload_bytes[id] =
          totals.block_bytes[leaf] +
          chunks * synth::frame_bytes(plan_.space().at(id), word_bytes_, chunk_words());
      if (leaf_failed[leaf]) part.failed.push_back(id);
    }
    results::finish(part);
    if (!done || chunks_before_ == 0) return part;
    const results::Document parts[] = {*done, part};
    return results::merge(parts, results::Timing::Sequential);
  }

  /// The leaves that failed; a failed edge fails every leaf below it. Adds the number of failed
  /// edges to `failures`.
  std::vector<std::uint8_t> failures_of(const Totals& totals, std::uint64_t& failures) const {
    std::vector<std::uint8_t> leaf_failed(plan_.leaves().size());
    std::vector<std::uint8_t> failed_at(plan_.space().stages + 1);  // by depth: on the current path
    for (std::size_t n = 0; n < plan_.nodes().size(); ++n) {
      const synth::PlanNode& node = plan_.nodes()[n];
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

  const data::Input& input_;
  data::View view_;
  results::Cutting cutting_;
  std::size_t word_bytes_;
  const synth::Plan& plan_;
  const SearchOptions& options_;
  Mode mode_;
  std::unique_ptr<Engine> engine_;
  results::Document document_;  ///< the parts that do not change while the search runs
  std::uint64_t chunks_total_ = 0, chunks_before_ = 0;
  std::uint64_t part_chunks_ = 0, part_before_ = 0;  ///< of options_.part, and done before
  std::vector<std::uint8_t> finished_;               ///< by index in the queue
  std::uint64_t chunks_walked_ = 0;                  ///< by this search
  Clock::time_point start_ = Clock::now(), reported_ = start_;
};

}  // namespace

results::Document search(const data::Input& input, const synth::Plan& plan,
                         const SearchOptions& options, const results::Document* done) {
  Search search(input, plan, options);
  if (done) {
    check_resumable(*done, search.identity());
    if (is_finished(*done, options)) return *done;
  }
  results::Document document = search.run(done);
  if (document.run.complete && options.verification.kind == Verification::Kind::Top) {
    const std::size_t chunk_words = plan.space().chunk_words;
    const std::size_t word_bytes = synth::word_bytes(input.native());
    const SampledParts sample(input, chunk_words, options.sample);
    verify_top(document, options, [&](std::uint64_t id) {
      const synth::Pipeline pipeline = document.space.at(id);
      return decodes(sample.parts, {{}, pipeline}, word_bytes, chunk_words,
                     document.payload_bytes[id] + overhead_of(sample.parts, pipeline, word_bytes),
                     options);
    });
  }
  return document;
}

results::Document empty_document(results::DataSet data, const synth::Space& space,
                                 const SearchOptions& options) {
  results::Document document;
  const std::size_t word_bytes = synth::word_bytes(data.precision);
  const results::Cutting cutting = data.cutting(space.chunk_words);
  document.overhead_bytes =
      data.hdf5 ? cutting.share_of(
                      cutting.parts * codec::overhead_bytes(
                                          space.at(0), cutting.part_words * word_bytes, word_bytes),
                      options.sample)
                : codec::overhead_bytes(space.at(0), data.bytes, word_bytes);
  document.data = std::move(data);
  document.space = space;
  document.run.program_version = synth::kVersion;
  document.run.commit = synth::kCommit;
  document.run.compiler = synth::kCompiler;
  document.run.verification = options.verification.text();
  document.run.sample = options.sample;
  document.race = options.race;
  return document;
}

std::span<const std::byte> chunk_of(const data::Input& input, std::size_t chunk_words,
                                    std::uint64_t sample, std::uint64_t index) {
  const auto [begin, words] = input.cutting(chunk_words).at(index * sample);
  const std::size_t word_bytes = synth::word_bytes(input.native());
  return input.bytes().subspan(begin * word_bytes, words * word_bytes);
}

std::vector<std::byte> sampled(const data::Input& input, std::uint64_t sample,
                               std::size_t chunk_words) {
  std::vector<std::byte> bytes;
  const std::uint64_t chunks = input.cutting(chunk_words).chunks(sample);
  for (std::uint64_t index = 0; index < chunks; ++index) {
    const auto chunk = chunk_of(input, chunk_words, sample, index);
    bytes.insert(bytes.end(), chunk.begin(), chunk.end());
  }
  const auto tail = input.bytes().last(input.view().tail);
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  return bytes;
}

}  // namespace fpsynth::search
