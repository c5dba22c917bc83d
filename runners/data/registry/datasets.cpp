#include "runners/data/registry/datasets.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <system_error>

#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::data {
namespace {

constexpr const char *kDebian = "debian", *kPypi = "pypi";
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 50;

/// Checks a name that becomes the name of a file.
std::string read_name(const JsonValue& value) {
  std::string name = value.some_text();
  if (name == "." || name == ".." || name.find('/') != std::string::npos) {
    value.fail("a name that can be part of a file's");
  }
  return name;
}

std::string read_digits(const JsonValue& value, std::size_t count) {
  std::string text = value.text();
  const bool hex = std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (text.size() != count || !hex) {
    value.fail(fmt::format("{} lower-case hexadecimal digits", count));
  }
  return text;
}

/// A path below a folder: `expected` says which.
std::filesystem::path read_file(const JsonValue& value, std::string_view expected) {
  const std::filesystem::path file = value.some_text();
  if (file.is_absolute() || std::ranges::find(file, std::filesystem::path("..")) != file.end() ||
      !file.has_filename()) {
    value.fail(expected);
  }
  return file;
}

/// "double", "single" and "half", or the name of another type.
ValueType read_native(const JsonValue& value) {
  std::string names;
  for (const synth::NamedType& named : synth::kValueTypes) {
    const std::string_view name = synth::precision_text(named.type);
    if (value.text() == name) return named.type;
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", name);
  }
  value.fail("one of " + names);
}

std::uint64_t read_bytes(const JsonValue& value, Dataset& set) {
  const std::uint64_t word = synth::word_bytes(set.native);
  std::uint64_t bytes = 0;
  if (value.has("shape")) {
    bytes = word;
    for (const JsonValue& extent : value["shape"].some_items()) {
      set.shape.push_back(extent.whole(1, kMaxBytes));
      if (set.shape.back() > kMaxBytes / bytes)
        extent.refuse("makes the data set larger than 2^50 bytes; correct the shape");
      bytes *= set.shape.back();
    }
  }
  if (value.has("bytes")) {
    const std::uint64_t given = value["bytes"].whole(1, kMaxBytes);
    if (bytes > 0 && given != bytes)
      value["bytes"].fail(fmt::format("{}, as the shape says", bytes));
    bytes = given;
  }
  if (bytes == 0) value.refuse("needs \"bytes\" or \"shape\"");
  return bytes;
}

/// The name or the version of a package, which become arguments of apt-get and pip.
std::string read_package_text(const JsonValue& value, const char* expected) {
  std::string name = value.some_text();
  const auto letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const bool allowed = std::ranges::all_of(name, [&](char c) {
    return letter_or_digit(c) || std::string_view("+-._:~").find(c) != std::string_view::npos;
  });
  if (!allowed || !letter_or_digit(name.front())) value.fail(expected);
  return name;
}

Package read_package(const JsonValue& value) {
  value.only({"kind", "name", "version", "path", "raw"});
  Package package;
  const std::string kind = value["kind"].text();
  if (kind == kPypi) package.kind = Package::Kind::Pypi;
  if (kind != kind_of(package)) value["kind"].fail(fmt::format("\"{}\" or \"{}\"", kDebian, kPypi));
  package.name = read_package_text(value["name"], "the name of a package");
  package.version = read_package_text(value["version"], "the version of a package");
  package.path = read_file(value["path"], "the path of a file in the package");
  package.raw = value.has("raw");
  if (package.raw) read_layout(value["raw"].only({"endian", "offset"}));
  return package;
}

/// The package of a set, whose values are written to the set's file as raw words.
void read_source(const JsonValue& value, Dataset& set) {
  if (!value.has("package")) {
    if (value.has("variable")) value["variable"].refuse("only a file in a \"package\" has one");
    return;
  }
  for (const char* key : {"address", "decode", "file_bytes"}) {
    if (value.has(key))
      value[key].refuse("the data come from a \"package\"; remove one of the two");
  }
  set.package = read_package(value["package"]);
  if (value.has("variable")) {
    if (set.package->raw) value["variable"].refuse("a file of raw words has none; remove one");
    set.package->variable = value["variable"].some_text();
  }
}

Dimensionality read_dimensionality(const JsonValue& value, const std::string& name) {
  Dimensionality found;
  if (value.has("dimensionality")) {
    found.value = static_cast<unsigned>(value["dimensionality"].whole(1, 64));
  }
  if (!value.has("dimensionality_from")) return found;
  const JsonValue from = value["dimensionality_from"];
  if (found.value == 0) from.refuse(fmt::format("{} has no \"dimensionality\"", name));
  const auto named = std::ranges::find(kDimensionalitySources, from.text());
  if (named == std::end(kDimensionalitySources)) {
    from.fail(fmt::format("one of {} for {}", fmt::join(kDimensionalitySources, ", "), name));
  }
  found.from = DimensionalityFrom(named - std::begin(kDimensionalitySources));
  return found;
}

Dataset read_set(const JsonValue& value) {
  value.only({"name", "kind", "description", "field", "licence", "native", "bytes", "shape",
              "dimensionality", "dimensionality_from", "file", "file_bytes", "address", "package",
              "variable", "decode", "xxh3", "sha256"});
  Dataset set;
  set.name = read_name(value["name"]);
  if (value.has("kind")) set.kind = value["kind"].some_text();
  if (value.has("description")) set.description = value["description"].some_text();
  if (value.has("field")) set.field = value["field"].some_text();
  if (value.has("licence")) set.licence = value["licence"].some_text();
  set.native = read_native(value["native"]);
  set.bytes = read_bytes(value, set);
  set.dimensionality = read_dimensionality(value, set.name);
  set.file = read_file(value["file"], "the path of a file below the data folder");
  if (value.has("file_bytes")) set.file_bytes = value["file_bytes"].whole(1, kMaxBytes);
  if (value.has("address")) {
    set.address = value["address"].some_text();
    // The program curl must be given an address, not an option or a local file.
    if (!set.address.starts_with("https://") && !set.address.starts_with("http://") &&
        !set.address.starts_with("ftp://")) {
      value["address"].fail("an address that begins with https://, http:// or ftp://");
    }
  }
  read_source(value, set);
  if (value.has("decode")) {
    if (value["decode"].text() != "fpc") value["decode"].fail("\"fpc\"");
    set.fpc = true;
    if (set.native != Precision::Double) {
      value["decode"].refuse(fmt::format("FPC files hold doubles, and \"native\" says {}",
                                         synth::precision_text(set.native)));
    }
  }
  if (!set.fpc && set.file_bytes == 0) set.file_bytes = set.bytes;
  if (!set.fpc && set.file_bytes != set.bytes) {
    value["file_bytes"].fail(
        fmt::format("{}, the bytes of the values, which the file holds as they are", set.bytes));
  }
  if (value.has("xxh3")) set.xxh3 = read_digits(value["xxh3"], 16);
  if (value.has("sha256")) set.sha256 = read_digits(value["sha256"], 64);
  return set;
}

}  // namespace

