#pragma once
// The result of a query: a table for people (aligned text), spreadsheets (CSV) and programs (JSON).

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "synth/common/precision.hpp"

namespace fpsynth::results {

/// Empty, a text, a count or a figure.
using Cell = std::variant<std::monostate, std::string, std::uint64_t, double>;

/// 0 if `whole` is 0.
inline double percent(std::uint64_t part, std::uint64_t whole) {
  return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

struct Column {
  /// The title is the key with blanks in place of underscores.
  Column(std::string key_, int decimals_ = 3);  // NOLINT: implicit, so that a key suffices
  Column(std::string key_, std::string title_, int decimals_ = 3);

  std::string key;    ///< for JSON and CSV: snake_case with the unit, unique in its table; stable
  std::string title;  ///< for text; may change
  int decimals;       ///< of figures, in text only; CSV and JSON keep every digit
};

/// Columns, those with nothing but a key by that alone.
std::vector<Column> columns(const auto&... each) { return {Column(each)...}; }

/// A figure that may not be there, in a unit of 1/`scale`.
inline Cell cell(const std::optional<double>& figure, double scale = 1) {
  return figure ? Cell(scale * *figure) : Cell();
}

/// Adds a value to a row: a cell, whose type follows from that of the value, or the cells of a
/// vector. Values that are not there are empty cells.
template <class T>
void append(std::vector<Cell>& row, const T& value) {
  if constexpr (std::is_same_v<T, std::vector<Cell>>) {
    row.insert(row.end(), value.begin(), value.end());
  } else if constexpr (std::is_same_v<T, synth::Precision>) {
    row.emplace_back(std::string(to_string(value)));
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    row.emplace_back(std::string(std::string_view(value)));
  } else if constexpr (std::is_integral_v<T>) {
    row.emplace_back(static_cast<std::uint64_t>(value));
  } else if constexpr (requires { value.has_value(); }) {
    value ? append(row, *value) : append(row, Cell());
  } else {
    row.emplace_back(value);
  }
}

/// The cells of some values.
std::vector<Cell> cells(const auto&... values) {
  std::vector<Cell> row;
  (append(row, values), ...);
  return row;
}

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows = {};  ///< one cell per column
  std::vector<std::string> notes = {};       ///< remarks on the figures
  /// Properties of all rows, which the title tells: "precision" and "double". In CSV they are
  /// columns, and tables that differ in nothing else are one.
  std::vector<std::pair<Column, Cell>> all = {};

  /// Adds a row. Columns behind the values are empty.
  void add(const auto&... values) {
    rows.push_back(cells(values...));
    rows.back().resize(columns.size());
  }
};

/// Title, aligned columns and notes; of a table without rows a line that says so. Empty cells are
/// "-". Control characters are spelled out. A note says what CR means, once. With `markdown`, they
/// are tables of GitHub's Markdown. Lines are at most `columns` wide as far as the first columns
/// allow it: texts are wrapped, and further columns stand below the first ones.
std::string to_text(const std::vector<Table>& tables, bool markdown = false,
                    std::size_t columns = std::string::npos);

/// The tables as CSV has them, one a file: what holds for all rows of a table is in columns before
/// the others, and tables with the same ones and the same columns are one.
std::vector<Table> as_files(std::vector<Table> tables);

/// RFC 4180, with the columns' keys in the first line. CSV has no title and notes. Control
/// characters are spelled out.
std::string to_csv(const Table& table);

/// An array with one object per table: title, columns (objects of key and title), rows (objects by
/// the columns' keys), notes.
std::string to_json(const std::vector<Table>& tables);

inline constexpr std::string_view kTablesSchema = "fpsynth-tables";
/// In version 1, a column was a string, which was both its title and its key.
inline constexpr std::uint64_t kTablesVersion = 2;

/// The origin of tables.
struct Origin {
  std::string kind;     ///< the command's name: "query best", "sweep pfpc"
  std::string command;  ///< the command line as typed
  std::string cpu;      ///< of the machine that ran it
  unsigned threads = 1;
};

/// Writes the tables in the form of to_json(), with their origin and the program's version. The
/// file is complete or does not exist. Throws Error if it cannot be written.
void write_tables(const std::filesystem::path& path, const std::vector<Table>& tables,
                  const Origin& origin);

}  // namespace fpsynth::results
