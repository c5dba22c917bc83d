#pragma once
// The JSON form of a search space: components by name, so that a document outlives the registry's
// order.

#include <nlohmann/json_fwd.hpp>

#include "synth/common/json.hpp"
#include "synth/space.hpp"

namespace fpsynth::results {

nlohmann::ordered_json space_to_json(const synth::Space& space);
/// Throws Error naming the field; the space is validated.
synth::Space space_from_json(const JsonValue& value);

}  // namespace fpsynth::results
