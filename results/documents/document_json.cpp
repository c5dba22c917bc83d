// Reader and writer of result documents. The long arrays stand on one line each: a study of
// 26 documents of 138,240 pipelines stays at a few dozen megabytes and diffs by field.

#include <fmt/format.h>

#include <algorithm>

#include "results/documents/data_set_json.hpp"
#include "results/documents/document.hpp"
#include "results/documents/space_json.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json_field.hpp"

namespace fpsynth::results {
namespace {

using Json = nlohmann::ordered_json;

// A source's path may hold any bytes; JSON holds UTF-8.
std::string text_of(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string numbers(const std::vector<std::uint64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ","));
}

Json to_json(const Run& run) {
  return {{"program_version", run.program_version},
          {"commit", run.commit},
          {"compiler", run.compiler},
          {"backend", run.backend},
          {"device", run.device},
          {"threads", run.threads},
          {"verification", run.verification},
          {"edges_verified", run.edges_verified},
          {"failures", run.failures},
          {"seconds", run.seconds},
          {"pipeline_bytes_per_second", run.pipeline_bytes_per_second},
          {"sample", run.sample},
          {"chunks_total", run.chunks_total},
          {"chunks_done", run.chunks_done},
          {"complete", run.complete}};
}

Json top_entry(const Document& document, std::size_t index) {
  const std::uint64_t id = document.ranking[index];
  return {{"rank", index + 1},
          {"id", id},
          {"pipeline", to_string(document.space.at(id))},
          {"payload_bytes", document.payload_bytes[id]},
          {"compressed_bytes", document.compressed_bytes(id)},
          {"ratio", document.ratio(id)}};
}

Run run_from(const Field& field) {
  Run run;
  run.program_version = field["program_version"].text();
  run.commit = field["commit"].text();
  run.compiler = field["compiler"].text();
  run.backend = field["backend"].text();
  run.device = field["device"].text();
  run.threads = field["threads"].whole();
  run.verification = field["verification"].text();
  run.edges_verified = field["edges_verified"].whole();
  run.failures = field["failures"].whole();
  run.seconds = field["seconds"].real();
  run.pipeline_bytes_per_second = field["pipeline_bytes_per_second"].real();
  run.sample = field["sample"].whole();
  run.chunks_total = field["chunks_total"].whole();
  run.chunks_done = field["chunks_done"].whole();
  run.complete = field["complete"].flag();
  return run;
}

// The spelled-out entries follow from the rest; they are read only to catch edited documents.
void check_top(const Field& field, const Document& document) {
  const std::vector<Field> entries = field.items();
  if (entries.size() != std::min(kSpelledOut, document.ranking.size())) {
    field.fail(fmt::format("{} entries", std::min(kSpelledOut, document.ranking.size())));
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::uint64_t id = document.ranking[i];
    const auto check = [&](const char* key, std::uint64_t value) {
      if (entries[i][key].whole() != value) entries[i][key].fail(fmt::format("{}", value));
    };
    check("rank", i + 1);
    check("id", id);
    check("payload_bytes", document.payload_bytes[id]);
    check("compressed_bytes", document.compressed_bytes(id));
    const std::string text = to_string(document.space.at(id));
    if (entries[i]["pipeline"].text() != text) entries[i]["pipeline"].fail(text);
    entries[i]["ratio"].real();
  }
}

Document document_from(const Field& top) {
  check_schema(top, kDocumentSchema, kDocumentVersion);
  Document document;
  document.data = data_set_from_json(top["dataset"]);
  document.space = space_from_json(top["space"]);
  document.run = run_from(top["run"]);
  for (const Field& range : top["chunk_ranges"].items()) {
    const std::vector<std::uint64_t> ends = range.wholes();
    if (ends.size() != 2) range.fail("[begin, end]");
    document.chunk_ranges.push_back({ends[0], ends[1]});
  }
  document.sampled_bytes = top["sampled_bytes"].whole();
  document.overhead_bytes = top["overhead_bytes"].whole();
  document.failed = top["failed"].wholes();
  document.ranking = top["ranking"].wholes();
  document.payload_bytes = top["payload_bytes"].wholes();
  validate(document);
  check_top(top["top"], document);
  return document;
}

std::string document_text(const Document& document) {
  std::vector<std::string> ranges, top;
  for (const ChunkRange& range : document.chunk_ranges) {
    ranges.push_back(fmt::format("[{},{}]", range.begin, range.end));
  }
  for (std::size_t i = 0; i < std::min(kSpelledOut, document.ranking.size()); ++i) {
    top.push_back(text_of(top_entry(document, i)));
  }
  return fmt::format(
      "{{\n"
      "\"schema\": \"{}\",\n"
      "\"version\": {},\n"
      "\"dataset\": {},\n"
      "\"space\": {},\n"
      "\"run\": {},\n"
      "\"chunk_ranges\": [{}],\n"
      "\"sampled_bytes\": {},\n"
      "\"overhead_bytes\": {},\n"
      "\"failed\": {},\n"
      "\"top\": [\n{}\n],\n"
      "\"ranking\": {},\n"
      "\"payload_bytes\": {}\n"
      "}}\n",
      kDocumentSchema, kDocumentVersion, text_of(data_set_to_json(document.data)),
      text_of(space_to_json(document.space)), text_of(to_json(document.run)),
      fmt::join(ranges, ","), document.sampled_bytes, document.overhead_bytes,
      numbers(document.failed), fmt::join(top, ",\n"), numbers(document.ranking),
      numbers(document.payload_bytes));
}

}  // namespace

void write_document(const std::filesystem::path& path, const Document& document) {
  try {
    validate(document);
  } catch (const Error& error) {
    throw Error(fmt::format("cannot write {}: {}", path.string(), error.what()));
  }
  write_whole(path, document_text(document));
}

Document read_document(const std::filesystem::path& path) {
  return read_json_as(path, document_from);
}

}  // namespace fpsynth::results
