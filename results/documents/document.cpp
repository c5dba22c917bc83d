#include "results/documents/document.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "results/documents/check_field.hpp"
#include "results/documents/fields.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::results {
namespace {

/// The ids of listed pipelines in the space that has them all.
std::vector<std::uint64_t> ids_of(const std::vector<JsonValue>& items, const synth::Space& whole) {
  std::vector<std::uint64_t> ids;
  for (const JsonValue& item : items) {
    synth::Pipeline pipeline;
    item.check([&] { pipeline = synth::parse_pipeline(item.text()); });
    const auto id = whole.id_of(pipeline);
    if (!id) item.fail(fmt::format("a pipeline of the space ({})", whole.describe()));
    ids.push_back(*id);
  }
  return ids;
}

unsigned count_of_stages(const JsonValue& value) {
  return static_cast<unsigned>(value.whole(0, synth::kMaxStages));
}

std::vector<std::uint64_t> compressed_sizes(const Document& document) {
  std::vector<std::uint64_t> bytes(document.payload_bytes.size());
  for (std::uint64_t id = 0; id < bytes.size(); ++id) bytes[id] = document.compressed_bytes(id);
  return bytes;
}

void validate_run(const Run& run, const DataSet& data, std::size_t chunk_words) {
  check_field(run.threads > 0, "run.threads", "0 threads");
  check_field(is_verification(run.verification), "run.verification",
              "'{}' is not all, none or top=K", run.verification);
  if (run.sample == 0) contradiction("run.sample", "one chunk in 0");
  const std::uint64_t chunks = data.cutting(chunk_words).chunks(run.sample);
  check_field(run.chunks_total == chunks, "run.chunks_total",
              "{} values and sample {} make {} chunks, not {}", data.values, run.sample, chunks,
              run.chunks_total);
  check_field(!run.complete || run.chunks_done == run.chunks_total, "run.complete",
              "true, but only {} of {} chunks are done", run.chunks_done, run.chunks_total);
}

void validate_ranges(const Document& document) {
  const Run& run = document.run;
  std::uint64_t from = 0;
  for (const ChunkRange& range : document.chunk_ranges) {
    check_field(range.begin >= from && range.end > range.begin && range.end <= run.chunks_total,
                "chunk_ranges",
                "[{}, {}) is empty, overlaps or adjoins the range before it, or passes the {} "
                "chunks of the run",
                range.begin, range.end, run.chunks_total);
    from = range.end + 1;
  }
  const std::uint64_t done = chunks_in(document.chunk_ranges);
  check_field(done == run.chunks_done, "run.chunks_done", "{}, but chunk_ranges holds {} chunks",
              run.chunks_done, done);
  const std::uint64_t chunk_bytes =
      document.space.chunk_words * synth::word_bytes(document.data.precision);
  const std::uint64_t most =
      document.sampled()
          ? std::min(document.data.bytes, done * chunk_bytes + document.data.tail_bytes)
          : covered_bytes(document.data, document.chunk_ranges, document.space.chunk_words);
  check_field(document.sampled() ? document.sampled_bytes <= most : document.sampled_bytes == most,
              "sampled_bytes", "{}, but the {} chunks done hold {}{}", document.sampled_bytes, done,
              document.sampled() ? "at most " : "", most);
}

void validate_ids(const Document& document) {
  const std::uint64_t size = document.space.size();
  check_field(document.payload_bytes.size() == size, "payload_bytes",
              "{} numbers for a space of {} pipelines", document.payload_bytes.size(), size);
  std::vector<bool> excluded(size);
  for (std::size_t i = 0; i < document.failed.size(); ++i) {
    const std::uint64_t id = document.failed[i];
    check_field(id < size && (i == 0 || id > document.failed[i - 1]), "failed",
                "id {} is out of order or not below {}", id, size);
    excluded[id] = true;
  }
  check_field(document.failed.empty() == (document.run.failures == 0), "run.failures",
              "{}, but {} pipelines failed", document.run.failures, document.failed.size());
  // If the order by (size, id) is strictly ascending, no id occurs twice.
  const std::vector<std::uint64_t>& ids = document.ranking;
  const std::vector<std::uint64_t> bytes = compressed_sizes(document);
  check_field(ids.size() == size - document.failed.size(), "ranking",
              "{} ids, but {} pipelines did not fail", ids.size(), size - document.failed.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    check_field(ids[i] < size && !excluded[ids[i]], "ranking",
                "id {} at rank {} failed or is not below {}", ids[i], i + 1, size);
    const std::uint64_t before = ids[i > 0 ? i - 1 : 0];
    check_field(i == 0 || std::tie(bytes[ids[i]], ids[i]) > std::tie(bytes[before], before),
                "ranking",
                "id {} at rank {} does not follow id {}: the ranking is sorted by size, and by id "
                "for equal sizes",
                ids[i], i + 1, before);
  }
}

void validate_preludes(const Document& document) {
  const synth::Space& space = document.space;
  const std::vector<std::uint64_t>& overheads = document.prelude_overhead_bytes;
  for (const synth::Prelude& prelude : space.preludes) {
    const auto what = synth::defect(prelude, synth::word_bytes(document.data.precision));
    if (!what.empty()) contradiction("space.preludes", what);
  }
  check_field(overheads.size() == (space.has_preludes() ? space.preludes.size() : 0) &&
                  (overheads.empty() || overheads.front() == document.overhead_bytes),
              "prelude_overhead_bytes",
              "{} numbers for a space of {} preludes, of which the first is to be overhead_bytes, "
              "or none for a space without",
              overheads.size(), space.preludes.size());
}

}  // namespace

