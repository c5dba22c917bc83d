#include "synth/common/json.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "synth/common/words.hpp"

namespace fpsynth {

using Json = nlohmann::json;

struct JsonFile::Content {
  std::string name;
  JsonAuthor author;
  Json json;
};

namespace {

std::string_view advice(JsonAuthor author) {
  return author == JsonAuthor::Program ? "create the file again, or restore it from a copy"
                                       : "correct the file";
}

std::string join_path(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

/// The largest size of a file: a person's description, or a document of a space of millions.
std::size_t most_bytes(JsonAuthor author) {
  return std::size_t{author == JsonAuthor::Person ? 64u : 1024u} << 20;
}

std::string read_text(const std::filesystem::path& path, JsonAuthor author,
                      std::string_view advice) {
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("cannot read {}: {}", path.string(), why));
  };
  struct stat status = {};
  const bool known = stat(path.c_str(), &status) == 0;
  // Opening one in a directory of documents would wait for a writer; a shell's <( ) is in /dev/fd.
  if (author == JsonAuthor::Program && known && S_ISFIFO(status.st_mode) &&
      !path.native().starts_with("/dev/")) {
    refuse("it is a pipe, not a file; remove it, or name another");
  }
  if (known && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))) {
    refuse(fmt::format("it is a device; {}", advice));
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) refuse(reason_and_advice(errno, advice));
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, got);
    if (text.size() <= most_bytes(author)) continue;
    refuse(fmt::format("it has more than {} MiB, the largest size of such a file; {}",
                       most_bytes(author) >> 20, advice));
  }
  if (std::ferror(file.get())) refuse(reason_and_advice(errno, advice));
  return text;
}

Json parse_text(std::string_view text, const std::string& name, JsonAuthor author) {
  if (text.empty()) throw Error(fmt::format("{} is empty; {}", name, advice(author)));
  std::vector<std::set<std::string>> keys;  // of each object that is not at its end
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys.back().insert(parsed.get_ref<const std::string&>()).second) {
      throw Error(fmt::format("{}: field {}: the key is given twice in one object; {}", name,
                              parsed.get_ref<const std::string&>(), advice(author)));
    }
    return true;
  };
  try {
    return author == JsonAuthor::Person ? Json::parse(text, watch) : Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::string_view before = text.substr(0, std::max(error.byte, std::size_t{1}) - 1);
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    throw Error(fmt::format("{} is {} JSON at line {}, column {} (byte {} of {}); {}", name,
                            error.byte > text.size() ? "half-written" : "damaged or not", line,
                            column, std::min(error.byte, text.size()), text.size(),
                            advice(author)));
  } catch (const Json::exception&) {
    throw Error(fmt::format("{} contains a number out of range; {}", name, advice(author)));
  }
}

}  // namespace

JsonFile::JsonFile(std::unique_ptr<Content> content) : content_(std::move(content)) {}
JsonFile::JsonFile(JsonFile&&) noexcept = default;
JsonFile::~JsonFile() = default;

JsonFile JsonFile::read(const std::filesystem::path& path, JsonAuthor author,
                        std::string_view advice) {
  return parse(read_text(path, author, advice), path.string(), author);
}

JsonFile JsonFile::parse(std::string_view text, std::string name, JsonAuthor author) {
  Json json = parse_text(text, name, author);
  return JsonFile(std::unique_ptr<Content>(new Content{std::move(name), author, std::move(json)}));
}

JsonValue JsonFile::root() const { return JsonValue(*content_, content_->json, {}); }

std::string JsonValue::location() const {
  return fmt::format("{}: field {}", file_->name, path_.empty() ? "(top level)" : path_);
}

void JsonValue::fail(std::string_view expected) const {
  std::string found = value_->is_structured()
                          ? std::string(value_->type_name())
                          : value_->dump(-1, ' ', false, Json::error_handler_t::replace);
  if (found.size() > 60) found = found.substr(0, 57) + "...";
  throw Error(fmt::format("{}: expected {}, found {}; {}", location(), expected, found,
                          advice(file_->author)));
}

void JsonValue::refuse(std::string_view reason) const {
  throw Error(fmt::format("{}: {}", location(), reason));
}

void JsonValue::locate(const Error& error) const {
  throw Error(path_.empty() ? fmt::format("{}: {}", file_->name, error.what())
                            : fmt::format("{}: {}", location(), error.what()));
}

JsonValue JsonValue::member(std::string_view key, const Json& value) const {
  return JsonValue(*file_, value, join_path(path_, key));
}

JsonValue JsonValue::element(std::size_t index) const {
  return JsonValue(*file_, (*value_)[index], fmt::format("{}[{}]", path_, index));
}

JsonValue JsonValue::operator[](std::string_view key) const {
  if (!value_->is_object()) fail("an object");
  const auto found = value_->find(key);
  if (found == value_->end()) {
    throw Error(fmt::format("{}: field {} is missing; {}", file_->name, join_path(path_, key),
                            advice(file_->author)));
  }
  return member(key, *found);
}

