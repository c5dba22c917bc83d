#pragma once
// Typed access to parsed JSON: every wrong or missing value is an Error naming the field.

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "synth/common/error.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth {

/// One value of a JSON document and its place in it ("run.threads"). Refers to the document.
class Field {
 public:
  explicit Field(const nlohmann::json& value, std::string path = {})
      : value_(value), path_(std::move(path)) {}

  /// A member of this object.
  Field operator[](std::string_view key) const;
  /// Whether this object has a member.
  bool has(std::string_view key) const;
  bool is_null() const { return value_.is_null(); }
  /// The elements of this array.
  std::vector<Field> items() const;
  std::uint64_t whole() const;
  std::vector<std::uint64_t> wholes() const;
  double real() const;
  bool flag() const;
  std::string text() const;
  const std::string& path() const { return path_; }

  /// Throws Error: this field should have been something else.
  [[noreturn]] void fail(std::string_view expected) const;

 private:
  const nlohmann::json& value_;
  std::string path_;
};

/// "double" or "single". Throws Error.
synth::Precision precision_from(const Field& field);

/// Parses a JSON file. Throws Error naming it where it cannot be read or is not JSON.
nlohmann::json read_json(const std::filesystem::path& path);
/// What `from` makes of a JSON file; its Errors are given the file's name.
template <class T>
T read_json_as(const std::filesystem::path& path, T (*from)(const Field&)) {
  const nlohmann::json json = read_json(path);
  try {
    return from(Field(json));
  } catch (const Error& error) {
    throw Error(path.string() + ": " + error.what());
  }
}

/// Checks the members "schema" and "version" of a document's top level. Throws Error for another
/// schema and for a version newer than this program's.
void check_schema(const Field& top, std::string_view schema, std::uint64_t version);

}  // namespace fpsynth
