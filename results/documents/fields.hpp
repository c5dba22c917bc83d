#pragma once
// The members of JSON objects, in one list for writing and for reading. A struct of a document
// lists them in a static function, which the classes below call:
//
//   static void list(auto& fields, auto& round) {
//     fields("chunks", round.chunks, "entered", round.entered, "left", round.left);
//   }

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/documents/document.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::results {

/// The JSON form of a space. It names components, so that documents do not depend on the registry's
/// order. Preludes are left out if there is none but the empty one. A space that is a list of
/// pipelines names them.
nlohmann::ordered_json space_to_json(const synth::Space& space);
/// Reads and validates a space. Throws Error, which names the field.
synth::Space space_from_json(const JsonValue& value);

/// "LAGs:2401 ORD"; "none" for the empty prelude.
std::string prelude_text(const synth::Prelude& prelude);

class FieldWriter;

template <class T>
concept Listed = requires(FieldWriter& fields, const T& value) {
  T::list(fields, value);
};

// The JSON form of a value, and the way back, which throws Error naming the field.

inline nlohmann::ordered_json json_of(synth::Precision value) { return to_string(value); }
inline nlohmann::ordered_json json_of(synth::Component value) { return to_string(value); }
inline nlohmann::ordered_json json_of(const synth::Pipeline& value) { return to_string(value); }
inline nlohmann::ordered_json json_of(const synth::Prelude& value) { return prelude_text(value); }
inline nlohmann::ordered_json json_of(const synth::Space& value) { return space_to_json(value); }
inline nlohmann::ordered_json json_of(const ChunkRange& value) { return {value.begin, value.end}; }
template <class T>
nlohmann::ordered_json json_of(const T& value);
template <class T>
nlohmann::ordered_json json_of(const std::vector<T>& values) {
  auto json = nlohmann::ordered_json::array();
  for (const T& value : values) json.push_back(json_of(value));
  return json;
}

inline void read_field(const JsonValue& json, std::uint64_t& value) { value = json.whole(); }
inline void read_field(const JsonValue& json, double& value) { value = json.real(); }
inline void read_field(const JsonValue& json, bool& value) { value = json.flag(); }
inline void read_field(const JsonValue& json, std::string& value) { value = json.text(); }
inline void read_field(const JsonValue& json, synth::Precision& value) { value = json.precision(); }
inline void read_field(const JsonValue& json, synth::Component& value) {
  const std::string name = json.text();
  const auto component = synth::parse_component(name);
  if (!component) {
    json.refuse(fmt::format("unknown component '{}'; upgrade fpsynth, or correct the name", name));
  }
  value = *component;
}
inline void read_field(const JsonValue& json, synth::Pipeline& value) {
  json.check([&] { value = synth::parse_pipeline(json.text()); });
}
inline void read_field(const JsonValue& json, synth::Prelude& value) {
  json.check([&] { value = synth::parse_prelude(json.text()); });
}
inline void read_field(const JsonValue& json, synth::Space& value) {
  value = space_from_json(json);
}
inline void read_field(const JsonValue& json, ChunkRange& value) {
  const std::vector<std::uint64_t> ends = json.wholes();
  if (ends.size() != 2) json.fail("[begin, end]");
  value = {ends[0], ends[1]};
}
inline void read_field(const JsonValue& json, std::vector<std::uint64_t>& values) {
  values = json.wholes();
}
template <Listed T>
void read_field(const JsonValue& json, T& value);
template <class T>
void read_items(const std::vector<JsonValue>& items, std::vector<T>& values) {
  values.clear();
  for (const JsonValue& item : items) read_field(item, values.emplace_back());
}
template <class T>
void read_field(const JsonValue& json, std::vector<T>& values) {
  read_items(json.items(), values);
}

/// The common part of writers. `Writer` has a function write() that writes a member.
template <class Writer>
class FieldWriting {
 public:
  /// Members: keys, each with its value.
  void operator()(const char* key, const auto& value, const auto&... more) {
    put(key, value);
    if constexpr (sizeof...(more) > 0) (*this)(more...);
  }
  /// A member that is not 0 and not empty.
  void some(const char* key, const auto& value) { put(key, value); }
  /// A member that is left out if it has a value.
  template <class T>
  void optional(const char* key, const T& value, const T& left_out = {}) {
    if (value != left_out) put(key, value);
  }
  template <class T>
  void optional(const char* key, const std::optional<T>& value) {
    if (value) put(key, *value);
  }
  /// A member that is left out if it has a value, and else is not 0 and not empty.
  template <class T>
  void optional_some(const char* key, const T& value, const T& left_out = {}) {
    optional(key, value, left_out);
  }
  /// A member that is left out unless a flag is set, and is a word then.
  void optional_word(const char* key, const char* word, bool set) {
    if (set) put(key, std::string(word));
  }
  /// A member that follows from others and is written for other programs.
  void derived(const char* key, auto compute) { put(key, compute()); }
  /// A check of what was read.
  void check(const char*, auto) {}

 private:
  void put(const char* key, const auto& value) { static_cast<Writer*>(this)->write(key, value); }
};

/// Writes the members of an object.
class FieldWriter : public FieldWriting<FieldWriter> {
 public:
  void write(const char* key, const auto& value) { json_[key] = json_of(value); }
  /// An object whose members `list` lists.
  void object(const char* key, auto list) {
    FieldWriter inner;
    list(inner);
    json_[key] = std::move(inner.json_);
  }
  nlohmann::ordered_json take() { return std::move(json_); }

 private:
  nlohmann::ordered_json json_ = nlohmann::ordered_json::object();
};

/// Writes an object as text with a line for each member, and one for each object of an array, so
/// that large documents can be compared with diff.
class LineWriter : public FieldWriting<LineWriter> {
 public:
  void write(const char* key, const auto& value) { text(key, json_text(json_of(value))); }
  void write(const char* key, const std::vector<std::uint64_t>& values) {
    text(key, fmt::format("[{}]", fmt::join(values, ",")));
  }
  template <Listed T>
  void write(const char* key, const std::vector<T>& values) {
    objects(key, values, [](FieldWriter& fields, const T& value) { T::list(fields, value); });
  }
  /// An array of objects whose members `list` lists.
  void objects(const char* key, const auto& values, auto list) {
    std::vector<std::string> lines;
    for (const auto& value : values) {
      FieldWriter fields;
      list(fields, value);
      lines.push_back(json_text(fields.take()));
    }
    text(key, values.empty() ? "[]" : fmt::format("[\n{}\n]", fmt::join(lines, ",\n")));
  }
  /// A member whose text is given.
  void text(const char* key, std::string_view value) {
    members_.push_back(fmt::format("\"{}\": {}", key, value));
  }
  std::string take() { return fmt::format("{{\n{}\n}}", fmt::join(members_, ",\n")); }

 private:
  std::vector<std::string> members_;
};

/// Reads the members of an object. Throws Error, which names the file and the member.
class FieldReader {
 public:
  explicit FieldReader(const JsonValue& json) : json_(json) {}

  void operator()(const char* key, auto& value, auto&... more) {
    read_field(json_[key], value);
    if constexpr (sizeof...(more) > 0) (*this)(more...);
  }
  void some(const char* key, std::uint64_t& value) { value = json_[key].whole(1); }
  void some(const char* key, std::string& value) { value = json_[key].some_text(); }
  template <class T>
  void some(const char* key, std::vector<T>& values) {
    read_items(json_[key].some_items(), values);
  }
  template <class T>
  void optional(const char* key, T& value, const T& = {}) {
    if (json_.has(key)) (*this)(key, value);
  }
  template <class T>
  void optional(const char* key, std::optional<T>& value) {
    if (json_.has(key)) (*this)(key, value.emplace());
  }
  template <class T>
  void optional_some(const char* key, T& value, const T& = {}) {
    if (json_.has(key)) some(key, value);
  }
  void optional_word(const char* key, const char* word, bool& set) {
    if (!json_.has(key)) return;
    if (json_[key].text() != word) json_[key].fail(fmt::format("\"{}\", or nothing", word));
    set = true;
  }
  void derived(const char*, auto) {}
  /// Calls `run` with the member that was read.
  void check(const char* key, auto run) { run(json_[key]); }
  void object(const char* key, auto list) {
    FieldReader inner(json_[key]);
    list(inner);
  }
  template <class T>
  void objects(const char* key, std::vector<T>& values, auto list) {
    for (const JsonValue& item : json_[key].items()) {
      FieldReader inner(item);
      list(inner, values.emplace_back());
    }
  }

 private:
  JsonValue json_;
};

template <class T>
nlohmann::ordered_json json_of(const T& value) {
  if constexpr (Listed<T>) {
    FieldWriter fields;
    T::list(fields, value);
    return fields.take();
  } else {
    return value;
  }
}

template <Listed T>
void read_field(const JsonValue& json, T& value) {
  FieldReader fields(json);
  T::list(fields, value);
}

}  // namespace fpsynth::results