bool JsonValue::has(std::string_view key) const {
  if (!value_->is_object()) fail("an object");
  return value_->contains(key);
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::members() const {
  if (!value_->is_object()) fail("an object");
  std::vector<std::pair<std::string, JsonValue>> members;
  for (const auto& item : value_->items()) {
    members.emplace_back(item.key(), member(item.key(), item.value()));
  }
  return members;
}

const JsonValue& JsonValue::only(std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, value] : members()) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    std::string known;
    for (const std::string_view one : keys) {
      known += fmt::format("{}{}", known.empty() ? "" : ", ", one);
    }
    value.refuse(fmt::format("unknown key; known keys are {}", known));
  }
  return *this;
}

std::vector<JsonValue> JsonValue::items() const {
  if (!value_->is_array()) fail("an array");
  std::vector<JsonValue> values;
  values.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) values.push_back(element(i));
  return values;
}

std::vector<JsonValue> JsonValue::some_items() const {
  if (!value_->is_array()) fail("an array");
  if (value_->empty()) refuse("the array is empty; it needs at least one element");
  return items();
}

bool JsonValue::is_null() const { return value_->is_null(); }

bool JsonValue::is_object() const { return value_->is_object(); }

bool JsonValue::is_text() const { return value_->is_string(); }

bool JsonValue::is_number() const { return value_->is_number(); }

bool JsonValue::flag() const {
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
}

double JsonValue::real() const {
  if (!value_->is_number()) fail("a number");
  return value_->get<double>();
}

std::uint64_t JsonValue::whole(std::uint64_t low, std::uint64_t high) const {
  const bool whole = value_->is_number_unsigned();
  if (whole && value_->get<std::uint64_t>() >= low && value_->get<std::uint64_t>() <= high) {
    return value_->get<std::uint64_t>();
  }
  fail(high == UINT64_MAX ? fmt::format("a whole number from {}", low)
                          : fmt::format("a whole number from {} to {}", low, high));
}

std::vector<std::uint64_t> JsonValue::wholes() const {
  if (!value_->is_array()) fail("an array of whole numbers");
  std::vector<std::uint64_t> numbers;
  numbers.reserve(value_->size());
  for (const Json& item : *value_) {
    // An element's path is built only for an error, because arrays are long.
    if (!item.is_number_unsigned()) element(numbers.size()).fail("a whole number from 0");
    numbers.push_back(item.get<std::uint64_t>());
  }
  return numbers;
}

std::uint64_t JsonValue::integer(std::int64_t low, std::uint64_t high) const {
  if (value_->is_number_unsigned()) {
    if (value_->get<std::uint64_t>() <= high) return value_->get<std::uint64_t>();
  } else if (value_->is_number_integer() && value_->get<std::int64_t>() >= low) {
    return static_cast<std::uint64_t>(value_->get<std::int64_t>());
  } else if (value_->is_number_float()) {  // up to where each whole number is one
    const double real = value_->get<double>();
    constexpr double kMost = 0x1p53;
    if (std::abs(real) <= kMost && real == std::trunc(real) &&
        (real < 0 ? static_cast<std::int64_t>(real) >= low
                  : static_cast<std::uint64_t>(real) <= high)) {
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(real));
    }
  }
  fail(fmt::format("a whole number from {} to {}", low, high));
}

std::string JsonValue::text() const {
  if (!value_->is_string()) fail("a string");
  return value_->get<std::string>();
}

std::string JsonValue::some_text() const {
  std::string found = text();
  if (found.empty()) fail("a string that is not empty");
  return found;
}

synth::Precision JsonValue::precision() const {
  const auto found = synth::precision_called(text());
  if (!found) fail("\"double\", \"single\", \"half\" or \"byte\"");
  return *found;
}

std::uint64_t JsonValue::version_of(std::string_view schema, std::uint64_t newest) const {
  if (const std::string found = (*this)["schema"].text(); found != schema) {
    (*this)["schema"].refuse(
        fmt::format("expected '{}', found '{}'; this is another kind of file", schema, found));
  }
  const JsonValue version = (*this)["version"];
  const std::uint64_t found = version.whole(1);
  if (found > newest) {
    version.refuse(
        fmt::format("version {} was written by a newer fpsynth, but this one reads versions up to "
                    "{}; upgrade fpsynth",
                    found, newest));
  }
  return found;
}

std::string json_library() {
  return fmt::format("nlohmann-json {}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                     NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH);
}

std::string json_text(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<std::uint8_t> to_cbor(const nlohmann::json& value) {
  return nlohmann::json::to_cbor(value);
}

nlohmann::json from_cbor(std::span<const std::uint8_t> bytes) {
  return nlohmann::json::from_cbor(bytes.begin(), bytes.end());
}

}  // namespace fpsynth
