#include "runners/data/study.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <system_error>

#include "results/documents/document.hpp"
#include "runners/data/file_type.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::data {
namespace {

/// FILE or FILE:VARIABLE of a study, from where the program runs.
std::filesystem::path resolve(const std::filesystem::path& file,
                              const std::filesystem::path& study) {
  const std::filesystem::path beside = study.parent_path() / file;
  const auto exists = [](const std::filesystem::path& path) {
    std::error_code error;
    return std::filesystem::exists(place_of(path).file, error);
  };
  const char* folder = std::getenv("FPSYNTH_DATA");
  if (file.is_relative() && folder && *folder && !exists(beside)) {
    const std::filesystem::path there = std::filesystem::path(folder) / file;
    if (exists(there)) return there;
  }
  return beside;  // an absolute path stays unchanged
}

/// The type of a file's words according to the study: "type", or the older "native".
std::optional<ValueType> read_type(const JsonValue& value) {
  if (!value.has("type")) {
    if (value.has("native")) return value["native"].precision();
    return std::nullopt;
  }
  if (value.has("native")) value["native"].refuse("\"type\" says the same; remove one");
  const auto type = synth::type_called(value["type"].text(), &synth::NamedType::code);
  if (!type) value["type"].fail(type_codes());
  return type;
}

/// The study's statements on a file.
Reading read_reading(const JsonValue& value) {
  const std::optional<ValueType> type = read_type(value);
  Reading reading = read_layout(value);
  reading.type = type;
  if (value.has("count")) reading.count = value["count"].whole(1);
  return reading;
}

StudyItem read_item(const JsonValue& value, const std::filesystem::path& study,
                    const Registry& registry) {
  value.only(
      {"name", "file", "type", "native", "endian", "offset", "count", "made", "bytes", "dataset"});
  if (value.has("file") + value.has("made") + value.has("dataset") != 1) {
    value.refuse("needs either \"file\" or \"made\" or \"dataset\"");
  }
  StudyItem item;
  if (value.has("dataset")) {
    for (const char* key : {"type", "native", "endian", "offset", "count", "bytes"}) {
      if (value.has(key)) value[key].refuse("the data set's description has it; remove it");
    }
    const JsonValue dataset = value["dataset"];
    const Dataset* set = registry.find(dataset.some_text());
    if (!set) dataset.fail("the name of a data set that `fpsynth data list` shows");
    item.dataset = *set;
    item.file = locate(*set, data_folder()).value_or(data_folder() / set->file);
    item.reading.type = set->native;
    item.name = set->name;
  } else if (value.has("file")) {
    if (value.has("bytes")) value["bytes"].refuse("only synthetic sets have it; remove it");
    const std::filesystem::path file = value["file"].some_text();
    item.file = resolve(file, study);
    item.name = data_set_name(item.file);
    item.reading = read_reading(value);
  } else {
    for (const char* key : {"type", "native", "endian", "offset", "count"}) {
      if (value.has(key)) value[key].refuse("synthetic sets are doubles; remove it");
    }
    const JsonValue made = value["made"];
    const std::string name = made.some_text();
    made.check([&] { item.synthetic = &synthetic_set(name); });
    item.bytes = kSyntheticBytes;
    if (value.has("bytes")) {
      item.bytes = value["bytes"].whole(8, kMaxSyntheticBytes);
      if (item.bytes % 8 != 0) value["bytes"].fail("a multiple of 8, the size of a double");
    }
    item.name = item.synthetic->name;
  }
  if (value.has("name")) item.name = value["name"].some_text();
  // Names become names of result files.
  const JsonValue named = value.has("name") ? value["name"] : value;
  named.check([&] { results::check_name("data set", item.name); });
  return item;
}

/// The components of a range, "DIM1..64" or "LNV1..8s"; empty if a text is none.
std::vector<synth::Component> range_of(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == text.npos) return {};
  const std::size_t begin = text.find_first_of("0123456789");
  const std::size_t end = text.find_first_not_of("0123456789", dots + 2);
  if (begin >= dots || end == dots + 2) return {};
  const std::string suffix = end == text.npos ? "" : text.substr(end);
  const auto first = synth::parse_component(text.substr(0, dots) + suffix);
  const auto last = synth::parse_component(text.substr(0, begin) +
                                           text.substr(dots + 2, end - dots - 2) + suffix);
  std::vector<synth::Component> list;
  for (unsigned n = first ? first->parameter : 1; first && last && n <= last->parameter; ++n) {
    list.push_back({first->family, static_cast<std::uint8_t>(n)});
  }
  return list;
}

