// `fpsynth bench pipelines`: tables and documents of what was timed.

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "results/documents/runs.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/cli/bench/bench_pipelines.hpp"
#include "synth/common/error.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

using results::Cell;
using results::Table;
using results::ThroughputDocument;
using results::ThroughputRow;
using results::Times;

bool has_kernels(const ThroughputDocument& document) {
  return std::ranges::any_of(
      document.rows, [](const ThroughputRow& row) { return !row.compress.kernel_seconds.empty(); });
}

std::vector<Cell> timing_cells(const Times& times, std::uint64_t bytes, bool kernels) {
  auto cells = results::cells(results::gb_per_s(times.seconds, bytes),
                              results::cell(results::spread(times.seconds), 100));
  const bool has_them = !times.kernel_seconds.empty();
  if (kernels) {
    cells.push_back(has_them ? Cell(results::gb_per_s(times.kernel_seconds, bytes)) : Cell());
  }
  return cells;
}

std::string mebibytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

void append_run_notes(Table& table, const ThroughputDocument& document) {
  const results::ThroughputRun& run = document.run;
  table.notes.push_back(
      fmt::format("{}, {}; medians of {} from memory to memory, every "
                  "round trip verified; spread is longest less shortest, of the "
                  "median",
                  run.device, run.instruction_set, counted(run.repetitions, "repetition")));
  std::string input = fmt::format("{} of input", mebibytes(run.input_bytes));
  if (run.copies > 1) {
    input += fmt::format(": the whole chunks of the data set's {}, {} times",
                         mebibytes(document.data.bytes), run.copies);
  }
  if (run.cache_bytes > 0)
    input += fmt::format("; last level of cache {}", mebibytes(run.cache_bytes));
  table.notes.push_back(std::move(input));
  for (const ThroughputRow& row : document.rows) {
    if (row.input_bytes == run.input_bytes) continue;
    table.notes.push_back("baselines and peers: on the data set once");
    break;
  }
}

Table table_of(const ThroughputDocument& document, bool kernels) {
  Table table{.title = fmt::format("{} ({}): throughput in GB/s", document.data.name,
                                   synth::to_string(document.data.precision)),
              .columns = {{"compressor"}, {"how"}, {"threads"}, {"ratio", "CR"}},
              .all = {{{"data_set"}, document.data.name},
                      {{"precision"}, std::string(to_string(document.data.precision))}}};
  for (const std::string direction : {"compress", "decompress"}) {
    table.columns.push_back({direction + "_gb_per_s", direction});
    table.columns.push_back(
        {direction + "_spread_percent", direction == "compress" ? "spread %" : "its spread %", 0});
    if (kernels) {
      table.columns.push_back({direction + "_kernels_gb_per_s", direction + " kernels"});
    }
  }
  for (const ThroughputRow& row : document.rows) {
    table.add(row.name, row.how, row.threads, document.ratio(row),
              timing_cells(row.compress, row.input_bytes, kernels),
              timing_cells(row.decompress, row.input_bytes, kernels));
  }
  append_run_notes(table, document);
  table.notes.insert(table.notes.end(), document.notes.begin(), document.notes.end());
  return table;
}

bool same_row(const ThroughputRow& a, const ThroughputRow& b) {
  return a.name == b.name && a.how == b.how && a.threads == b.threads;
}

/// The differences that prevent measurements from sharing a document: "repetitions 3 and 2, ...".
std::string differences(const ThroughputDocument& held, const results::DataSet& data,
                        const results::ThroughputRun& run) {
  std::string text;
  const auto compare = [&](std::string_view what, const auto& a, const auto& b) {
    if (a != b) text += fmt::format("{}{} {} and {}", text.empty() ? "" : ", ", what, a, b);
  };
  compare("data with checksum", held.data.xxh3, data.xxh3);
  compare("program", held.run.program_version, run.program_version);
  compare("commit", held.run.commit, run.commit);
  compare("compiler", held.run.compiler, run.compiler);
  compare("device", held.run.device, run.device);
  compare("instruction set", held.run.instruction_set, run.instruction_set);
  compare("threads", held.run.threads, run.threads);
  compare("repetitions", held.run.repetitions, run.repetitions);
  compare("bytes of input", held.run.input_bytes, run.input_bytes);
  compare("copies", held.run.copies, run.copies);
  compare("bytes of cache", held.run.cache_bytes, run.cache_bytes);
  return text;
}

}  // namespace

std::vector<Table> to_tables(const std::vector<ThroughputDocument>& documents, bool csv) {
  const bool kernels = csv && std::ranges::any_of(documents, has_kernels);
  std::vector<Table> tables;
  for (const ThroughputDocument& document : documents) {
    tables.push_back(table_of(document, kernels || has_kernels(document)));
  }
  return tables;
}

void refuse_to_replace(const std::filesystem::path& directory, const results::DataSet& data,
                       const results::ThroughputRun& run) {
  const auto path = results::throughput_path(directory, data.name, data.precision, run.backend);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;
  const std::string different = differences(results::read_throughput(path), data, run);
  if (different.empty()) return;
  throw Error(
      fmt::format("{} holds measurements that cannot be combined with these ({}); repeat its "
                  "conditions, move the file away, or replace it with --force",
                  path.string(), different));
}

void put_beside_search(const std::filesystem::path& directory, ThroughputDocument& document) {
  const auto path = results::throughput_path(directory, document.data.name, document.data.precision,
                                             document.run.backend);
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    const ThroughputDocument held = results::read_throughput(path);
    if (held.run == document.run && held.data.xxh3 == document.data.xxh3) {
      for (const ThroughputRow& row : held.rows) {
        const bool again = std::ranges::any_of(
            document.rows, [&](const ThroughputRow& fresh) { return same_row(row, fresh); });
        if (!again) document.rows.push_back(row);
      }
    }
  }
  results::write_throughput(path, document);
}

}  // namespace fpsynth::cli
