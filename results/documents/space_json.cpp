#include "results/documents/space_json.hpp"

#include <fmt/core.h>

#include "synth/common/error.hpp"

namespace fpsynth::results {
namespace {

std::vector<std::string> names(const std::vector<synth::Component>& components) {
  std::vector<std::string> texts;
  for (const synth::Component component : components) texts.push_back(to_string(component));
  return texts;
}

std::vector<synth::Component> components(const Field& field) {
  std::vector<synth::Component> list;
  for (const Field& item : field.items()) {
    const std::string name = item.text();
    const auto component = synth::parse_component(name);
    if (!component) {
      throw Error(
          fmt::format("field {}: this fpsynth knows no component '{}'; upgrade, or mend "
                      "the name",
                      item.path(), name));
    }
    list.push_back(*component);
  }
  return list;
}

unsigned small(const Field& field) {
  const std::uint64_t value = field.whole();
  if (value > synth::kMaxStages) field.fail(fmt::format("at most {}", synth::kMaxStages));
  return static_cast<unsigned>(value);
}

}  // namespace

nlohmann::ordered_json space_to_json(const synth::Space& space) {
  return {{"stages", space.stages},
          {"components", names(space.components)},
          {"last", names(space.last)},
          {"cuts", space.cuts}};
}

synth::Space space_from_json(const Field& field) {
  synth::Space space;
  space.stages = small(field["stages"]);
  space.components = components(field["components"]);
  space.last = components(field["last"]);
  for (const Field& cut : field["cuts"].items()) space.cuts.push_back(small(cut));
  try {
    space.validate();
  } catch (const Error& error) {
    throw Error(fmt::format("field {}: {}", field.path(), error.what()));
  }
  return space;
}

}  // namespace fpsynth::results
