#pragma once
// Printing and writing of tables by commands.

#include <string>
#include <string_view>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/cli/arguments.hpp"

namespace fpsynth::cli {

struct TableOutput {
  bool json = false, csv = false, markdown = false;
  unsigned table = 0;  ///< the only one to print, from 1; 0: all, and the first one as CSV
  std::string out;     ///< path of a document to write too; none if empty
};

/// Adds the options --csv, --markdown and --table; each form excludes the others and `json`.
void add_csv(Command command, TableOutput& output, const Option& json);

/// Adds the options --json, --csv, --markdown, --table and --out; `makes_folders` as for add_out().
void add_table_output(Command command, TableOutput& output, bool makes_folders = false);

/// The tables as text for standard output: as wide as a terminal that it is, and 60 columns at
/// least.
std::string text_of(const std::vector<results::Table>& tables, bool markdown = false);

/// Prints the tables in the chosen form (CSV's notes on standard error) and writes the document,
/// which has all tables. `kind` says what they are ("query best"). Throws Error if either cannot be
/// written, UsageError if there is no such table.
void put_tables(const std::vector<results::Table>& tables, const TableOutput& output,
                std::string_view kind);

/// Writes only the document of put_tables(); does nothing without --out.
void write_tables_out(const std::vector<results::Table>& tables, const TableOutput& output,
                      std::string_view kind);

/// typed_words() with blanks between them.
std::string command_line();

}  // namespace fpsynth::cli
