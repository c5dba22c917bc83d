#include "results/documents/document_file.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <system_error>

#include "results/documents/fields.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::results {
namespace {

constexpr std::string_view kMagic = "FPSYSIZE", kSizesEnding = ".sizes";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kChecksumAt = 8, kVersionAt = 16, kWidthAt = 20, kCountAt = 24, kSizesAt = 32;

void put(std::byte* out, std::uint64_t number, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) out[i] = static_cast<std::byte>(number >> 8 * i);
}

std::uint64_t get(const std::byte* in, std::size_t width) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < width; ++i) {
    number |= std::to_integer<std::uint64_t>(in[i]) << 8 * i;
  }
  return number;
}

/// The checksum of all bytes that follow it in the file.
std::uint64_t checksum_of(std::span<const std::byte> file) {
  const auto behind = file.subspan(kVersionAt);
  return XXH3_64bits(behind.data(), behind.size());
}

std::vector<std::byte> encoded(const std::vector<std::uint64_t>& sizes) {
  const bool narrow =
      std::ranges::all_of(sizes, [](std::uint64_t size) { return size <= UINT32_MAX; });
  const std::size_t width = narrow ? 4 : 8;
  std::vector<std::byte> file(kSizesAt + width * sizes.size());
  std::memcpy(file.data(), kMagic.data(), kMagic.size());
  put(file.data() + kVersionAt, kVersion, 4);
  put(file.data() + kWidthAt, width, 4);
  put(file.data() + kCountAt, sizes.size(), 8);
  std::byte* out = file.data() + kSizesAt;
  for (const std::uint64_t size : sizes) {
    put(out, size, width);
    out += width;
  }
  put(file.data() + kChecksumAt, checksum_of(file), 8);
  return file;
}

/// "plasma.double" of DIR/plasma.double.json.
std::string stem_of(const std::filesystem::path& document) { return document.stem().string(); }

/// The file of sizes with a checksum.
std::string name_of(const std::filesystem::path& document, std::string_view xxh3) {
  return fmt::format("{}.{}{}", stem_of(document), xxh3, kSizesEnding);
}

/// True if a file of this name, which ends as they do, has sizes of the document.
bool is_of_sizes(const std::string& name, const std::filesystem::path& document) {
  const std::size_t begin = stem_of(document).size() + 1;
  if (name.size() != begin + 16 + kSizesEnding.size()) return false;
  const std::string checksum = name.substr(begin, 16);
  return name == name_of(document, checksum) &&
         checksum.find_first_not_of("0123456789abcdef") == checksum.npos;
}

/// An entry of "top", which follows from the other fields and is for readers of the text.
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
  return document;
}

/// The text of a document. Each long array is on one line, so that a study of 26 documents of
/// 138,240 pipelines takes only a few dozen megabytes and can be compared field by field with diff.
/// Sizes in `beside` are not in it, and neither is the ranking, which follows from them.
std::string text_with(const Document& document, const std::optional<SizesFile>& beside) {
  const bool first_version = !beside && !document.race && document.space.only.empty();
  const auto text_of = [](const TopEntry& entry) { return json_text(json_of(entry)); };
  LineWriter lines;
  lines("schema", kDocumentSchema);
  lines("version", first_version ? 1 : kDocumentVersion);
  Document::list(lines, document);
  lines.text("top", fmt::format("[\n{}\n]", joined(top_of(document), ",\n", text_of)));
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
  located("cannot write " + path.string(), [&] { validate(document); });
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
    raise("cannot list {}: {}; name a directory of results", directory.string(), error.message());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::filesystem::path> document_files(const std::filesystem::path& directory) {
  return files_ending(directory, {".double.json", ".single.json", ".half.json", ".byte.json"});
}

SizesFile write_sizes(const std::filesystem::path& document,
                      const std::vector<std::uint64_t>& sizes) {
  const std::vector<std::byte> bytes = encoded(sizes);
  SizesFile file;
  file.xxh3 = fmt::format("{:016x}", get(bytes.data() + kChecksumAt, 8));
  file.name = name_of(document, file.xxh3);
  file.bytes = bytes.size();
  AtomicFile out(document.parent_path() / file.name);
  out.write(bytes);
  out.commit();
  return file;
}

std::vector<std::uint64_t> read_sizes(const std::filesystem::path& document,
                                      const SizesFile& file) {
  const std::filesystem::path path = document.parent_path() / file.name;
  const auto check = [&](bool good, std::string_view what) {
    if (good) return;
    raise(
        "{}, which holds the sizes of {}, is damaged or of another document: {}; restore it from a "
        "copy, or remove the document and search again",
        path.string(), document.string(), what);
  };
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error) {
    raise(
        "cannot read {}, which holds the sizes of {}: {}; restore it from a copy, keep the two "
        "together, or remove the document and search again",
        path.string(), document.string(), error.message());
  }
  check(size == file.bytes, fmt::format("it has {} bytes, not {}", size, file.bytes));
  std::vector<std::byte> bytes(size);
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) {
    raise("cannot read {}: {}", path.string(),
          reason_and_advice(errno, "check the path and its permissions"));
  }
  check(bytes.size() >= kSizesAt && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0,
        "it is not a file of sizes");
  if (const auto version = get(bytes.data() + kVersionAt, 4); version != kVersion) {
    raise("{} has version {}, but this fpsynth reads version {}; upgrade it", path.string(),
          version, kVersion);
  }
  const std::uint64_t width = get(bytes.data() + kWidthAt, 4),
                      count = get(bytes.data() + kCountAt, 8);
  const std::size_t behind = bytes.size() - kSizesAt;
  check((width == 4 || width == 8) && behind % width == 0 && behind / width == count,
        fmt::format("its {} bytes are not {} sizes of {} bytes", bytes.size(), count, width));
  for (const std::uint64_t sum : {get(bytes.data() + kChecksumAt, 8), checksum_of(bytes)}) {
    const std::string found = fmt::format("{:016x}", sum);
    check(
        found == file.xxh3,
        fmt::format("its checksum is {}, that of its sizes in the document {}", found, file.xxh3));
  }
  std::vector<std::uint64_t> sizes(count);
  for (std::size_t i = 0; i < count; ++i)
    sizes[i] = get(bytes.data() + kSizesAt + i * width, width);
  return sizes;
}

void remove_other_sizes(const std::filesystem::path& document, const SizesFile& kept) {
  const std::filesystem::path folder =
      document.has_parent_path() ? document.parent_path() : std::filesystem::path(".");
  for (const std::filesystem::path& other : files_ending(folder, {kSizesEnding})) {
    const std::string name = other.filename().string();
    if (name == kept.name || !is_of_sizes(name, document)) continue;
    std::error_code error;
    if (std::filesystem::remove(other, error); !error) continue;
    raise("cannot remove {}, older sizes of {}: {}; remove it yourself", other.string(),
          document.string(), error.message());
  }
}

}  // namespace fpsynth::results
