// The papers' printed numbers beside ours, out of small made documents.

#include "results/queries/papers/claims.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "results/documents/data_set.hpp"
#include "synth/common/error.hpp"
#include "tests/results/throughput_support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using tests::contains;

using synth::Precision;

constexpr std::uint64_t kPlasma = 35089600;  // bytes of num_plasma

/// A search of num_plasma whose best pipeline, LNV1s | ZE, has a ratio of about `ratio`.
Document plasma(double ratio, Precision precision = Precision::Double) {
  Document document = document_with("num_plasma", {1, 1, 1, 1, 1, 1}, precision);
  document.data.bytes = kPlasma / (precision == Precision::Double ? 1 : 2);
  document.data.xxh3 = plasma_checksum(precision);
  document.data.values = document.data.bytes / synth::word_bytes(precision);
  for (auto& payload : document.payload_bytes) payload = document.data.bytes;
  document.payload_bytes[2] = std::uint64_t(double(document.data.bytes) / ratio) - kOverhead;
  document.chunk_ranges = {{0, chunks_of(document.data.values, 1)}};
  finish(document);
  return document;
}

class Scorecard : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name) << text;
    return folder_.path() / name;
  }
  /// A document of `compare` with rows of (compressor, ratio), at 1 GB/s.
  std::filesystem::path compared(const std::vector<std::pair<std::string, double>>& rows,
                                 const std::string& checksum) {
    ComparedSet set = compared_set("num_plasma", Precision::Double, {}, checksum);
    set.bytes = kPlasma;
    for (const auto& [name, ratio] : rows) {
      set.rows.push_back(compared_row(name, ratio));
      set.rows.back().threads = 2;
    }
    write_comparison(folder_ / "compare.json", {set});
    return folder_ / "compare.json";
  }
  /// A document of tables with one row.
  std::filesystem::path tables(const std::string& kind, const std::string& row) {
    std::string name = kind + row.substr(0, 70) + ".json";
    std::erase_if(name, [](char c) { return !std::isalnum(c) && c != '.'; });
    return write(name, fmt::format(R"({{"schema": "fpsynth-tables", "version": 2, "kind": "{}",
        "machine": {{"cpu": "a CPU"}}, "tables": [{{"rows": [{{"data_set": "num_plasma",
        "bytes": {}, {}}}]}}]}})",
                                   kind, kPlasma, row));
  }
  std::vector<Table> card(const std::vector<std::filesystem::path>& measured,
                          std::vector<Document> documents = {plasma(1.46)}) {
    const Runs runs(std::move(documents));
    return scorecard(&runs, measured);
  }

  tests::TemporaryFolder folder_;
};

/// The row of a number, which must be there.
std::vector<Cell> row_of(const std::vector<Table>& tables, const std::string& what) {
  for (const auto& row : tables.at(0).rows) {
    if (std::get<std::string>(row[1]).starts_with(what)) return row;
  }
  ADD_FAILURE() << "no row of " << what;
  return std::vector<Cell>(10);
}

std::string cause_of(const std::vector<Table>& tables, const std::string& what) {
  const std::vector<Cell> row = row_of(tables, what);
  return std::holds_alternative<std::string>(row[7]) ? std::get<std::string>(row[7]) : "";
}

TEST_F(Scorecard, SaysWhyTheBestIsAnother) {
  const auto tables = card({});
  ASSERT_EQ(tables[0].rows.size(), 1u);
  const auto row = row_of(tables, "best pipeline: LNV1s | ZE");
  EXPECT_EQ(row[4], Cell(1.454));
  EXPECT_EQ(cause_of(tables, "best"), "another winner than the paper's LNV2s LNV2s LNV2x | ZE");
  EXPECT_EQ(tables[1].rows.back()[1], Cell(std::uint64_t{1}));
  Document sampled = plasma(1.46, Precision::Single);
  sampled.run.sample = 4;
  EXPECT_EQ(row_of(card({}, {sampled}), "best")[9], Cell("one chunk in 4"));
}

TEST_F(Scorecard, KnowsTheCausesOfCompressors) {
  const auto tables = card({compared({{"bzip2 --best", 5.7891},
                                      {"gzip --best", 1.61},
                                      {"pFPC -1M", 7.206},
                                      {"MPC", 1.1665},
                                      {"zstd -19", 400}},
                                     plasma_checksum(Precision::Double))});
  EXPECT_EQ(tables[0].rows.size(), 5u);  // the paper prints nothing of zstd
  EXPECT_EQ(cause_of(tables, "bzip2"), kEqual);
  EXPECT_TRUE(contains(cause_of(tables, "gzip"), "gzip program"));
  EXPECT_TRUE(
      contains(cause_of(tables, "pFPC"), "20 cores, and chunks of 4,096 values; here 2 instances"));
  EXPECT_TRUE(contains(cause_of(tables, "MPC"), " bytes more for each chunk of 1,024 values"));
  EXPECT_EQ(scorecard(nullptr, {folder_ / "compare.json"})[0].rows.size(), 4u);  // without searches
  const auto speeds = tables.at(2).rows;
  ASSERT_EQ(speeds.size(), 8u);  // four of Table V, both ways
  EXPECT_TRUE(contains(std::get<std::string>(speeds[0][7]), "here: a CPU, 1 of them"));
}

