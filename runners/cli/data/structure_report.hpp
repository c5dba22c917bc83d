#pragma once
// The output of `data info --structure`.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runners/search/structure/structure.hpp"

namespace fpsynth::cli {

/// Prints what was found in a data set of a name, and the candidates.
void print_structure(const std::string& name, const search::Structure& structure);

nlohmann::ordered_json structure_json(const search::Structure& structure);

}  // namespace fpsynth::cli
