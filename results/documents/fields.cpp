#include "results/documents/fields.hpp"

#include "synth/common/error.hpp"

namespace fpsynth::results {
namespace {

std::vector<synth::Component> components_from(const JsonValue& value) {
  std::vector<synth::Component> list;
  for (const JsonValue& item : value.items()) {
    const std::string name = item.text();
    const auto component = synth::parse_component(name);
    if (!component) {
      item.refuse(
          fmt::format("unknown component '{}'; upgrade fpsynth, or correct the name", name));
    }
    list.push_back(*component);
  }
  return list;
}

/// The ids of listed pipelines in the space that has them all.
std::vector<std::uint64_t> ids_of(const std::vector<JsonValue>& items, const synth::Space& whole) {
  std::vector<std::uint64_t> ids;
  for (const JsonValue& item : items) {
    synth::Pipeline pipeline;
    item.check([&] { pipeline = synth::parse_pipeline(item.text()); });
    const auto id = whole.id_of(pipeline);
    if (!id) item.fail(fmt::format("a pipeline of the space ({})", whole.describe()));
    ids.push_back(*id);
  }
  return ids;
}

unsigned count_of_stages(const JsonValue& value) {
  return static_cast<unsigned>(value.whole(0, synth::kMaxStages));
}

}  // namespace

std::string prelude_text(const synth::Prelude& prelude) {
  return prelude.empty() ? "none" : synth::to_string(prelude);
}

nlohmann::ordered_json space_to_json(const synth::Space& space) {
  nlohmann::ordered_json json = {{"stages", space.stages},
                                 {"components", json_of(space.components)},
                                 {"last", json_of(space.last)},
                                 {"cuts", space.cuts}};
  if (space.chunk_words != synth::kChunkWords) json["chunk_words"] = space.chunk_words;
  for (std::size_t i = 0; i < space.only.size(); ++i) {
    json["pipelines"].push_back(to_string(space.at(i)));
  }
  if (space.has_preludes()) json["preludes"] = json_of(space.preludes);
  return json;
}

synth::Space space_from_json(const JsonValue& value) {
  synth::Space space;
  space.stages = count_of_stages(value["stages"]);
  space.components = components_from(value["components"]);
  space.last = components_from(value["last"]);
  for (const JsonValue& cut : value["cuts"].items()) space.cuts.push_back(count_of_stages(cut));
  if (value.has("chunk_words")) space.chunk_words = value["chunk_words"].whole(1, UINT32_MAX);
  if (value.has("preludes")) read_field(value["preludes"], space.preludes);
  value.check([&] { space.validate(); });
  if (value.has("pipelines")) {
    space.only = ids_of(value["pipelines"].some_items(), space);
    value.check([&] { space.validate(); });
  }
  return space;
}

}  // namespace fpsynth::results
