#pragma once
// JSON as text. The library's own functions are templates, which each file that calls them would
// compile again.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fpsynth {

/// `indent` spaces per level, or all in one line if negative. What is not UTF-8 becomes U+FFFD.
std::string json_text(const nlohmann::json& json, int indent = -1);
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace fpsynth
