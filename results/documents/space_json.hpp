#pragma once
// The JSON form of a search space. It names components, so that documents do not depend on the
// registry's order.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "synth/common/json.hpp"
#include "synth/space.hpp"

namespace fpsynth::results {

/// "LAGs:2401 ORD"; "none" for the empty prelude.
std::string prelude_text(const synth::Prelude& prelude);
/// Reads a prelude's text. Throws Error, which names the field.
synth::Prelude prelude_from_json(const JsonValue& value);

/// Without preludes but the empty one, they are left out. A space that is a list of pipelines names
/// them.
nlohmann::ordered_json space_to_json(const synth::Space& space);
/// Reads and validates a space. Throws Error, which names the field.
synth::Space space_from_json(const JsonValue& value);

}  // namespace fpsynth::results
