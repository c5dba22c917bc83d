// Tables of hand-made throughput documents.

#include "results/queries/queries.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/results/throughput_support.hpp"

namespace fpsynth::results {
namespace {

const Cell& at(const Table& table, const std::vector<Cell>& row, const std::string& name) {
  const auto column = std::ranges::find(table.columns, name, &Column::key);
  return row.at(static_cast<std::size_t>(column - table.columns.begin()));
}

double figure(const Table& table, const std::vector<Cell>& row, const std::string& name) {
  return std::get<double>(at(table, row, name));
}

std::vector<std::vector<Cell>> rows_of(const Table& table, const std::string& data_set) {
  std::vector<std::vector<Cell>> rows;
  for (const auto& row : table.rows) {
    EXPECT_EQ(row.size(), table.columns.size());
    if (row.at(0) == Cell(data_set)) rows.push_back(row);
  }
  return rows;
}

ThroughputDocument on_gpu(ThroughputDocument document) {
  document.run.backend = "cuda";
  document.run.device = "a GPU";
  for (ThroughputRow& row : document.rows) {
    row.compress.kernel_seconds = {row.compress.seconds.front() / 4};
    row.compress.transfer_seconds = {row.compress.seconds.front() / 2};
  }
  return document;
}

TEST(TimedQuery, RowsAreTheDocuments) {
  ThroughputDocument document = on_gpu(throughput_with("a", {timed_row("GFC", 2, 0.004, 0.002)}));
  document.rows[0].compress.kernel_seconds = {0.003, 0.001, 0.002};
  const Table table = timed({&document, 1});
  ASSERT_EQ(table.rows.size(), 1u);  // one data set has no mean
  const auto& row = table.rows[0];
  ASSERT_EQ(row.size(), table.columns.size());
  EXPECT_EQ(at(table, row, "device"), Cell("a GPU"));
  EXPECT_EQ(at(table, row, "precision"), Cell("double"));
  EXPECT_DOUBLE_EQ(figure(table, row, "ratio"), 2);
  EXPECT_DOUBLE_EQ(figure(table, row, "compress_gb_per_s"), kBytes / 0.004 / 1e9);
  EXPECT_DOUBLE_EQ(figure(table, row, "compress_kernels_gb_per_s"), kBytes / 0.002 / 1e9);
  EXPECT_DOUBLE_EQ(figure(table, row, "compress_kernels_ms"), 2);
  EXPECT_DOUBLE_EQ(figure(table, row, "compress_transfers_ms"), 2);
  EXPECT_EQ(at(table, row, "decompress_kernels_gb_per_s"), Cell());
  EXPECT_EQ(at(table, row, "decompress_kernels_ms"), Cell());
}

TEST(TimedQuery, MeansAreOverTheDataSetsOfAPrecisionOnADevice) {
  const std::vector<ThroughputDocument> documents = {
      on_gpu(throughput_with("a", {timed_row("GFC", 2, 1, 1), timed_row("new", 2, 1, 1)})),
      on_gpu(throughput_with("b", {timed_row("GFC", 1, 3, 1)})),
      on_gpu(throughput_with("a", {timed_row("Holt", 2, 1, 1)}, synth::Precision::Single)),
      throughput_with("a", {timed_row("GFC", 2, 8, 8)})};
  const Table table = timed(documents);
  EXPECT_EQ(table.rows.size(), 5u + 2);
  const auto harmonic = rows_of(table, "harmonic mean"), mean = rows_of(table, "mean");
  ASSERT_EQ(harmonic.size(), 1u);  // "new" is not in all sets, Holt and the CPU are in only one
  ASSERT_EQ(mean.size(), 1u);
  EXPECT_EQ(at(table, harmonic[0], "compressor"), Cell("GFC"));
  EXPECT_EQ(at(table, harmonic[0], "backend"), Cell("cuda"));
  EXPECT_EQ(at(table, harmonic[0], "data_sets"), Cell(std::uint64_t{2}));
  EXPECT_DOUBLE_EQ(figure(table, harmonic[0], "ratio"), 2 / (1 / 2.0 + 1));
  EXPECT_DOUBLE_EQ(figure(table, mean[0], "ratio"), 2 / (1 / 2.0 + 1));
  const double one = kBytes / 1e9, three = kBytes / 3e9;
  EXPECT_DOUBLE_EQ(figure(table, harmonic[0], "compress_gb_per_s"), 2 / (1 / one + 1 / three));
  EXPECT_DOUBLE_EQ(figure(table, mean[0], "compress_gb_per_s"), (one + three) / 2);
  EXPECT_DOUBLE_EQ(figure(table, harmonic[0], "compress_kernels_gb_per_s"),
                   8 / (1 / one + 1 / three));
  EXPECT_EQ(at(table, harmonic[0], "decompress_kernels_gb_per_s"), Cell());
}

}  // namespace
}  // namespace fpsynth::results
