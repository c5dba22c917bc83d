#pragma once
// Typed access to the JSON files that people write: studies and descriptions of data sets. Every
// wrong, missing, unknown or double key is an Error naming the file and the key.

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "synth/common/precision.hpp"

namespace fpsynth {

/// A JSON value and where it stands, for messages: "mini.json: data[3].bytes: ...". Refers to the
/// document and the file's name.
class Node {
 public:
  /// The whole document; messages call it `what`, such as "study".
  Node(const nlohmann::json& json, const std::string& file, std::string_view what)
      : json_(json), file_(file), what_(what) {}

  [[noreturn]] void fail(std::string_view message) const;

  /// Checks that this is an object with no other keys than these.
  const Node& object(std::initializer_list<std::string_view> keys) const;
  bool has(const char* key) const { return json_.contains(key); }
  /// A member of this object; fails where it is missing.
  Node operator[](const char* key) const;
  /// The elements of this array, of which there must be one at least.
  std::vector<Node> list() const;
  /// A text that is not empty.
  std::string text() const;
  /// A whole number.
  std::uint64_t number(std::uint64_t low, std::uint64_t high) const;
  /// "double" or "single".
  synth::Precision precision() const;

 private:
  Node(const Node& parent, const nlohmann::json& json, std::string where)
      : json_(json), file_(parent.file_), what_(parent.what_), where_(std::move(where)) {}
  Node at_key(const std::string& key) const;

  const nlohmann::json& json_;
  const std::string& file_;
  std::string_view what_;
  std::string where_;
};

/// Parses a text that a person wrote; `file` is its name in messages. Throws Error.
nlohmann::json parse_config(std::string_view text, const std::string& file);

/// Reads and parses a file. `way_out` ends the message where it cannot be read: "name a study
/// file".
nlohmann::json read_config(const std::filesystem::path& path, std::string_view way_out);

}  // namespace fpsynth
