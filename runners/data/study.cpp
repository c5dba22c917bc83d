#include "runners/data/study.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "synth/error.hpp"

namespace fpsynth::data {
namespace {

using Json = nlohmann::json;

/// A JSON value and where it stands, for messages: "mini.json: data[3].bytes: ...".
class Node {
 public:
  Node(const Json& json, const std::string& file, std::string where)
      : json_(json), file_(file), where_(std::move(where)) {}

  [[noreturn]] void fail(std::string_view what) const {
    throw Error(fmt::format("{}: {}: {}", file_, where_.empty() ? "study" : where_, what));
  }

  /// Checks that this is an object with no other keys than these.
  const Node& object(std::initializer_list<std::string_view> keys) const {
    if (!json_.is_object()) fail(fmt::format("is {}, not an object", json_.type_name()));
    for (const auto& item : json_.items()) {
      if (std::find(keys.begin(), keys.end(), item.key()) != keys.end()) continue;
      std::string known;
      for (const std::string_view key : keys) {
        known += fmt::format("{}{}", known.empty() ? "" : ", ", key);
      }
      at_key(item.key()).fail(fmt::format("unknown key; known here are {}", known));
    }
    return *this;
  }

  bool has(const char* key) const { return json_.contains(key); }
  Node operator[](const char* key) const {
    if (!has(key)) fail(fmt::format("the key \"{}\" is missing", key));
    return at_key(key);
  }

  std::vector<Node> list() const {
    if (!json_.is_array()) fail(fmt::format("is {}, not an array", json_.type_name()));
    if (json_.empty()) fail("is empty");
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < json_.size(); ++i) {
      nodes.emplace_back(json_[i], file_, fmt::format("{}[{}]", where_, i));
    }
    return nodes;
  }

  std::string text() const {
    if (!json_.is_string()) fail(fmt::format("is {}, not a string", json_.type_name()));
    if (json_.get_ref<const std::string&>().empty()) fail("is empty");
    return json_.get<std::string>();
  }

  std::uint64_t number(std::uint64_t low, std::uint64_t high) const {
    if (!json_.is_number_unsigned() || json_.get<std::uint64_t>() < low ||
        json_.get<std::uint64_t>() > high) {
      fail(fmt::format("is {}, not a whole number from {} to {}", json_.dump(), low, high));
    }
    return json_.get<std::uint64_t>();
  }

 private:
  Node at_key(const std::string& key) const {
    return Node(json_.at(key), file_, where_.empty() ? key : where_ + "." + key);
  }

  const Json& json_;
  const std::string& file_;
  std::string where_;
};

Json read_json(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(fmt::format("cannot read {}: it is a directory; name a study file", path.string()));
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw Error(
        fmt::format("cannot read {}: {}; name a study file", path.string(), std::strerror(errno)));
  }
  // Of a key given twice, the library would silently keep the last.
  std::vector<std::set<std::string>> objects;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) objects.emplace_back();
    if (event == Json::parse_event_t::object_end) objects.pop_back();
    if (event == Json::parse_event_t::key &&
        !objects.back().insert(parsed.get<std::string>()).second) {
      throw Error(fmt::format("{}: {}: the key is given twice in one object", path.string(),
                              parsed.get<std::string>()));
    }
    return true;
  };
  try {
    return Json::parse(stream, watch);
  } catch (const Json::exception& error) {
    throw Error(fmt::format("{} is no valid JSON: {}", path.string(), error.what()));
  }
}

Precision read_precision(const Node& node) {
  const std::string text = node.text();
  if (text == "double") return Precision::Double;
  if (text == "single") return Precision::Single;
  node.fail(fmt::format("is \"{}\", not \"double\" or \"single\"", text));
}

std::filesystem::path resolve(const std::filesystem::path& file,
                              const std::filesystem::path& study) {
  const std::filesystem::path beside = study.parent_path() / file;
  std::error_code error;
  const char* folder = std::getenv("FPSYNTH_DATA");
  if (file.is_relative() && folder && *folder && !std::filesystem::exists(beside, error)) {
    const std::filesystem::path there = std::filesystem::path(folder) / file;
    if (std::filesystem::exists(there, error)) return there;
  }
  return beside;  // an absolute file stays itself
}

