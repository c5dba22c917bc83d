// Pareto fronts of hand-made points.

#include "results/queries/queries.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/results/throughput_support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using tests::contains;
using tests::message_of;

ParetoPoint point(const std::string& name, double ratio, double compress, double decompress) {
  return {name, "peer", "library", 1, ratio, compress, decompress};
}

std::vector<std::string> names(const std::vector<ParetoPoint>& points, Direction direction) {
  std::vector<std::string> found;
  for (const std::size_t i : pareto_front(points, direction)) found.push_back(points[i].name);
  return found;
}

using Names = std::vector<std::string>;

TEST(Pareto, NoneAndOne) {
  EXPECT_TRUE(pareto_front({}, Direction::Compress).empty());
  EXPECT_EQ(names({point("a", 1, 1, 1)}, Direction::Decompress), Names{"a"});
}

TEST(Pareto, DominatedPointsAreLeftOut) {
  const std::vector<ParetoPoint> points = {point("slow and bad", 1, 1, 9), point("fast", 1.5, 9, 1),
                                           point("good", 3, 2, 2), point("between", 2, 1.5, 3)};
  EXPECT_EQ(names(points, Direction::Compress), (Names{"good", "fast"}));
  EXPECT_EQ(names(points, Direction::Decompress), (Names{"good", "between", "slow and bad"}));
}

TEST(Pareto, Ties) {
  // An equal ratio but slower, as fast but a lower ratio, and equal in both.
  EXPECT_EQ(names({point("a", 2, 1, 1), point("b", 2, 3, 1)}, Direction::Compress), Names{"b"});
  EXPECT_EQ(names({point("a", 1, 3, 1), point("b", 2, 3, 1)}, Direction::Compress), Names{"b"});
  EXPECT_EQ(names({point("a", 2, 3, 1), point("b", 2, 3, 1)}, Direction::Compress), Names{"a"});
}

ParetoSet set_of(std::vector<ThroughputRow> rows) {
  return {throughput_with("a", std::move(rows)), {}};
}

const ParetoPoint* find(const std::vector<ParetoPoint>& points, const std::string& name) {
  const auto found = std::ranges::find(points, name, &ParetoPoint::name);
  return found == points.end() ? nullptr : &*found;
}

TEST(Pareto, ThreadLimits) {
  const ParetoSet set = set_of({timed_row("GFC", 2, 4, 4, 1), timed_row("GFC", 2, 1, 1, 4),
                                timed_row("pFPC", 1, 1, 1, 8), timed_row("gzip", 4, 8, 8, 1)});
  const auto one = pareto_points(set, ThreadLimit::One);
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(find(one, "GFC")->threads, 1u);
  EXPECT_DOUBLE_EQ(find(one, "GFC")->compress, kBytes / 4e9);
  const auto all = pareto_points(set, ThreadLimit::None);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(find(all, "GFC")->threads, 4u);
  EXPECT_EQ(find(all, "gzip")->threads, 1u);
}

TEST(Pareto, KernelTimesComeFirst) {
  ThroughputRow row = timed_row("GFC", 2, 4, 4);
  row.compress.kernel_seconds = {1};
  const auto points = pareto_points(set_of({row}), ThreadLimit::None);
  EXPECT_DOUBLE_EQ(points[0].compress, kBytes / 1e9);
  EXPECT_DOUBLE_EQ(points[0].decompress, kBytes / 4e9);
}

TEST(Pareto, ADocumentsRowBeatsAComparisons) {
  ParetoSet set = set_of({timed_row("GFC", 2, 1, 1)});
  set.compared = {timed_row("GFC", 2, 5, 5), timed_row("zstd", 4, 5, 5)};
  const auto points = pareto_points(set, ThreadLimit::One);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_DOUBLE_EQ(find(points, "GFC")->compress, kBytes / 1e9);
}

TEST(Pareto, SeveralDataSets) {
  const std::vector<std::vector<ParetoPoint>> sets = {{point("a", 1, 1, 2), point("b", 2, 2, 2)},
                                                      {point("a", 3, 3, 2)}};
  const auto combined = combined_points(sets, {1'000'000'000, 3'000'000'000});
  ASSERT_EQ(combined.size(), 1u);  // b is not in both
  EXPECT_EQ(combined[0].name, "a");
  EXPECT_DOUBLE_EQ(combined[0].ratio, 1.5);
  EXPECT_DOUBLE_EQ(combined[0].compress, 4 / (1 + 1.0));
  EXPECT_DOUBLE_EQ(combined[0].decompress, 2);
  EXPECT_TRUE(combined_points({}, {}).empty());
}

