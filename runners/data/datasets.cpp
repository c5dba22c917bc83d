#include "runners/data/datasets.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>
#include <system_error>

#include "runners/data/datasets_embedded.hpp"
#include "synth/common/config_node.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json_text.hpp"

namespace fpsynth::data {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 50;

/// Names become names of files.
std::string read_name(const Node& node) {
  std::string name = node.text();
  if (name == "." || name == ".." || name.find('/') != std::string::npos) {
    node.fail(fmt::format("\"{}\" cannot be part of a file's name", name));
  }
  return name;
}

std::string read_digits(const Node& node, std::size_t count) {
  std::string text = node.text();
  const bool hex = std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (text.size() != count || !hex) {
    node.fail(fmt::format("is \"{}\", not {} lower-case hexadecimal digits", text, count));
  }
  return text;
}

/// A place in the data folder, never outside of it.
std::filesystem::path read_file(const Node& node) {
  const std::filesystem::path file = node.text();
  if (file.is_absolute() || std::ranges::find(file, std::filesystem::path("..")) != file.end() ||
      !file.has_filename()) {
    node.fail(fmt::format("\"{}\" is no file in the data folder", file.string()));
  }
  return file;
}

std::uint64_t read_bytes(const Node& node, Dataset& set) {
  const std::uint64_t word = synth::word_bytes(set.native);
  std::uint64_t bytes = 0;
  if (node.has("shape")) {
    bytes = word;
    for (const Node& extent : node["shape"].list()) {
      set.shape.push_back(extent.number(1, kMaxBytes));
      if (set.shape.back() > kMaxBytes / bytes) extent.fail("makes the data set too big");
      bytes *= set.shape.back();
    }
  }
  if (node.has("bytes")) {
    const std::uint64_t given = node["bytes"].number(1, kMaxBytes);
    if (bytes > 0 && given != bytes) {
      node["bytes"].fail(fmt::format("is {}, but the shape has {}", given, bytes));
    }
    bytes = given;
  }
  if (bytes == 0) node.fail("needs \"bytes\" or \"shape\"");
  return bytes;
}

Dataset read_set(const Node& node) {
  node.object({"name", "kind", "description", "native", "bytes", "shape", "dimensionality", "file",
               "file_bytes", "address", "decode", "xxh3", "sha256"});
  Dataset set;
  set.name = read_name(node["name"]);
  if (node.has("kind")) set.kind = node["kind"].text();
  if (node.has("description")) set.description = node["description"].text();
  set.native = node["native"].precision();
  set.bytes = read_bytes(node, set);
  if (node.has("dimensionality")) {
    set.dimensionality = static_cast<unsigned>(node["dimensionality"].number(1, 64));
  }
  set.file = read_file(node["file"]);
  if (node.has("file_bytes")) set.file_bytes = node["file_bytes"].number(1, kMaxBytes);
  if (node.has("address")) {
    set.address = node["address"].text();
    // What is handed to a program that downloads must be an address, not an option or a local file.
    if (!set.address.starts_with("https://") && !set.address.starts_with("http://") &&
        !set.address.starts_with("ftp://")) {
      node["address"].fail("does not begin with https://, http:// or ftp://");
    }
  }
  if (node.has("decode")) {
    const std::string decode = node["decode"].text();
    if (decode != "fpc") {
      node["decode"].fail(fmt::format("is \"{}\"; only \"fpc\" is known", decode));
    }
    set.fpc = true;
    if (set.native != Precision::Double) node["decode"].fail("FPC files hold doubles");
  }
  if (!set.fpc && set.file_bytes == 0) set.file_bytes = set.bytes;
  if (!set.fpc && set.file_bytes != set.bytes) {
    node["file_bytes"].fail(
        "differs from the bytes of the values, which the file holds as they are");
  }
  if (node.has("xxh3")) set.xxh3 = read_digits(node["xxh3"], 16);
  if (node.has("sha256")) set.sha256 = read_digits(node["sha256"], 64);
  return set;
}

std::string listed(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

Registry Registry::built_in() {
  Registry registry;
  for (const Embedded& file : kEmbeddedDatasets) {
    registry.add_text(file.text, "configs/datasets/" + std::string(file.name));
  }
  return registry;
}

void Registry::add(const std::filesystem::path& path) {
  const auto json = read_config(path, "name a file that describes data sets");
  add_text(json_text(json), path.string());
}

void Registry::add_text(std::string_view text, const std::string& file) {
  const nlohmann::json json = parse_config(text, file);
  const Node root(json, file, "description");
  root.object({"family", "title", "page", "note", "sets"});
  const std::string family = read_name(root["family"]);
  if (root.has("title")) root["title"].text();
  if (find(family)) root["family"].fail("is the name of a data set already");
  for (const Node& node : root["sets"].list()) {
    Dataset set = read_set(node);
    set.family = family;
    if (root.has("page")) set.page = root["page"].text();
    if (root.has("note")) set.note = root["note"].text();
    const bool taken =
        find(set.name) || set.name == family ||
        std::ranges::any_of(sets_, [&](const Dataset& known) { return known.family == set.name; });
    if (taken) node["name"].fail(fmt::format("there is a \"{}\" already", set.name));
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
  throw UsageError(
      fmt::format("there is no data set or family '{}'; the families are {}; the sets {}",
                  set_or_family, listed(families), listed(names)));
}

std::filesystem::path data_folder(const std::string& given) {
  if (!given.empty()) return given;
  const char* folder = std::getenv("FPSYNTH_DATA");
  return folder && *folder ? folder : "data";
}

std::filesystem::path decoded_path(const Dataset& set, const std::filesystem::path& folder) {
  return (folder / set.file).parent_path() / (set.name + ".f64");
}

std::optional<std::filesystem::path> locate(const Dataset& set,
                                            const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> places = {folder / set.file, folder / set.file.filename()};
  if (set.fpc) places.push_back(decoded_path(set, folder));
  for (const auto& place : places) {
    std::error_code error;
    if (std::filesystem::exists(place, error)) return place;
  }
  return std::nullopt;
}

std::string instructions(const Dataset& set, const std::filesystem::path& folder) {
  std::string text =
      fmt::format("download {} and put it at {}", set.address.empty() ? set.page : set.address,
                  (folder / set.file).string());
  if (set.address.empty() && set.page.empty()) {
    text = fmt::format("put it at {}", (folder / set.file).string());
  }
  if (set.file_bytes > 0) text += fmt::format(" ({} bytes)", set.file_bytes);
  if (!set.note.empty()) text += ". " + set.note;
  return text;
}

Input open_dataset(const Dataset& set, const std::filesystem::path& folder) {
  const auto path = locate(set, folder);
  if (!path) {
    throw Error(fmt::format("the data set {} is not in {}; {}", set.name, folder.string(),
                            instructions(set, folder)));
  }
  const Input input = open_input(*path, set.native);
  if (input.bytes().size() != set.bytes) {
    throw Error(fmt::format("{}: its values have {} bytes, those of the data set {} have {}; {}",
                            path->string(), input.bytes().size(), set.name, set.bytes,
                            instructions(set, folder)));
  }
  return input.named(set.name);
}

bool verify_dataset(const Dataset& set, const std::filesystem::path& folder) {
  const Input input = open_dataset(set, folder);
  if (set.xxh3.empty()) return false;
  const std::string found =
      fmt::format("{:016x}", XXH3_64bits(input.bytes().data(), input.bytes().size()));
  if (found != set.xxh3) {
    throw Error(fmt::format("{}: its values have the XXH3 {}, those of the data set {} have {}; {}",
                            input.path().string(), found, set.name, set.xxh3,
                            instructions(set, folder)));
  }
  return true;
}

}  // namespace fpsynth::data
