#pragma once
// Cells of tables, as tests write them.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "results/queries/table.hpp"

namespace fpsynth::results {

using Row = std::vector<Cell>;

inline Cell text(const char* value) { return std::string(value); }
inline Cell count(std::uint64_t value) { return value; }
inline const Cell kNone;

/// True if a note below a table has this text.
inline bool has_note(const Table& table, const std::string& part) {
  return std::ranges::any_of(
      table.notes, [&](const std::string& note) { return note.find(part) != std::string::npos; });
}
/// True if a note below one of the tables has this text.
inline bool has_note(const std::vector<Table>& tables, const std::string& part) {
  return std::ranges::any_of(tables, [&](const Table& table) { return has_note(table, part); });
}

}  // namespace fpsynth::results
