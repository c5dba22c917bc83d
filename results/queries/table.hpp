#pragma once
// What a query answers: a table for people (aligned text), spreadsheets (CSV) and programs (JSON).

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fpsynth::results {

/// Nothing, a text, a count or a figure.
using Cell = std::variant<std::monostate, std::string, std::uint64_t, double>;

struct Column {
  std::string name;  ///< unique in its table: it is the key in JSON
  int decimals = 3;  ///< of figures, in text only; CSV and JSON keep every digit
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< one cell per column
  std::vector<std::string> notes;       ///< what a reader must know about the figures
};

/// Title, aligned columns and notes. Empty cells are "-".
std::string to_text(const std::vector<Table>& tables);

/// RFC 4180. Several tables are separated by an empty line. Titles and notes have no place in CSV.
std::string to_csv(const std::vector<Table>& tables);

/// An array with one object per table: title, columns, rows (objects by column), notes.
std::string to_json(const std::vector<Table>& tables);

}  // namespace fpsynth::results
