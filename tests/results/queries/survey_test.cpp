#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "results/queries/queries.hpp"
#include "results/queries/table.hpp"
#include "synth/common/version.hpp"
#include "tests/results/support.hpp"
#include "tests/support/files.hpp"

namespace fpsynth::results {
namespace {

using synth::Precision;

std::uint64_t count_in(const Cell& cell) { return std::get<std::uint64_t>(cell); }
double figure(const Cell& cell) { return std::get<double>(cell); }

TEST(Survey, DistributionCountsEveryRankedPipelineInItsStep) {
  Document failed = document_with("a", {1, 2, 2, 4, 8, 1});
  failed.failed = {4};  // the best one
  finish(failed);
  const auto tables = distribution(Runs({failed, document_with("b", {1, 1, 1, 1, 1, 1})}));
  ASSERT_EQ(tables.size(), 2u);
  const auto& row = tables[0].rows.at(0);
  EXPECT_EQ(count_in(row[2]), 5u);
  EXPECT_NEAR(figure(row[3]), 60, 1e-9);  // 2, 2 and 4 of five
  EXPECT_DOUBLE_EQ(figure(row[4]), 1);
  EXPECT_DOUBLE_EQ(figure(row[6]), 2);
  EXPECT_DOUBLE_EQ(figure(row[9]), 4);
  std::uint64_t a = 0, b = 0;
  for (const auto& step : tables[1].rows) {
    EXPECT_NEAR(figure(step[3]) / figure(step[2]), std::exp2(1.0 / kStepsPerDoubling), 1e-12);
    (std::get<std::string>(step[0]) == "a" ? a : b) += count_in(step[4]);
  }
  EXPECT_EQ(a, 5u);
  EXPECT_EQ(b, 6u);
  EXPECT_EQ(tables[1].rows.size(), 4u);  // steps of 1, 2 and 4; of 1
}

TEST(Survey, SearchesShowHowTheyRan) {
  Document document = document_with("a", {1, 2, 2, 4, 8, 1}, Precision::Single);
  document.run.backend = "cuda";
  const auto tables = searches(Runs({document}));
  const auto& row = tables.at(0).rows.at(0);
  ASSERT_EQ(row.size(), tables[0].columns.size());
  EXPECT_EQ(std::get<std::string>(row[1]), "single");
  EXPECT_EQ(count_in(row[2]), kBytes);
  EXPECT_EQ(count_in(row[4]), 6u);
  EXPECT_EQ(std::get<std::string>(row[7]), "yes");
  EXPECT_EQ(std::get<std::string>(row[10]), "cuda");
}

TEST(TablesDocument, ContainsTheTablesAndTheirOrigin) {
  const tests::TemporaryFolder folder;
  const Table table{.title = "t",
                    .columns = {{"name"}, {"n"}, {"x"}},
                    .rows = {{"a", std::uint64_t{7}, 0.1}, {"b", {}, {}}},
                    .notes = {"one"}};
  const auto path = folder / "tables.json";
  write_tables(path, {table},
               {.kind = "query best", .command = "fpsynth q", .cpu = "a CPU", .threads = 3});
  const auto json = nlohmann::json::parse(tests::read_bytes(path));
  EXPECT_EQ(json.at("schema"), kTablesSchema);
  EXPECT_EQ(json.at("version"), kTablesVersion);
  EXPECT_EQ(json.at("kind"), "query best");
  EXPECT_EQ(json.at("program").at("commit"), synth::kCommit);
  EXPECT_EQ(json.at("machine").at("threads"), 3);
  EXPECT_EQ(json.at("tables"), nlohmann::json::parse(to_json({table})));
  EXPECT_TRUE(json.at("tables")[0].at("rows")[1].at("n").is_null());
}

TEST(Survey, PreludesWithTheirEstimatesAndRatios) {
  const Document document = document_with_preludes();
  const Table table = searches(Runs({document, document_with("b", {1, 1, 1, 1, 1, 1})})).at(1);
  ASSERT_EQ(table.rows.size(), 4u);  // none of b
  EXPECT_EQ(table.rows[0][2], Cell("LAGx:3"));
  EXPECT_EQ(count_in(table.rows[0][3]), 2u);
  EXPECT_DOUBLE_EQ(figure(table.rows[0][4]), 5.5);
  EXPECT_DOUBLE_EQ(figure(table.rows[0][5]), document.ratio(7));
  EXPECT_EQ(table.rows[0][6], Cell("BIT | ZE"));
  EXPECT_EQ(table.rows[0][7], Cell("a \"reason\""));
  EXPECT_EQ(table.rows[2][2], Cell("none"));
  EXPECT_DOUBLE_EQ(figure(table.rows[2][5]), 4);
  EXPECT_EQ(table.rows[3][2], Cell("ORD"));  // no finalist
  EXPECT_EQ(table.rows[3][5], Cell());
  EXPECT_EQ(table.rows[3][6], Cell("LNV1s | ZE"));
  EXPECT_EQ(searches(Runs({document_with("b", {1, 1, 1, 1, 1, 1})})).size(), 1u);
}

}  // namespace
}  // namespace fpsynth::results
