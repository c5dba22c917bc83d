#include "synth/common/json_field.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "synth/common/error.hpp"

namespace fpsynth {
namespace {

constexpr std::string_view kWayOut = "make the file again, or restore it from a copy";

std::string read_text(const std::filesystem::path& path) {
  const auto fail = [&]() {
    throw Error(fmt::format("cannot read {}: {}; check the path and its permissions", path.string(),
                            std::strerror(errno)));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) fail();
  std::error_code unknown;  // a pipe has no size: then the text just grows
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  std::string text;
  if (!unknown) text.reserve(size);
  char buffer[1 << 16];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, got);
  }
  if (std::ferror(file.get())) fail();
  return text;
}

}  // namespace

void Field::fail(std::string_view expected) const {
  std::string found = value_.is_structured()
                          ? std::string(value_.type_name())
                          : value_.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (found.size() > 60) found = found.substr(0, 57) + "...";
  throw Error(fmt::format("field {}: expected {}, found {}; {}",
                          path_.empty() ? "(top level)" : path_, expected, found, kWayOut));
}

Field Field::operator[](std::string_view key) const {
  if (!value_.is_object()) fail("an object");
  const auto found = value_.find(key);
  std::string path = path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  if (found == value_.end()) throw Error(fmt::format("field {} is missing; {}", path, kWayOut));
  return Field(*found, std::move(path));
}

bool Field::has(std::string_view key) const {
  if (!value_.is_object()) fail("an object");
  return value_.contains(key);
}

std::vector<Field> Field::items() const {
  if (!value_.is_array()) fail("an array");
  std::vector<Field> fields;
  fields.reserve(value_.size());
  for (const auto& item : value_) {
    fields.emplace_back(item, fmt::format("{}[{}]", path_, fields.size()));
  }
  return fields;
}

std::uint64_t Field::whole() const {
  if (!value_.is_number_unsigned()) fail("a whole number from 0");
  return value_.get<std::uint64_t>();
}

std::vector<std::uint64_t> Field::wholes() const {
  if (!value_.is_array()) fail("an array of whole numbers");
  std::vector<std::uint64_t> numbers;
  numbers.reserve(value_.size());
  for (const auto& item : value_) {
    // The place of an element is put together only where it is needed: arrays are long.
    if (!item.is_number_unsigned()) {
      Field(item, fmt::format("{}[{}]", path_, numbers.size())).fail("a whole number from 0");
    }
    numbers.push_back(item.get<std::uint64_t>());
  }
  return numbers;
}

double Field::real() const {
  if (!value_.is_number()) fail("a number");
  return value_.get<double>();
}

bool Field::flag() const {
  if (!value_.is_boolean()) fail("true or false");
  return value_.get<bool>();
}

std::string Field::text() const {
  if (!value_.is_string()) fail("a string");
  return value_.get<std::string>();
}

synth::Precision precision_from(const Field& field) {
  const std::string text = field.text();
  for (const auto precision : {synth::Precision::Double, synth::Precision::Single}) {
    if (text == synth::to_string(precision)) return precision;
  }
  field.fail("double or single");
}

nlohmann::json read_json(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  if (text.empty()) throw Error(fmt::format("{} is empty; {}", path.string(), kWayOut));
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(fmt::format("{} is {} JSON at byte {} of {}; {}", path.string(),
                            error.byte > text.size() ? "half-written" : "damaged or not",
                            error.byte, text.size(), kWayOut));
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("{} holds a number out of range; {}", path.string(), kWayOut));
  }
}

void check_schema(const Field& top, std::string_view schema, std::uint64_t version) {
  if (const std::string found = top["schema"].text(); found != schema) {
    throw Error(fmt::format("field schema: '{}' where '{}' is needed; this is another kind of file",
                            found, schema));
  }
  const std::uint64_t found = top["version"].whole();
  if (found > version) {
    throw Error(fmt::format("version {} was written by a newer fpsynth, this one knows {}; upgrade",
                            found, version));
  }
  if (found == 0) top["version"].fail("a version from 1");
}

}  // namespace fpsynth
