#include "results/documents/merge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "synth/common/error.hpp"

namespace fpsynth::results {
namespace {

void check_same(const Document& first, const Document& other) {
  const auto compare = [&](std::string_view what, const auto& a, const auto& b) {
    if (a == b) return;
    throw Error(
        fmt::format("parts of {} ({}) and {} ({}) cannot be merged: {} '{}' and '{}'; "
                    "merge only parts of one search",
                    first.data.name, synth::to_string(first.data.precision), other.data.name,
                    synth::to_string(other.data.precision), what, a, b));
  };
  compare("data set", first.data.name, other.data.name);
  compare("precision", synth::to_string(first.data.precision),
          synth::to_string(other.data.precision));
  compare("XXH3 of the data", first.data.xxh3, other.data.xxh3);
  compare("bytes", first.data.bytes, other.data.bytes);
  compare("sample", first.run.sample, other.run.sample);
  compare("overhead bytes", first.overhead_bytes, other.overhead_bytes);
  const auto joined_overheads = [](const Document& document) {
    return fmt::format("{}", fmt::join(document.prelude_overhead_bytes, " "));
  };
  compare("overhead bytes of preludes", joined_overheads(first), joined_overheads(other));
  compare("verification", first.run.verification, other.run.verification);
  if (first.space != other.space) {
    compare("space", first.space.describe(), other.space.describe() + " (other components)");
  }
}

/// The distinct values of a member, joined: parts may come from several machines or builds.
std::string joined(std::span<const Document> parts, std::string Run::*member) {
  std::vector<std::string> texts;
  for (const Document& part : parts) {
    const std::string& text = part.run.*member;
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

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

Document merge(std::span<const Document> parts, Timing timing) {
  if (parts.empty()) throw UsageError("there is nothing to merge; name at least one document");
  for (const Document& part : parts) {
    check_same(parts.front(), part);
    validate(part);
  }

  Document whole = parts.front();
  Run& run = whole.run;
  for (const auto member :
       {&Run::program_version, &Run::commit, &Run::compiler, &Run::backend, &Run::device}) {
    run.*member = joined(parts, member);
  }
  for (const Document& part : parts.subspan(1)) {
    add_sums(whole, part);
    if (timing == Timing::Sequential) {
      run.seconds += part.run.seconds;
      run.threads = std::max(run.threads, part.run.threads);
    } else {
      run.seconds = std::max(run.seconds, part.run.seconds);
      run.threads += part.run.threads;
    }
  }
  try {
    finish(whole);
  } catch (const Error& error) {
    throw Error(fmt::format("parts of {} ({}): {}", whole.data.name,
                            synth::to_string(whole.data.precision), error.what()));
  }
  validate(whole);
  return whole;
}

}  // namespace fpsynth::results