TEST(Pareto, PipelinesHaveASeparateFront) {
  const ParetoSet set =
      set_of({pipeline_row("BIT ZE", 2, 1e-6, 1e-6), pipeline_row("LNV1s ZE", 8, 1e-7, 1e-7),
              timed_row("zstd", 16, 1e-9, 1e-9)});
  const auto tables = pareto({set}, 0, {"a remark"});
  ASSERT_EQ(tables.size(), 4u);  // one thread and all, both directions
  const Table& table = tables.front();
  EXPECT_EQ(table.title, "a (double), cpu: ratio against compression speed, one thread");
  ASSERT_EQ(table.rows.size(), 3u);
  const char* const rows[][2] = {{"zstd", "yes"}, {"LNV1s ZE", "of pipelines"}, {"BIT ZE", "no"}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(table.rows[i].front(), Cell(std::string(rows[i][0])));
    EXPECT_EQ(table.rows[i].back(), Cell(std::string(rows[i][1])));
  }
  EXPECT_TRUE(contains(to_text(tables), "a remark"));
}

TEST(Pareto, AtLeastSoFastInBothDirections) {
  const double second = kBytes / 1e9;  // that 1 GB/s takes
  const ParetoSet set = set_of({timed_row("slow encoder", 8, second, second / 4),
                                timed_row("slow decoder", 8, second / 4, second),
                                timed_row("fast", 2, second / 4, second / 4)});
  const Table table = pareto({set}, 2, {}).front();
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].front(), Cell(std::string("fast")));
  EXPECT_EQ(table.rows[0].back(), Cell(std::string("yes")));
  EXPECT_TRUE(contains(to_text({table}), "only what was timed at 2 GB/s or more"));
  EXPECT_TRUE(pareto({set}, 5, {}).front().rows.empty());
}

TEST(Link, TheSlowestPartDecides) {
  const double second = kBytes / 1e9;  // that 1 GB/s takes
  const ParetoSet set = set_of({timed_row("slow", 2, 2 * second, second / 8),
                                timed_row("copied", 1, second / 4, second / 4),
                                timed_row("fast", 2, second / 4, second / 8)});
  const Table table = link({set}, 8, {"a remark"}).front();
  EXPECT_EQ(table.title, "a (double), cpu: over a link of 8 Gbit/s, one thread");
  ASSERT_EQ(table.rows.size(), 3u);
  const auto expect_row = [&](std::size_t i, const std::string& name, const std::string& bound,
                              const std::vector<double>& figures) {
    const std::vector<Cell>& row = table.rows[i];
    EXPECT_EQ(row[0], Cell(name));
    EXPECT_EQ(row[8], Cell(bound));
    std::vector<double> found;
    for (const std::size_t column : {7, 9, 10, 11}) {
      if (const double* figure = std::get_if<double>(&row[column])) found.push_back(*figure);
    }
    ASSERT_EQ(found.size(), figures.size());
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_DOUBLE_EQ(found[k], figures[k]);
  };
  expect_row(0, "fast", "link", {2, 1 / (0.25 + 0.5 + 0.125), 32, 8 * 0.5 / 0.375});
  expect_row(1, "copied", "link", {1, 1 / (0.25 + 1 + 0.25)});  // gains nothing, so never pays
  expect_row(2, "slow", "compress", {0.5, 1 / (2 + 0.5 + 0.125), 4, 8 * 0.5 / 2.125});
  EXPECT_TRUE(contains(to_text({table}), "without compression, 1.000 GB/s"));
  EXPECT_TRUE(contains(to_text({table}), "a remark"));
}

TEST(ComparedRows, AreThoseOfTheSameDataAndMachine) {
  const tests::TemporaryFolder directory;
  const auto path = directory / "compare.json";
  std::vector<std::string> notes;
  const auto rows = [&] { return compared_rows(path, throughput_with("a", {}), notes); };
  ComparedRow refused;
  refused.name = "GFC";
  refused.refused = "singles";
  const ComparedSet set = compared_set(
      "a", synth::Precision::Double,
      {compared_row("gzip", 2, 0.5), refused, compared_row("best searched", 3, 1, 1, "BIT ZE"),
       compared_row("auto quick", 3, 1, 1, "LAG:1 | LNV1s BIT ZE; DICT | ZE")});
  write_comparison(path, {set, compared_set("b", synth::Precision::Double, set.rows, "1")});
  const auto found = rows();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].name, "gzip");
  EXPECT_EQ(found[0].ratio(), 2);
  EXPECT_EQ(found[0].gb_per_s(found[0].compress), 0.5);  // of the bytes that were timed
  EXPECT_EQ(found[1].kind, "pipeline");
  EXPECT_EQ(found[2].kind, "compared");
  EXPECT_TRUE(notes.empty());
  write_comparison(path, {set}, "another CPU");
  EXPECT_TRUE(rows().empty());
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(contains(notes[0], "another CPU"));
  tests::write_bytes(path, "{}");
  EXPECT_TRUE(contains(message_of(rows), "compare.json: field schema is missing"));
}

}  // namespace
}  // namespace fpsynth::results
