#pragma once
// JSON files, read with types and written as text: the documents that the program writes, and the
// studies and descriptions of data sets that people write. Every wrong, missing or duplicate value
// is an Error that names the file, the field, what was expected and found, and says what to do:
//
//   mini.json: field data[3].bytes: expected a whole number from 8 to 64, found 7; correct the file

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "synth/common/error.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth {

class JsonValue;

/// The author of a file. Messages advise accordingly. Files that people write are also checked for
/// duplicate keys, of which the JSON library would silently keep the last.
enum class JsonAuthor { Program, Person };

/// A parsed JSON file. Its values refer to it, so it must outlive them.
class JsonFile {
 public:
  /// Reads and parses a file of at most 64 MiB (Person) or 1 GiB (Program). Devices are errors,
  /// because some never end. If the file cannot be read, the message ends with `advice`.
  static JsonFile read(const std::filesystem::path& path, JsonAuthor author,
                       std::string_view advice = "check the path and its permissions");
  /// Parses a text; messages call its file `name`.
  static JsonFile parse(std::string_view text, std::string name, JsonAuthor author);

  JsonFile(JsonFile&&) noexcept;
  ~JsonFile();

  JsonValue root() const;

 private:
  friend class JsonValue;
  struct Content;
  explicit JsonFile(std::unique_ptr<Content> content);
  std::unique_ptr<const Content> content_;
};

/// One value of a JSON file and its path in the file, such as "data[3].bytes".
class JsonValue {
 public:
  /// A member of this object, which must exist.
  JsonValue operator[](std::string_view key) const;
  /// True if this object has a member.
  bool has(std::string_view key) const;
  /// The members of this object, sorted by key.
  std::vector<std::pair<std::string, JsonValue>> members() const;
  /// Checks that this is an object without keys other than these.
  const JsonValue& only(std::initializer_list<std::string_view> keys) const;

  /// The elements of this array.
  std::vector<JsonValue> items() const;
  /// The elements of this array, which must have at least one.
  std::vector<JsonValue> some_items() const;

  bool is_null() const;
  bool is_object() const;
  bool is_text() const;
  bool is_number() const;
  bool flag() const;
  double real() const;
  /// A whole number in low..high.
  std::uint64_t whole(std::uint64_t low = 0, std::uint64_t high = UINT64_MAX) const;
  std::vector<std::uint64_t> wholes() const;
  /// A whole number in low..high, `low` not above 0, as a word in two's complement. Floats up to
  /// 2^53 are whole numbers, too, if nothing is behind the point.
  std::uint64_t integer(std::int64_t low, std::uint64_t high) const;
  std::string text() const;
  /// A string that is not empty.
  std::string some_text() const;
  /// "double", "single", "half" or "byte".
  synth::Precision precision() const;

  /// Checks the members "schema" and "version" of a document and returns the version, which is from
  /// 1 to `newest`.
  std::uint64_t version_of(std::string_view schema, std::uint64_t newest) const;

  /// Throws Error: this value is not what was expected, such as "a string".
  [[noreturn]] void fail(std::string_view expected) const;
  /// Throws Error for a value that is wrong for another reason.
  [[noreturn]] void refuse(std::string_view reason) const;
  /// Runs a check of what was read from this value and adds the file and the field to its Errors.
  template <class Check>
  void check(Check&& run) const {
    try {
      std::forward<Check>(run)();
    } catch (const Error& error) {
      locate(error);
    }
  }

 private:
  friend class JsonFile;
  JsonValue(const JsonFile::Content& file, const nlohmann::json& value, std::string path)
      : file_(&file), value_(&value), path_(std::move(path)) {}
  JsonValue member(std::string_view key, const nlohmann::json& value) const;
  JsonValue element(std::size_t index) const;
  /// "mini.json: field data[3].bytes".
  std::string location() const;
  [[noreturn]] void locate(const Error& error) const;

  const JsonFile::Content* file_;
  const nlohmann::json* value_;
  std::string path_;
};

/// The JSON library with its version: "nlohmann-json 3.11.2".
std::string json_library();

/// The text of a value, on one line or indented by `indent` columns. Names of files may contain any
/// bytes, but JSON is UTF-8: invalid bytes are replaced.
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

std::vector<std::uint8_t> to_cbor(const nlohmann::json& value);

/// Throws nlohmann::json::exception if the bytes are not those of one value.
nlohmann::json from_cbor(std::span<const std::uint8_t> bytes);

}  // namespace fpsynth
