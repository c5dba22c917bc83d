// The part of a document's search that several processes do together.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "results/documents/merge.hpp"
#include "runners/search/document_search.hpp"
#include "runners/search/search.hpp"
#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::search {
namespace {

using Json = nlohmann::json;
using Bytes = Peers::Bytes;

Json json_of(const std::vector<results::ChunkRange>& ranges) {
  Json json = Json::array();
  for (const results::ChunkRange& range : ranges) json.push_back({range.begin, range.end});
  return json;
}

std::vector<results::ChunkRange> ranges_from(const Json& json) {
  std::vector<results::ChunkRange> ranges;
  for (const Json& range : json) ranges.push_back({range.at(0), range.at(1)});
  return ranges;
}

/// Calls field(name, value) for each sum of a document.
void list_sums(auto field, auto& document) {
  auto& run = document.run;
  field("sampled_bytes", document.sampled_bytes);
  field("payload_bytes", document.payload_bytes);
  field("failed", document.failed);
  field("edges", run.edges_verified);
  field("merged_states", run.merged_states);
  field("failures", run.failures);
  field("threads", run.threads);
  field("backend", run.backend);
  field("device", run.device);
}

/// The sums of a document, for sums_from().
Bytes bytes_of_sums(const results::Document& document) {
  Json json = {{"ranges", json_of(document.chunk_ranges)}};
  list_sums([&](const char* name, const auto& value) { json[name] = value; }, document);
  return to_cbor(json);
}

results::Document sums_from(const Bytes& bytes) {
  const Json json = from_cbor(bytes);
  results::Document document;
  document.chunk_ranges = ranges_from(json.at("ranges"));
  list_sums([&](const char* name, auto& value) { json.at(name).get_to(value); }, document);
  return document;
}

}  // namespace

bool DocumentSearch::begin_together(bool begins) {
  if (!options_.peers) return begins;
  Json own = {{"begins", begins}, {"xxh3", document_.data.xxh3}};
  if (leads() && begins) {
    own["ranges"] = json_of(document_.chunk_ranges);
    for (const synth::Prelude& prelude : document_.space.preludes) {
      own["preludes"].push_back(synth::to_string(prelude));
    }
  }
  const std::vector<Bytes> all = options_.peers->exchange("the beginning", to_cbor(own));
  refuse_other_data(
      document_.data.name + " " + std::string(synth::to_string(document_.data.precision)), all);
  const Json first = from_cbor(all.front());
  if (!first.at("begins")) return false;
  covered_ = ranges_from(first.at("ranges"));
  if (leads()) return true;
  document_.chunk_ranges.clear();
  document_.space.preludes.clear();
  for (const std::string text : first.at("preludes")) {
    document_.space.preludes.push_back(synth::parse_prelude(text));
  }
  return true;
}

DocumentSearch::Agreement DocumentSearch::agree(const std::string& step, const Agreement& own) {
  if (!options_.peers) return own;
  const Json json = {{"stop", own.stop}, {"save", own.save}, {"seconds", own.seconds}};
  Agreement all;
  for (const Bytes& bytes : options_.peers->exchange(step, to_cbor(json))) {
    const Json one = from_cbor(bytes);
    all.stop |= one.at("stop").get<bool>();
    all.save |= one.at("save").get<bool>();
    all.seconds = std::max(all.seconds, one.at("seconds").get<double>());
  }
  return all;
}

void DocumentSearch::collect() {
  if (!options_.peers) return;
  const auto all = options_.peers->gather("the sums", leads() ? Bytes() : bytes_of_sums(document_));
  if (!leads()) return start_document();
  results::Run& run = document_.run;
  std::uint64_t threads = std::uint64_t(engine_->threads());
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    const results::Document sums = sums_from(all[rank]);
    if (sums.payload_bytes.size() != document_.payload_bytes.size()) {
      raise(
          "rank {} has searched another space; start all ranks with the same arguments and the "
          "same build of the program",
          rank);
    }
    threads += sums.run.threads;
    if (sums.chunk_ranges.empty()) continue;
    results::add_sums(document_, sums);
    results::join_distinct(run.backend, sums.run.backend);
    results::join_distinct(run.device, sums.run.device);
  }
  run.threads = std::max(run.threads, std::min(threads, run.chunks_total));
  results::finish(document_);
}

}  // namespace fpsynth::search
