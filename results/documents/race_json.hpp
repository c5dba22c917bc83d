#pragma once
// The JSON form of what a race did.

#include <nlohmann/json_fwd.hpp>

#include "results/documents/race.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::results {

nlohmann::ordered_json race_to_json(const Race& race);
/// The race is not validated. Throws Error, which names the field.
Race race_from_json(const JsonValue& value);

}  // namespace fpsynth::results