double Document::ratio(std::uint64_t id) const {
  return results::ratio(sampled_bytes, compressed_bytes(id));
}

bool is_verification(std::string_view text) {
  if (text == "all" || text == "none") return true;
  return text.starts_with("top=") && whole_number(text.substr(4)).value_or(0) > 0;
}

std::uint64_t covered_bytes(const DataSet& data, const std::vector<ChunkRange>& ranges,
                            std::size_t chunk_words) {
  const Cutting cutting = data.cutting(chunk_words);
  const std::uint64_t chunks = cutting.chunks(), word = synth::word_bytes(data.precision);
  if (chunks == 0) return data.bytes;  // the data are only a tail, which every run covers
  const auto values_in = [&](std::uint64_t first) {
    return first == chunks ? data.values : data.values_in(cutting.at(first).begin);
  };
  std::uint64_t values = 0, tail = 0;
  for (const ChunkRange& range : ranges) {
    const std::uint64_t end = std::min(range.end, chunks);
    values += values_in(end) - values_in(range.begin);
    if (end == chunks) tail = data.tail_bytes;
  }
  return values * word + tail;
}

double ratio(std::uint64_t original_bytes, std::uint64_t compressed_bytes) {
  return compressed_bytes == 0
             ? 0.0
             : static_cast<double>(original_bytes) / static_cast<double>(compressed_bytes);
}

std::vector<std::uint64_t> rank(std::span<const std::uint64_t> bytes,
                                std::span<const std::uint64_t> failed) {
  std::vector<bool> excluded(bytes.size());
  for (const std::uint64_t id : failed) {
    if (id >= bytes.size()) {
      raise("failed pipeline {} is not in the space, which has {} pipelines", id, bytes.size());
    }
    excluded[id] = true;
  }
  std::vector<std::uint64_t> ids;
  ids.reserve(bytes.size());
  for (std::uint64_t id = 0; id < bytes.size(); ++id) {
    if (!excluded[id]) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end(), [&](std::uint64_t a, std::uint64_t b) {
    return std::tie(bytes[a], a) < std::tie(bytes[b], b);
  });
  return ids;
}

void set_ranking(Document& document) {
  document.ranking = rank(compressed_sizes(document), document.failed);
}

void finish(Document& document) {
  Run& run = document.run;
  document.chunk_ranges = normalized(std::move(document.chunk_ranges));
  std::sort(document.failed.begin(), document.failed.end());
  document.failed.erase(std::unique(document.failed.begin(), document.failed.end()),
                        document.failed.end());
  if (run.sample == 0) throw UsageError("one chunk in 0 cannot be sampled; 1 searches them all");
  run.chunks_total = document.data.cutting(document.space.chunk_words).chunks(run.sample);
  run.chunks_done = chunks_in(document.chunk_ranges);
  run.complete = run.chunks_done == run.chunks_total;
  if (!document.sampled()) {
    document.sampled_bytes =
        covered_bytes(document.data, document.chunk_ranges, document.space.chunk_words);
  }
  run.pipeline_bytes_per_second =
      run.seconds > 0 ? static_cast<double>(document.payload_bytes.size()) *
                            static_cast<double>(document.sampled_bytes) / run.seconds
                      : 0;
  set_ranking(document);
}

void validate(const Document& document) {
  validate(document.data);
  document.space.validate();
  validate_run(document.run, document.data, document.space.chunk_words);
  validate_ranges(document);
  validate_preludes(document);
  validate_ids(document);
}

std::string prelude_text(const synth::Prelude& prelude) {
  return prelude.empty() ? "none" : synth::to_string(prelude);
}

nlohmann::ordered_json space_to_json(const synth::Space& space) {
  nlohmann::ordered_json json = {{"stages", space.stages},
                                 {"components", json_of(space.components)},
                                 {"last", json_of(space.last)},
                                 {"cuts", space.cuts}};
  if (space.chunk_words != synth::kChunkWords) json["chunk_words"] = space.chunk_words;
  for (std::size_t i = 0; i < space.only.size(); ++i) {
    json["pipelines"].push_back(to_string(space.at(i)));
  }
  if (space.has_preludes()) json["preludes"] = json_of(space.preludes);
  return json;
}

synth::Space space_from_json(const JsonValue& value) {
  synth::Space space;
  space.stages = count_of_stages(value["stages"]);
  read_field(value["components"], space.components);
  read_field(value["last"], space.last);
  for (const JsonValue& cut : value["cuts"].items()) space.cuts.push_back(count_of_stages(cut));
  if (value.has("chunk_words")) space.chunk_words = value["chunk_words"].whole(1, UINT32_MAX);
  if (value.has("preludes")) read_field(value["preludes"], space.preludes);
  value.check([&] { space.validate(); });
  if (value.has("pipelines")) {
    space.only = ids_of(value["pipelines"].some_items(), space);
    value.check([&] { space.validate(); });
  }
  return space;
}

}  // namespace fpsynth::results
