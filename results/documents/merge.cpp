#include "results/documents/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "results/documents/fields.hpp"
#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::results {
namespace {

void check_same(const Document& first, const Document& other) {
  const auto compare = [&](std::string_view what, const auto& a, const auto& b) {
    if (a == b) return;
    raise("parts of {} and {} cannot be merged: {} '{}' and '{}'; merge only parts of one search",
          label(first.data), label(other.data), what, a, b);
  };
  compare("data set", first.data.name, other.data.name);
  compare("precision", synth::to_string(first.data.precision),
          synth::to_string(other.data.precision));
  compare("XXH3 of the data", first.data.xxh3, other.data.xxh3);
  compare("bytes", first.data.bytes, other.data.bytes);
  if (first.data.hdf5 != other.data.hdf5) {
    const auto laid = [](const Document& one) {
      return one.data.hdf5 ? one.data.hdf5->text() + " " + one.data.hdf5->fill : "none";
    };
    compare("HDF5 chunks", laid(first), laid(other));
  }
  compare("sample", first.run.sample, other.run.sample);
  compare("overhead bytes", first.overhead_bytes, other.overhead_bytes);
  const auto joined_overheads = [](const Document& document) {
    return joined(document.prelude_overhead_bytes, " ");
  };
  compare("overhead bytes of preludes", joined_overheads(first), joined_overheads(other));
  compare("verification", first.run.verification, other.run.verification);
  if (first.space != other.space) {
    compare("space", first.space.describe(),
            other.space.describe() + " (other components or pipelines)");
  }
  if (first.race != other.race) {
    const auto raced = [](const Document& document) {
      return document.race ? json_text(json_of(*document.race)) : "none";
    };
    compare("race", raced(first), raced(other));
  }
  if (first.prelude_candidates != other.prelude_candidates) {
    const auto tried = [](const Document& document) {
      return counted(document.prelude_candidates.size(), "candidate");
    };
    compare("preludes that were tried", tried(first), tried(other) + " (other estimates)");
  }
}

/// Between the distinct values of a field of documents that were merged.
constexpr std::string_view kBetween = "; ";

}  // namespace

void join_distinct(std::string& texts, std::string_view more) {
  for (std::size_t begin = 0; begin <= more.size();) {
    const std::size_t end = std::min(more.find(kBetween, begin), more.size());
    const std::string_view text = more.substr(begin, end - begin);
    const std::string known = fmt::format("{0}{1}{0}", kBetween, texts);
    if (known.find(fmt::format("{0}{1}{0}", kBetween, text)) == known.npos) {
      texts += fmt::format("{}{}", texts.empty() ? "" : kBetween, text);
    }
    begin = end + kBetween.size();
  }
}

void add_sums(Document& whole, const Document& part) {
  whole.chunk_ranges.insert(whole.chunk_ranges.end(), part.chunk_ranges.begin(),
                            part.chunk_ranges.end());
  whole.failed.insert(whole.failed.end(), part.failed.begin(), part.failed.end());
  whole.sampled_bytes += part.sampled_bytes;
  for (std::size_t id = 0; id < whole.payload_bytes.size(); ++id) {
    whole.payload_bytes[id] += part.payload_bytes[id];
  }
  whole.run.edges_verified += part.run.edges_verified;
  whole.run.merged_states += part.run.merged_states;
  whole.run.failures += part.run.failures;
}

void Merger::add(const Document& part) {
  if (sum_) check_same(*sum_, part);
  validate(part);
  if (!sum_) {
    sum_ = part;
    return;
  }
  add_sums(*sum_, part);
  Run& run = sum_->run;
  for (const auto member :
       {&Run::program_version, &Run::commit, &Run::compiler, &Run::backend, &Run::device}) {
    join_distinct(run.*member, part.run.*member);
  }
  if (timing_ == Timing::Sequential) {
    run.seconds += part.run.seconds;
    run.threads = std::max(run.threads, part.run.threads);
  } else {
    run.seconds = std::max(run.seconds, part.run.seconds);
    run.threads += part.run.threads;
  }
}

Document Merger::whole() const {
  if (!sum_) throw UsageError("there is nothing to merge; name at least one document");
  Document whole = *sum_;
  located("parts of " + label(whole.data), [&] { finish(whole); });
  validate(whole);
  return whole;
}

Document merge(std::span<const Document> parts, Timing timing) {
  Merger merger(timing);
  for (const Document& part : parts) merger.add(part);
  return merger.whole();
}

}  // namespace fpsynth::results
