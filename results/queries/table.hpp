#pragma once
// What a query answers: a table for people (aligned text), spreadsheets (CSV) and programs (JSON).

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fpsynth::results {

/// Nothing, a text, a count or a figure.
using Cell = std::variant<std::monostate, std::string, std::uint64_t, double>;

struct Column {
  /// Without a title, the key with blanks in the place of underscores.
  Column(std::string key_, int decimals_ = 3);  // NOLINT: a column may be given by its key alone
  Column(std::string key_, std::string title_, int decimals_ = 3);

  std::string key;    ///< snake_case with the unit, unique in its table: for JSON and CSV; it stays
  std::string title;  ///< for text; it may be worded anew
  int decimals;       ///< of figures, in text only; CSV and JSON keep every digit
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< one cell per column
  std::vector<std::string> notes;       ///< what a reader must know about the figures
};

/// Title, aligned columns and notes. Empty cells are "-".
std::string to_text(const std::vector<Table>& tables);

/// RFC 4180, the columns' keys in the first line. Several tables are separated by an empty line.
/// Titles and notes have no place in CSV.
std::string to_csv(const std::vector<Table>& tables);

/// An array with one object per table: title, columns (objects of key and title), rows (objects by
/// the columns' keys), notes.
std::string to_json(const std::vector<Table>& tables);

inline constexpr std::string_view kTablesSchema = "fpsynth-tables";
/// In version 1 a column was a string, its title, which was also the key.
inline constexpr std::uint64_t kTablesVersion = 2;

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