StudyItem read_item(const Node& node, const std::filesystem::path& study) {
  node.object({"name", "file", "native", "made", "bytes"});
  if (node.has("file") == node.has("made")) node.fail("needs either \"file\" or \"made\"");
  StudyItem item;
  if (node.has("file")) {
    if (node.has("bytes")) node["bytes"].fail("only made sets have a size to choose");
    const std::filesystem::path file = node["file"].text();
    item.file = resolve(file, study);
    item.name = data_set_name(file);
    if (node.has("native")) item.native = read_precision(node["native"]);
  } else {
    if (node.has("native")) node["native"].fail("made sets are doubles; only files may say");
    const Node made = node["made"];
    try {
      item.made = &made_set(made.text());
    } catch (const UsageError& error) {
      made.fail(error.what());
    }
    item.bytes = kMadeBytes;
    if (node.has("bytes")) {
      item.bytes = node["bytes"].number(8, kMaxMadeBytes);
      if (item.bytes % 8 != 0) node["bytes"].fail("is no multiple of 8, the size of a double");
    }
    item.name = item.made->name;
  }
  if (node.has("name")) item.name = node["name"].text();
  // Names become names of result files.
  if (item.name == "." || item.name == ".." || item.name.find('/') != std::string::npos) {
    node.fail(fmt::format("the name \"{}\" cannot be part of a file's name; give another \"name\"",
                          item.name));
  }
  return item;
}

synth::Space read_space(const Node& node) {
  node.object({"stages", "components", "last", "cuts"});
  synth::Space space = synth::Space::paper();
  if (node.has("stages")) {
    space.stages = static_cast<unsigned>(node["stages"].number(1, synth::kMaxStages));
  }
  const auto read_components = [&](const char* key, std::vector<synth::Component>& components) {
    if (!node.has(key)) return;
    components.clear();
    for (const Node& element : node[key].list()) {
      const std::string text = element.text();
      const auto component = synth::parse_component(text);
      if (!component) {
        element.fail(fmt::format("there is no component \"{}\"; did you mean {}?", text,
                                 synth::nearest_component(text)));
      }
      components.push_back(*component);
    }
  };
  read_components("components", space.components);
  read_components("last", space.last);
  space.cuts.clear();
  if (node.has("cuts")) {
    for (const Node& cut : node["cuts"].list()) {
      space.cuts.push_back(static_cast<unsigned>(cut.number(0, space.stages)));
    }
  } else {
    space.cuts.resize(space.stages + 1);
    std::iota(space.cuts.begin(), space.cuts.end(), 0u);
  }
  try {
    space.validate();
  } catch (const Error& error) {
    node.fail(error.what());
  }
  return space;
}

std::string read_verify(const Node& node) {
  std::string text = node.text();
  if (text == "all" || text == "none") return text;
  constexpr std::string_view kTop = "top=";
  const std::string_view count = text.starts_with(kTop) ? std::string_view(text).substr(4) : "";
  const bool digits =
      !count.empty() && count.size() <= 9 &&
      std::all_of(count.begin(), count.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || count.find_first_not_of('0') == std::string_view::npos) {
    node.fail(fmt::format("is \"{}\", not \"all\", \"none\" or \"top=K\" with a K from 1", text));
  }
  return text;
}

}  // namespace

Input StudyItem::open() const {
  const Input input = made ? make_input(*made, bytes) : open_input(file, native);
  return input.named(name);
}

Study read_study(const std::filesystem::path& path) {
  const Json json = read_json(path);
  const std::string file = path.string();
  const Node root(json, file, "");
  root.object({"name", "data", "precisions", "space", "verify"});

  Study study;
  study.name = root["name"].text();
  std::set<std::string> names;
  for (const Node& node : root["data"].list()) {
    study.items.push_back(read_item(node, path));
    const std::string& name = study.items.back().name;
    if (!names.insert(name).second) {
      node.fail(fmt::format("a second data set named \"{}\"; give it another \"name\"", name));
    }
  }
  for (const Node& node : root["precisions"].list()) {
    const Precision precision = read_precision(node);
    if (std::find(study.precisions.begin(), study.precisions.end(), precision) !=
        study.precisions.end()) {
      node.fail(fmt::format("\"{}\" is listed twice", synth::to_string(precision)));
    }
    study.precisions.push_back(precision);
  }
  if (root.has("space")) study.space = read_space(root["space"]);
  if (root.has("verify")) study.verify = read_verify(root["verify"]);
  return study;
}

}  // namespace fpsynth::data