TEST_F(Scorecard, TakesTheSettingsOfThePaper) {
  const std::string speed = R"("compress_gb_per_s": 1, "decompress_gb_per_s": 1)";
  const auto tables =
      card({this->tables("sweep pfpc", R"("ratio": 7.0417, "table_bytes": 16777216, "threads": 20,
                                  "chunk_values": 4096, )" +
                                           speed),
            this->tables("sweep pfpc", R"("ratio": 9.5, "table_bytes": 8192, "threads": 20,
                                  "chunk_values": 4096, )" +
                                           speed),
            this->tables("sweep gfc", R"("chunks": 1, "ratio": 1.12984, )" + speed),
            this->tables("sweep gfc", R"("chunks": 10, "ratio": 1.12, )" + speed)});
  EXPECT_EQ(tables[0].rows.size(), 4u);
  EXPECT_EQ(cause_of(tables, "pFPC -1M, with one instance"), kEqual);
  EXPECT_EQ(cause_of(tables, "GFC, 1 chunk"), kEqual);
  EXPECT_EQ(cause_of(tables, "GFC, 10 chunks").find("not known: the header is the paper's"), 0u);
  const auto& counts = tables.at(1).rows;
  EXPECT_EQ(counts.back(), cells("all", 4, 2, 4, 1, 100 * (1.12 / 1.12982 - 1),
                                 "GFC, 10 chunks, num_plasma, double"));
}

TEST_F(Scorecard, CountsAPrintedNumberOnceByTheNearestRow) {
  const std::vector<std::filesystem::path> measured = {
      compared({{"pFPC -1M", 7.206}}, plasma_checksum(Precision::Double)),
      this->tables("sweep pfpc", R"("ratio": 7.0417, "table_bytes": 16777216, "threads": 20,
          "chunk_values": 4096, "compress_gb_per_s": 1, "decompress_gb_per_s": 1)")};
  const auto tables = scorecard(nullptr, measured);
  EXPECT_EQ(tables[0].rows.size(), 2u);
  const std::vector<Cell> all = tables[1].rows.back();
  EXPECT_EQ(std::vector<Cell>(all.begin(), all.begin() + 5), cells("all", 1, 1, 1, 0));
}

TEST_F(Scorecard, SaysThatThePapersBestTies) {
  Document document = plasma(1.46);
  document.space = synth::Space::paper();
  document.payload_bytes.assign(document.space.size(), document.data.bytes);
  for (const char* tied : {"LNV2s LNV2s LNV2x | ZE", "BIT BIT LNV2x | ZE"}) {
    document.payload_bytes[*document.space.id_of(synth::parse_pipeline(tied))] = 24000000;
  }
  finish(document);
  const std::string cause = cause_of(card({}, {document}), "best pipeline: BIT BIT");
  EXPECT_EQ(cause.find("of the same size as the paper's pipeline; the paper's file has"), 0u);
}

TEST_F(Scorecard, HasTheStatistics) {
  const auto tables = card({this->tables("data info", R"("precision": "double", "size_mib": 33.46,
      "values_millions": 4.39, "unique_percent": 0.34, "entropy_bits": null,
      "randomness_percent": 70.1)")});
  EXPECT_EQ(cause_of(tables, "values millions"), kEqual);
  EXPECT_EQ(cause_of(tables, "size MB"), kEqual);
  EXPECT_EQ(cause_of(tables, "randomness"), kNotKnown);
}

TEST_F(Scorecard, LeavesOutWhatIsNotThePapers) {
  EXPECT_TRUE(card({}, {document_with("num_plasma", {1, 2, 4, 1, 2, 1})})[0].rows.empty());
  Document made = plasma(1.46);
  made.data.source = kSyntheticSource;
  made.data.xxh3 = "0123456789abcdef";
  const auto tables = card({compared({{"MPC", 1.1665}}, made.data.xxh3)}, {made});
  EXPECT_TRUE(tables[0].rows.empty());
  EXPECT_TRUE(tables[2].rows.empty());
  EXPECT_TRUE(contains(tables[0].notes.back(), "fetch.py fpc"));
  EXPECT_THROW(card({write("other.json", R"({"schema": "another"})")}), Error);
}

}  // namespace
}  // namespace fpsynth::results
