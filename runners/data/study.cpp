#include "runners/data/study.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "results/documents/document.hpp"
#include "synth/common/config_node.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data {
namespace {

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

StudyItem read_item(const Node& node, const std::filesystem::path& study,
                    const Registry& registry) {
  node.object({"name", "file", "native", "made", "bytes", "dataset"});
  if (node.has("file") + node.has("made") + node.has("dataset") != 1) {
    node.fail("needs either \"file\" or \"made\" or \"dataset\"");
  }
  StudyItem item;
  if (node.has("dataset")) {
    for (const char* key : {"native", "bytes"}) {
      if (node.has(key)) node[key].fail("the description of the data set says that");
    }
    const Node dataset = node["dataset"];
    const Dataset* set = registry.find(dataset.text());
    if (!set) {
      dataset.fail(fmt::format("there is no data set \"{}\"; `fpsynth data list` shows them",
                               dataset.text()));
    }
    item.dataset = *set;
    item.file = locate(*set, data_folder()).value_or(data_folder() / set->file);
    item.native = set->native;
    item.name = set->name;
  } else if (node.has("file")) {
    if (node.has("bytes")) node["bytes"].fail("only made sets have a size to choose");
    const std::filesystem::path file = node["file"].text();
    item.file = resolve(file, study);
    item.name = data_set_name(file);
    if (node.has("native")) item.native = node["native"].precision();
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
  if (!results::is_verification(text)) {
    node.fail(fmt::format("is \"{}\", not \"all\", \"none\" or \"top=K\" with a K from 1", text));
  }
  return text;
}

}  // namespace

Input StudyItem::open() const {
  const Input input = dataset ? open_dataset(*dataset, data_folder())
                      : made  ? make_input(*made, bytes)
                              : open_input(file, native);
  return input.named(name);
}

Study read_study(const std::filesystem::path& path) {
  const nlohmann::json json = read_config(path, "name a study file");
  const std::string file = path.string();
  const Node root(json, file, "study");
  root.object({"name", "datasets", "data", "precisions", "space", "verify"});

  Study study;
  study.name = root["name"].text();
  Registry registry = Registry::built_in();
  if (root.has("datasets")) {
    for (const Node& node : root["datasets"].list()) registry.add(resolve(node.text(), path));
  }
  std::set<std::string> names;
  for (const Node& node : root["data"].list()) {
    study.items.push_back(read_item(node, path, registry));
    const std::string& name = study.items.back().name;
    if (!names.insert(name).second) {
      node.fail(fmt::format("a second data set named \"{}\"; give it another \"name\"", name));
    }
  }
  for (const Node& node : root["precisions"].list()) {
    const Precision precision = node.precision();
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
