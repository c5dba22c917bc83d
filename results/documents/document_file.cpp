#include "results/documents/document_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "results/documents/race_json.hpp"
#include "results/documents/sizes_file.hpp"
#include "results/documents/space_json.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::results {
namespace {

using Json = nlohmann::ordered_json;

std::string numbers(const std::vector<std::uint64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ","));
}

Json to_json(const Run& run) {
  Json json = {{"program_version", run.program_version},
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
  if (run.merged_states) json["merged_states"] = run.merged_states;
  return json;
}

Json top_entry(const Document& document, std::size_t index) {
  const std::uint64_t id = document.ranking[index];
  return {{"rank", index + 1},
          {"id", id},
          {"pipeline", to_string(document.space.method_at(id))},
          {"payload_bytes", document.payload_bytes[id]},
          {"compressed_bytes", document.compressed_bytes(id)},
          {"ratio", document.ratio(id)}};
}

std::string candidates_text(const std::vector<PreludeCandidate>& candidates) {
  std::vector<std::string> lines;
  for (const PreludeCandidate& candidate : candidates) {
    lines.push_back(json_text(Json{{"prelude", prelude_text(candidate.prelude)},
                                   {"reason", candidate.reason},
                                   {"finalist", candidate.finalist},
                                   {"sampled_chunks", candidate.sampled_chunks},
                                   {"best_pipeline", to_string(candidate.best)},
                                   {"estimated_ratio", candidate.estimated_ratio}}));
  }
  return fmt::format("[\n{}\n]", fmt::join(lines, ",\n"));
}

PreludeCandidate candidate_from(const JsonValue& value) {
  PreludeCandidate candidate;
  candidate.prelude = prelude_from_json(value["prelude"]);
  candidate.reason = value["reason"].text();
  candidate.finalist = value["finalist"].flag();
  candidate.sampled_chunks = value["sampled_chunks"].whole();
  const JsonValue best = value["best_pipeline"];
  best.check([&] { candidate.best = synth::parse_pipeline(best.text()); });
  candidate.estimated_ratio = value["estimated_ratio"].real();
  return candidate;
}

Run run_from(const JsonValue& value) {
  Run run;
  run.program_version = value["program_version"].text();
  run.commit = value["commit"].text();
  run.compiler = value["compiler"].text();
  run.backend = value["backend"].text();
  run.device = value["device"].text();
  run.threads = value["threads"].whole();
  run.verification = value["verification"].text();
  run.edges_verified = value["edges_verified"].whole();
  if (value.has("merged_states")) run.merged_states = value["merged_states"].whole();
  run.failures = value["failures"].whole();
  run.seconds = value["seconds"].real();
  run.pipeline_bytes_per_second = value["pipeline_bytes_per_second"].real();
  run.sample = value["sample"].whole();
  run.chunks_total = value["chunks_total"].whole();
  run.chunks_done = value["chunks_done"].whole();
  run.complete = value["complete"].flag();
  return run;
}

// The entries of "top" are derived from the other fields; they are read only to detect edited
// documents.
void check_top(const JsonValue& value, const Document& document) {
  const std::vector<JsonValue> entries = value.items();
  if (entries.size() != std::min(kSpelledOut, document.ranking.size())) {
    value.fail(fmt::format("{} entries", std::min(kSpelledOut, document.ranking.size())));
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::uint64_t id = document.ranking[i];
    const auto check = [&](const char* key, std::uint64_t expected) {
      if (entries[i][key].whole() != expected) entries[i][key].fail(fmt::format("{}", expected));
    };
    check("rank", i + 1);
    check("id", id);
    check("payload_bytes", document.payload_bytes[id]);
    check("compressed_bytes", document.compressed_bytes(id));
    const std::string text = to_string(document.space.method_at(id));
    if (entries[i]["pipeline"].text() != text) entries[i]["pipeline"].fail(text);
    entries[i]["ratio"].real();
  }
}

SizesFile sizes_file_from(const JsonValue& value) {
  SizesFile file{value["file"].some_text(), value["xxh3"].some_text(), value["bytes"].whole()};
  if (file.name.find('/') != file.name.npos || file.name.starts_with('.')) {
    value["file"].fail("the name of a file in the folder of the document");
  }
  return file;
}

/// `path`: of the document, beside which its sizes may be; empty if it was sent.
Document document_from(const JsonValue& top, const std::filesystem::path& path) {
  top.version_of(kDocumentSchema, kDocumentVersion);
  Document document;
  document.data = data_set_from_json(top["dataset"]);
  document.space = space_from_json(top["space"]);
  document.run = run_from(top["run"]);
  for (const JsonValue& range : top["chunk_ranges"].items()) {
    const std::vector<std::uint64_t> ends = range.wholes();
    if (ends.size() != 2) range.fail("[begin, end]");
    document.chunk_ranges.push_back({ends[0], ends[1]});
  }
  document.sampled_bytes = top["sampled_bytes"].whole();
  document.overhead_bytes = top["overhead_bytes"].whole();
  if (top.has("prelude_overhead_bytes")) {
    document.prelude_overhead_bytes = top["prelude_overhead_bytes"].wholes();
  }
  if (top.has("prelude_candidates")) {
    for (const JsonValue& value : top["prelude_candidates"].items()) {
      document.prelude_candidates.push_back(candidate_from(value));
    }
  }
  if (top.has("race")) document.race = race_from_json(top["race"]);
  document.failed = top["failed"].wholes();
  if (!path.empty() && top.has("sizes")) {
    document.payload_bytes = read_sizes(path, sizes_file_from(top["sizes"]));
    top.check([&] { set_ranking(document); });
  } else {
    document.ranking = top["ranking"].wholes();
    document.payload_bytes = top["payload_bytes"].wholes();
  }
  top.check([&] { validate(document); });
  check_top(top["top"], document);
  return document;
}

/// The text of a document. Each long array is on one line, so that a study of 26 documents of
/// 138,240 pipelines takes only a few dozen megabytes and can be compared field by field with diff.
/// Sizes in `beside` are not in it, and neither is the ranking, which follows from them.
std::string document_text(const Document& document, const std::optional<SizesFile>& beside) {
  std::vector<std::string> ranges, top;
  for (const ChunkRange& range : document.chunk_ranges) {
    ranges.push_back(fmt::format("[{},{}]", range.begin, range.end));
  }
  for (std::size_t i = 0; i < std::min(kSpelledOut, document.ranking.size()); ++i) {
    top.push_back(json_text(top_entry(document, i)));
  }
  std::string more;  // what only some documents have
  if (!document.prelude_overhead_bytes.empty()) {
    more +=
        fmt::format("\"prelude_overhead_bytes\": {},\n", numbers(document.prelude_overhead_bytes));
  }
  if (!document.prelude_candidates.empty()) {
    more +=
        fmt::format("\"prelude_candidates\": {},\n", candidates_text(document.prelude_candidates));
  }
  if (document.race) {
    more += fmt::format("\"race\": {},\n", json_text(race_to_json(*document.race)));
  }
  const bool first_version = !beside && !document.race && document.space.only.empty();
  const std::string sizes =
      beside ? fmt::format("\"sizes\": {}", json_text(Json{{"file", beside->name},
                                                           {"xxh3", beside->xxh3},
                                                           {"bytes", beside->bytes}}))
             : fmt::format("\"ranking\": {},\n\"payload_bytes\": {}", numbers(document.ranking),
                           numbers(document.payload_bytes));
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
      "{}"
      "\"failed\": {},\n"
      "\"top\": [\n{}\n],\n"
      "{}\n"
      "}}\n",
      kDocumentSchema, first_version ? 1 : kDocumentVersion,
      json_text(data_set_to_json(document.data)), json_text(space_to_json(document.space)),
      json_text(to_json(document.run)), fmt::join(ranges, ","), document.sampled_bytes,
      document.overhead_bytes, more, numbers(document.failed), fmt::join(top, ",\n"), sizes);
}

