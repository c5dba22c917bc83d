#pragma once
// Printing and writing of tables by commands.

#include <string>
#include <string_view>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/cli/arguments.hpp"

namespace fpsynth::cli {

struct TableOutput {
  bool json = false, csv = false;
  std::string out;  ///< path of a document to write too; none if empty
};

/// Adds the options --json, --csv and --out.
void add_table_output(Command command, TableOutput& output);

/// Prints the tables in the chosen form (CSV's notes on standard error) and writes the document.
/// `kind` says what they are ("query best"). Throws Error if either cannot be written.
void put_tables(const std::vector<results::Table>& tables, const TableOutput& output,
                std::string_view kind);

/// Writes only the document of put_tables(); does nothing without --out.
void write_tables_out(const std::vector<results::Table>& tables, const TableOutput& output,
                      std::string_view kind);

/// The program's command line, as it was typed.
std::string command_line();

}  // namespace fpsynth::cli