std::string text_of(DimensionalityFrom from, std::string_view tried_for) {
  constexpr const char* kTexts[] = {"known", "known from the paper's tables", "a guess",
                                    "the best of all for "};
  const std::string text = kTexts[std::size_t(from)];
  return from == DimensionalityFrom::Tried ? text + std::string(tried_for) : text;
}

Reading read_layout(const JsonValue& value) {
  Reading reading;
  if (value.has("endian")) {
    const std::string endian = value["endian"].text();
    reading.big_endian = endian == kBigEndian;
    if (!reading.big_endian && endian != kLittleEndian) {
      value["endian"].fail(fmt::format("\"{}\" or \"{}\"", kLittleEndian, kBigEndian));
    }
  }
  if (value.has("offset")) reading.offset = value["offset"].whole();
  return reading;
}

Registry Registry::built_in() {
  Registry registry;
  for (const Embedded& file : kEmbeddedDatasets) {
    registry.add_sets(
        JsonFile::parse(file.text, "configs/datasets/" + std::string(file.name), JsonAuthor::Person)
            .root());
  }
  return registry;
}

void Registry::add(const std::filesystem::path& path) {
  add_sets(JsonFile::read(path, JsonAuthor::Person, "name a file that describes data sets").root());
}

void Registry::add_sets(const JsonValue& root) {
  root.only({"family", "title", "page", "note", "sets"});
  const std::string family = read_name(root["family"]);
  if (root.has("title")) root["title"].some_text();
  if (find(family)) root["family"].refuse(fmt::format("a data set \"{}\" exists already", family));
  for (const JsonValue& value : root["sets"].some_items()) {
    Dataset set = read_set(value);
    set.family = family;
    if (root.has("page")) set.page = root["page"].some_text();
    if (root.has("note")) set.note = root["note"].some_text();
    const bool taken =
        find(set.name) || set.name == family ||
        std::ranges::any_of(sets_, [&](const Dataset& known) { return known.family == set.name; });
    if (taken) {
      value["name"].refuse(fmt::format("\"{}\" exists already; choose another name", set.name));
    }
    sets_.push_back(std::move(set));
  }
}

