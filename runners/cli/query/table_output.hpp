#pragma once
// How commands that answer with tables print them and keep them.

#include <string>
#include <string_view>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/cli/arguments.hpp"

namespace fpsynth::cli {

struct TableOutput {
  bool json = false, csv = false;
  std::string out;  ///< a document to write as well; none if empty
};

/// The options --json, --csv and --out.
void add_table_output(Command command, TableOutput& output);

/// Prints the tables as asked, notes of CSV to standard error, and writes the document; `kind` says
/// what they are ("query best"). Throws Error where either cannot be written.
void put_tables(const std::vector<results::Table>& tables, const TableOutput& output,
                std::string_view kind);

/// The document of put_tables() alone; nothing where none was asked for.
void write_tables_out(const std::vector<results::Table>& tables, const TableOutput& output,
                      std::string_view kind);

/// The program's command line, as it was typed.
std::string command_line();

}  // namespace fpsynth::cli
