#include "synth/common/config_node.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include "synth/common/error.hpp"

namespace fpsynth {

using Json = nlohmann::json;

void Node::fail(std::string_view message) const {
  throw Error(
      fmt::format("{}: {}: {}", file_, where_.empty() ? what_ : std::string_view(where_), message));
}

const Node& Node::object(std::initializer_list<std::string_view> keys) const {
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

Node Node::operator[](const char* key) const {
  if (!has(key)) fail(fmt::format("the key \"{}\" is missing", key));
  return at_key(key);
}

std::vector<Node> Node::list() const {
  if (!json_.is_array()) fail(fmt::format("is {}, not an array", json_.type_name()));
  if (json_.empty()) fail("is empty");
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < json_.size(); ++i) {
    nodes.push_back(Node(*this, json_[i], fmt::format("{}[{}]", where_, i)));
  }
  return nodes;
}

std::string Node::text() const {
  if (!json_.is_string()) fail(fmt::format("is {}, not a string", json_.type_name()));
  if (json_.get_ref<const std::string&>().empty()) fail("is empty");
  return json_.get<std::string>();
}

std::uint64_t Node::number(std::uint64_t low, std::uint64_t high) const {
  if (!json_.is_number_unsigned() || json_.get<std::uint64_t>() < low ||
      json_.get<std::uint64_t>() > high) {
    fail(fmt::format("is {}, not a whole number from {} to {}", json_.dump(), low, high));
  }
  return json_.get<std::uint64_t>();
}

synth::Precision Node::precision() const {
  const std::string found = text();
  if (found == "double") return synth::Precision::Double;
  if (found == "single") return synth::Precision::Single;
  fail(fmt::format("is \"{}\", not \"double\" or \"single\"", found));
}

Node Node::at_key(const std::string& key) const {
  return Node(*this, json_.at(key), where_.empty() ? key : where_ + "." + key);
}

Json parse_config(std::string_view text, const std::string& file) {
  // Of a key given twice, the library would silently keep the last.
  std::vector<std::set<std::string>> objects;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) objects.emplace_back();
    if (event == Json::parse_event_t::object_end) objects.pop_back();
    if (event == Json::parse_event_t::key &&
        !objects.back().insert(parsed.get<std::string>()).second) {
      throw Error(fmt::format("{}: {}: the key is given twice in one object", file,
                              parsed.get<std::string>()));
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& error) {
    throw Error(fmt::format("{} is no valid JSON: {}", file, error.what()));
  }
}

Json read_config(const std::filesystem::path& path, std::string_view way_out) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(fmt::format("cannot read {}: it is a directory; {}", path.string(), way_out));
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw Error(
        fmt::format("cannot read {}: {}; {}", path.string(), std::strerror(errno), way_out));
  }
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return parse_config(text, path.string());
}

}  // namespace fpsynth
