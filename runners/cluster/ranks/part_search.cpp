#include "runners/cluster/ranks/part_search.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "results/documents/merge.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cluster {

Error Task::changed() const {
  return Error(fmt::format("{} ({}) changed while it was searched; let nothing write to it", name,
                           synth::to_string(precision)));
}

std::vector<std::byte> bytes_of(const data::Input& input, const Job& job, std::size_t task,
                                const results::ChunkRange& range) {
  const synth::Precision precision = job.tasks[task].precision;
  const std::size_t word = synth::word_bytes(precision);
  const std::size_t chunk = job.plan->space().chunk_words * word;
  const std::size_t all = job.tasks[task].words * word, step = job.options.sample * chunk;
  if (job.options.sample == 1) {
    return data::bytes_in(input, precision, range.begin * chunk, std::min(range.end * chunk, all));
  }
  std::vector<std::byte> bytes;
  for (std::uint64_t index = range.begin; index < range.end; ++index) {
    const auto one = data::bytes_in(input, precision, index * step,
                                    std::min<std::size_t>(index * step + chunk, all));
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  return bytes;
}

std::uint64_t checksum_of(const data::Input& stored, const Job& job, std::size_t task,
                          const results::ChunkRange& range) {
  const std::vector<std::byte> bytes = bytes_of(stored, job, task, range);
  return XXH3_64bits(bytes.data(), bytes.size());
}

PartSearch::PartSearch(const Job& job, std::size_t task, std::vector<synth::Prelude> preludes)
    : job_(job),
      task_(task),
      preludes_(std::move(preludes)),
      stored_(job.tasks[task].open()),
      kept_(preludes_.size()) {}

data::Input PartSearch::transformed(std::size_t prelude, const search::SearchOptions& options) {
  if (kept_[prelude]) return *kept_[prelude];
  data::Input input = stored_.in(job_.tasks[task_].precision);
  const bool keep = preludes_.size() * input.bytes().size() <= search::kMostKept;
  input = search::transform_input(input, preludes_[prelude], options).input;
  if (keep) kept_[prelude] = input;
  return input;
}

results::Document PartSearch::search(const results::ChunkRange& range,
                                     search::SearchOptions options) {
  options.part.reset();
  options.sample = 1;
  options.checkpoint = nullptr;
  if (options.verification.kind == search::Verification::Kind::Top) {
    options.verification = search::Verification::parse("none");
  }
  const synth::Precision precision = job_.tasks[task_].precision;
  results::Document sums;
  const std::size_t searches = std::max<std::size_t>(preludes_.size(), 1);
  for (std::size_t index = 0; index < searches; ++index) {
    const data::Input whole = preludes_.empty() ? stored_ : transformed(index, options);
    const data::Input part(job_.tasks[task_].name, bytes_of(whole, job_, task_, range), precision);
    results::Document found = search::search(part, *job_.plan, options);
    for (results::ChunkRange& walked : found.chunk_ranges) {
      walked.begin += range.begin, walked.end += range.begin;
    }
    if (index == 0) {
      sums.chunk_ranges = found.chunk_ranges;
      sums.sampled_bytes = found.sampled_bytes;
      if (!sums.chunk_ranges.empty() && sums.chunk_ranges.back().end == job_.chunks(task_)) {
        sums.sampled_bytes += data::size_in(stored_, precision) % synth::word_bytes(precision);
      }
    } else if (sums.chunk_ranges != found.chunk_ranges) {
      return {};  // stopped; what is not searched behind all preludes does not count
    }
    search::add_behind(sums, found);
  }
  return sums;
}

}  // namespace fpsynth::cluster