const Dataset* Registry::find(std::string_view name) const {
  const auto found = std::ranges::find(sets_, name, &Dataset::name);
  return found == sets_.end() ? nullptr : &*found;
}

std::vector<const Dataset*> Registry::named(std::string_view set_or_family) const {
  if (const Dataset* set = find(set_or_family)) return {set};
  std::vector<const Dataset*> found;
  std::set<std::string> families, names;
  for (const Dataset& set : sets_) {
    if (set.family == set_or_family) found.push_back(&set);
    families.insert(set.family);
    names.insert(set.name);
  }
  if (!found.empty()) return found;
  raise<UsageError>("there is no data set or family '{}'; the families are {}; the sets {}",
                    set_or_family, fmt::join(families, ", "), fmt::join(names, ", "));
}

std::filesystem::path data_folder(const std::string& given) {
  if (!given.empty()) return given;
  const char* folder = std::getenv("FPSYNTH_DATA");
  return folder && *folder ? folder : "data";
}

std::optional<std::filesystem::path> locate(const Dataset& set,
                                            const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> places = {folder / set.file, folder / set.file.filename()};
  if (set.fpc) places.push_back((folder / set.file).parent_path() / (set.name + ".f64"));
  for (const auto& place : places) {
    std::error_code error;
    if (std::filesystem::exists(place, error)) return place;
  }
  return std::nullopt;
}

const char* kind_of(const Package& package) {
  return package.kind == Package::Kind::Debian ? kDebian : kPypi;
}

std::string instructions(const Dataset& set, const std::filesystem::path& folder) {
  if (set.package) return fmt::format("fetch it with configs/datasets/fetch.py {}", set.name);
  const std::string& from = set.address.empty() ? set.page : set.address;
  std::string text = from.empty() ? "" : fmt::format("download {} and ", from);
  text += fmt::format("put it at {}", (folder / set.file).string());
  if (set.file_bytes > 0) text += fmt::format(" ({} bytes)", set.file_bytes);
  if (!set.note.empty()) text += ". " + set.note;
  return text;
}

Input open_dataset(const Dataset& set, const std::filesystem::path& folder) {
  const auto path = locate(set, folder);
  if (!path) {
    raise("the data set {} is not in {}; {}", set.name, folder.string(), instructions(set, folder));
  }
  const Input input = open_input(*path, set.native);
  if (input.bytes().size() != set.bytes) {
    raise("{}: its values have {} bytes, those of the data set {} have {}; {}", path->string(),
          input.bytes().size(), set.name, set.bytes, instructions(set, folder));
  }
  return input.named(set.name).shaped(set.shape);
}

std::string checksum_of(const Input& input) {
  return fmt::format("{:016x}", XXH3_64bits(input.bytes().data(), input.bytes().size()));
}

bool verify_dataset(const Dataset& set, const std::filesystem::path& folder) {
  const Input input = open_dataset(set, folder);
  if (set.xxh3.empty()) return false;
  const std::string found = checksum_of(input);
  if (found != set.xxh3) {
    raise("{}: its values have the XXH3 {}, those of the data set {} have {}; {}",
          input.path().string(), found, set.name, set.xxh3, instructions(set, folder));
  }
  return true;
}

}  // namespace fpsynth::data
