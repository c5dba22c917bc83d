#pragma once
// results/reference/paper_tables.json, which the build embeds in the program.

#include <string_view>

namespace fpsynth::results {

extern const std::string_view kPaperTables;

}  // namespace fpsynth::results
