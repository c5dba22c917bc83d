#include "runners/cli/query/table_output.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runners/cli/commands.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "runners/device/device.hpp"
#include "runners/study/terminal.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {

void add_csv(Command command, TableOutput& output, const Option& json) {
  Option csv =
      command.add_flag("--csv", output.csv, "Print CSV: one table, the first without --table");
  csv.excludes(json);
  command.add_flag("--markdown", output.markdown, "Print the tables as Markdown has them")
      .excludes(json)
      .excludes(csv);
  command.add_option("--table", output.table, "Print only the Nth of several tables")
      .value_name("N")
      .range(1u, 1000u);
}

void add_table_output(Command command, TableOutput& output, bool makes_folders) {
  add_csv(command, output, command.add_flag("--json", output.json, "Print JSON"));
  add_out(command, output.out, "Also write the tables and their provenance to this JSON document",
          results::kTablesSchema, makes_folders);
}

std::string text_of(const std::vector<results::Table>& tables, bool markdown) {
  const bool wrap = !markdown && ::isatty(STDOUT_FILENO);
  const std::size_t columns = wrap ? study::columns_of(STDOUT_FILENO) : std::string::npos;
  return results::to_text(tables, markdown, std::max<std::size_t>(columns, 60));
}

void put_tables(const std::vector<results::Table>& tables, const TableOutput& output,
                std::string_view kind) {
  write_tables_out(tables, output, kind);
  std::vector<results::Table> printed = output.csv ? results::as_files(tables) : tables;
  const std::size_t count = printed.size(), chosen = output.table;
  if (chosen > count) {
    raise<UsageError>("there is no table {}: {} prints {}", chosen, kind, counted(count, "table"));
  }
  std::string others;
  for (std::size_t i = 0; i < count; ++i) {
    if (i + 1 == std::max<std::size_t>(chosen, 1)) continue;
    others += fmt::format("; --table {}: {}", i + 1, printable(printed[i].title));
  }
  if (chosen > 0) printed = {printed[chosen - 1]};
  const std::string text = output.json  ? results::to_json(printed)
                           : output.csv ? results::to_csv(printed.at(0))
                                        : text_of(printed, output.markdown);
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!whole || std::fflush(stdout) != 0) {
    raise("cannot write to the standard output: {}; check the disk or the pipe",
          std::strerror(errno));
  }
  if (!output.csv) return;
  // CSV cannot hold notes, but a sampled or incomplete run must not look like a complete one.
  for (const results::Table& table : tables) {
    for (const std::string& note : table.notes) print_error("note: {}\n", printable(note));
  }
  if (!others.empty()) {
    print_error("note: table {} of {}{}\n", std::max<std::size_t>(chosen, 1), count, others);
  }
}

void write_tables_out(const std::vector<results::Table>& tables, const TableOutput& output,
                      std::string_view kind) {
  if (output.out.empty()) return;
  check_out(output.out, results::kTablesSchema);  // again: the command may have written it
  results::write_tables(output.out, tables,
                        {.kind = std::string(kind),
                         .command = command_line(),
                         .cpu = device::cpu_name(),
                         .threads = static_cast<unsigned>(codec::default_threads())});
}

std::string command_line() { return joined(typed_words(), " "); }

}  // namespace fpsynth::cli
