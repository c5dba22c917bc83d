#pragma once
// Tables as a document of their own: what `--out` of queries, sweeps and statistics writes, for
// programs that draw or compare them later. The JSON form is described by tables.schema.json.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "results/queries/table.hpp"

namespace fpsynth::results {

inline constexpr std::string_view kTablesSchema = "fpsynth-tables";
inline constexpr std::uint64_t kTablesVersion = 1;

/// What made the tables.
struct Origin {
  std::string kind;     ///< "query best", "sweep pfpc": what the tables are, in two words
  std::string command;  ///< as typed
  std::string cpu;      ///< of the machine that made them
  unsigned threads = 1;
};

/// Writes the tables, as to_json() has them, with their origin and the program that made them. The
/// file is whole or not there. Throws Error where it cannot be written.
void write_tables(const std::filesystem::path& path, const std::vector<Table>& tables,
                  const Origin& origin);

}  // namespace fpsynth::results