/// The file of sizes that a document names but that does not exist; empty if there is none.
std::string missing_sizes(const JsonValue& top, const std::filesystem::path& path) {
  if (!top.has("sizes")) return {};
  const SizesFile file = sizes_file_from(top["sizes"]);
  std::error_code error;
  return std::filesystem::exists(path.parent_path() / file.name, error) ? "" : file.name;
}

}  // namespace

std::string document_text(const Document& document) {
  return document_text(document, std::nullopt);
}

std::filesystem::path document_path(const std::filesystem::path& directory, std::string_view name,
                                    synth::Precision precision) {
  check_name("data set", name);
  return directory / fmt::format("{}.{}.json", name, synth::to_string(precision));
}

void write_document(const std::filesystem::path& path, const Document& document) {
  try {
    validate(document);
  } catch (const Error& error) {
    throw Error(fmt::format("cannot write {}: {}", path.string(), error.what()));
  }
  if (document.payload_bytes.size() <= kMostSizesInDocument) {
    write_whole(path, document_text(document));
    return;
  }
  const SizesFile sizes = write_sizes(path, document.payload_bytes);
  write_whole(path, document_text(document, sizes));
  remove_other_sizes(path, sizes);
}

Document read_document(const std::filesystem::path& path) {
  // A search that runs may replace the document and remove the sizes of the one just read.
  for (std::string missing;;) {
    const JsonFile file = JsonFile::read(path, JsonAuthor::Program);
    const std::string now_missing = missing_sizes(file.root(), path);
    if (now_missing.empty() || now_missing == missing) return document_from(file.root(), path);
    missing = now_missing;
  }
}

Document parse_document(std::string_view text, std::string source) {
  return document_from(JsonFile::parse(text, std::move(source), JsonAuthor::Program).root(), {});
}

std::vector<std::filesystem::path> files_ending(const std::filesystem::path& directory,
                                                std::initializer_list<std::string_view> endings) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool named = std::ranges::any_of(
        endings, [&](std::string_view ending) { return name.ends_with(ending); });
    if (named && !name.starts_with('.')) files.push_back(entry->path());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw Error(fmt::format("cannot list {}: {}; check the path and its permissions",
                            directory.string(), error.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::filesystem::path> document_files(const std::filesystem::path& directory) {
  return files_ending(directory, {".double.json", ".single.json"});
}

}  // namespace fpsynth::results