synth::Space space_of(const JsonValue& value) {
  value.only({"stages", "components", "last", "cuts", "chunk_words"});
  synth::Space space = synth::Space::paper();
  if (value.has("stages")) {
    space.stages = static_cast<unsigned>(value["stages"].whole(1, synth::kMaxStages));
  }
  const auto read_components = [&](const char* key, std::vector<synth::Component>& components) {
    if (!value.has(key)) return;
    components.clear();
    for (const JsonValue& element : value[key].some_items()) {
      const std::string text = element.text();
      if (const std::vector<synth::Component> range = range_of(text); !range.empty()) {
        components.insert(components.end(), range.begin(), range.end());
        continue;
      }
      const auto component = synth::parse_component(text);
      if (!component) {
        element.refuse(fmt::format("there is no component \"{}\"; did you mean {}?", text,
                                   synth::nearest_component(text)));
      }
      components.push_back(*component);
    }
  };
  read_components("components", space.components);
  read_components("last", space.last);
  space.cuts.clear();
  if (value.has("cuts")) {
    for (const JsonValue& cut : value["cuts"].some_items()) {
      space.cuts.push_back(static_cast<unsigned>(cut.whole(0, space.stages)));
    }
  } else {
    space.cuts.resize(space.stages + 1);
    std::iota(space.cuts.begin(), space.cuts.end(), 0u);
  }
  if (value.has("chunk_words")) {
    const JsonValue words = value["chunk_words"];
    space.chunk_words = words.whole(1, UINT32_MAX);
    words.check([&] { synth::check_chunk_words(space.chunk_words); });
  }
  value.check([&] { space.validate(); });
  return space;
}

std::string read_verify(const JsonValue& value) {
  std::string text = value.text();
  if (!results::is_verification(text)) value.fail("\"all\", \"none\" or \"top=K\" with a K from 1");
  return text;
}

}  // namespace

Input StudyItem::open() const {
  const Input input = dataset     ? open_dataset(*dataset, data_folder())
                      : synthetic ? make_input(*synthetic, bytes)
                                  : open_input(file, reading);
  return input.named(name);
}

synth::Space read_space(const std::filesystem::path& path) {
  return space_of(
      JsonFile::read(path, JsonAuthor::Person, "name a file that describes a space").root());
}

Study read_study(const std::filesystem::path& path) {
  const JsonFile json = JsonFile::read(path, JsonAuthor::Person, "name a study file");
  const JsonValue root = json.root();
  root.only({"name", "datasets", "data", "precisions", "space", "verify", "preludes"});

  Study study;
  study.name = root["name"].some_text();
  // It becomes the name of a folder.
  root["name"].check([&] { results::check_name("study", study.name); });
  Registry registry = Registry::built_in();
  if (root.has("datasets")) {
    for (const JsonValue& file : root["datasets"].some_items()) {
      registry.add(resolve(file.some_text(), path));
    }
  }
  std::set<std::string> names;
  for (const JsonValue& value : root["data"].some_items()) {
    study.items.push_back(read_item(value, path, registry));
    const std::string& name = study.items.back().name;
    if (!names.insert(name).second) {
      value.refuse(fmt::format("a second data set named \"{}\"; give it another \"name\"", name));
    }
  }
  for (const JsonValue& value : root["precisions"].some_items()) {
    const Precision precision = value.precision();
    if (std::find(study.precisions.begin(), study.precisions.end(), precision) !=
        study.precisions.end()) {
      value.refuse(fmt::format("\"{}\" is listed twice; remove one", synth::to_string(precision)));
    }
    study.precisions.push_back(precision);
  }
  if (root.has("space")) study.space = space_of(root["space"]);
  if (root.has("verify")) study.verify = read_verify(root["verify"]);
  if (root.has("preludes")) {
    const JsonValue preludes = root["preludes"];
    preludes.check([&] { study.preludes = synth::PreludeRequest::parse(preludes.text()); });
  }
  return study;
}

}  // namespace fpsynth::data
