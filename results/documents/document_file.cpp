#include "results/documents/document_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "results/documents/fields.hpp"
#include "results/documents/sizes_file.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::results {
namespace {

/// An entry of "top", which follows from the other fields. It is read only to detect edited
/// documents.
struct TopEntry {
  std::uint64_t rank = 0, id = 0;
  std::string pipeline;
  std::uint64_t payload_bytes = 0, compressed_bytes = 0;
  double ratio = 0;

  static void list(auto& fields, auto& entry) {
    fields("rank", entry.rank, "id", entry.id, "pipeline", entry.pipeline, "payload_bytes",
           entry.payload_bytes, "compressed_bytes", entry.compressed_bytes, "ratio", entry.ratio);
  }
};

std::vector<TopEntry> top_of(const Document& document) {
  std::vector<TopEntry> top;
  for (std::size_t i = 0; i < std::min(kSpelledOut, document.ranking.size()); ++i) {
    const std::uint64_t id = document.ranking[i];
    top.push_back({i + 1, id, document.text_at(id), document.payload_bytes[id],
                   document.compressed_bytes(id), document.ratio(id)});
  }
  return top;
}

/// Throws Error unless the members of an object are the expected ones. Ratios are not compared.
struct FieldComparison {
  const JsonValue& json;
  void operator()(const char* key, const auto& expected, const auto&... more) {
    compare(json[key], expected);
    if constexpr (sizeof...(more) > 0) (*this)(more...);
  }
  static void compare(const JsonValue& found, std::uint64_t expected) {
    if (found.whole() != expected) found.fail(fmt::format("{}", expected));
  }
  static void compare(const JsonValue& found, const std::string& expected) {
    if (found.text() != expected) found.fail(expected);
  }
  static void compare(const JsonValue& found, double) { found.real(); }
};

void check_top(const JsonValue& value, const Document& document) {
  const std::vector<TopEntry> expected = top_of(document);
  const std::vector<JsonValue> entries = value.items();
  if (entries.size() != expected.size()) value.fail(fmt::format("{} entries", expected.size()));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    FieldComparison comparison{entries[i]};
    TopEntry::list(comparison, expected[i]);
  }
}

/// `path`: of the document, beside which its sizes may be; empty if it was sent.
Document document_from(const JsonValue& top, const std::filesystem::path& path) {
  top.version_of(kDocumentSchema, kDocumentVersion);
  Document document;
  read_field(top, document);
  if (!path.empty() && top.has("sizes")) {
    SizesFile sizes;
    read_field(top["sizes"], sizes);
    document.payload_bytes = read_sizes(path, sizes);
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
std::string text_with(const Document& document, const std::optional<SizesFile>& beside) {
  const bool first_version = !beside && !document.race && document.space.only.empty();
  std::vector<std::string> top;
  for (const TopEntry& entry : top_of(document)) top.push_back(json_text(json_of(entry)));
  LineWriter lines;
  lines("schema", kDocumentSchema);
  lines("version", first_version ? 1 : kDocumentVersion);
  Document::list(lines, document);
  lines.text("top", fmt::format("[\n{}\n]", fmt::join(top, ",\n")));
  if (beside) {
    lines("sizes", *beside);
  } else {
    lines("ranking", document.ranking);
    lines("payload_bytes", document.payload_bytes);
  }
  return lines.take() + "\n";
}

/// The file of sizes that a document names but that does not exist; empty if there is none.
std::string missing_sizes(const JsonValue& top, const std::filesystem::path& path) {
  if (!top.has("sizes")) return {};
  SizesFile file;
  read_field(top["sizes"], file);
  std::error_code error;
  return std::filesystem::exists(path.parent_path() / file.name, error) ? "" : file.name;
}

}  // namespace

std::string document_text(const Document& document) { return text_with(document, std::nullopt); }

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
  write_whole(path, text_with(document, sizes));
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
    throw Error(fmt::format("cannot list {}: {}; name a directory of results", directory.string(),
                            error.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::filesystem::path> document_files(const std::filesystem::path& directory) {
  return files_ending(directory, {".double.json", ".single.json"});
}

}  // namespace fpsynth::results
