// Pareto fronts of hand-made points.

#include "results/queries/pareto.hpp"

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
  return {throughput_with("a", std::move(rows)), {}, {}};
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

/// Ids 0..5: NUL | ZE, BIT | ZE, LNV1s | ZE, NUL ZE, BIT ZE, LNV1s ZE.
ParetoSet predicted_set() {
  ParetoSet set = set_of({pipeline_row("BIT ZE", 2, 1e-6, 1e-6)});
  set.throughput.model = small_model(0, 0, 0);  // 10 ns plus twice the time of the stages
  set.throughput.predictions = {small_space(), 2, {45, 45, 45, 45, 45, 20}, {0, 0, 0, 0, 0, 95}};
  set.search = document_with("a", {1, 2, 4, 1, 2, 8});
  return set;
}

TEST(Pareto, PredictsWhatWasNotTimed) {
  const auto points = pareto_points(predicted_set(), ThreadLimit::One);
  // A pipeline with NUL equals the shorter one without it.
  ASSERT_EQ(points.size(), 6u);
  EXPECT_EQ(find(points, "BIT ZE")->how, "library");
  const ParetoPoint* best = find(points, "LNV1s ZE");
  ASSERT_TRUE(best);
  EXPECT_EQ(best->how, "predicted");
  EXPECT_DOUBLE_EQ(best->ratio, 8);
  EXPECT_DOUBLE_EQ(best->compress, 8192 / 50.0);
  EXPECT_DOUBLE_EQ(best->decompress, 8192 / 200.0);
  EXPECT_TRUE(find(points, "ZE"));
  EXPECT_TRUE(find(points, "| ZE"));
}

TEST(Pareto, DoesNotPredictWithoutData) {
  ParetoSet failed = predicted_set();
  failed.search->failed = {5};
  failed.search->run.failures = 1;
  finish(*failed.search);
  EXPECT_FALSE(find(pareto_points(failed, ThreadLimit::One), "LNV1s ZE"));
  ParetoSet other = predicted_set();
  other.search->space.cuts = {0, 2};
  EXPECT_EQ(pareto_points(other, ThreadLimit::One).size(), 1u);
  // The model has costs for one thread only, but the document is from a machine with four.
  EXPECT_EQ(pareto_points(predicted_set(), ThreadLimit::None).size(), 1u);
  ParetoSet alone = predicted_set();
  alone.search.reset();
  EXPECT_EQ(pareto_points(alone, ThreadLimit::One).size(), 1u);
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

TEST(Pareto, PredictedInOneSetIsPredicted) {
  std::vector<std::vector<ParetoPoint>> sets = {{point("a", 1, 1, 1)}, {point("a", 1, 1, 1)}};
  sets[1][0].how = "predicted";
  EXPECT_EQ(combined_points(sets, {1, 1})[0].how, "predicted");
}

TEST(Pareto, Tables) {
  const auto tables = pareto({predicted_set()}, {"a remark"});
  ASSERT_EQ(tables.size(), 4u);  // one thread and all, both directions
  const Table& table = tables.front();
  EXPECT_EQ(table.title, "a (double), cpu: ratio against compression speed, one thread");
  EXPECT_EQ(std::get<std::string>(table.rows.front().front()), "LNV1s ZE");
  EXPECT_EQ(std::get<std::string>(table.rows.front().back()), "yes");
  // Timed pipelines are listed even if they are beaten; predicted ones are not.
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(std::get<std::string>(table.rows.back().front()), "BIT ZE");
  EXPECT_EQ(std::get<std::string>(table.rows.back().back()), "no");
  const std::string text = to_text(tables);
  EXPECT_TRUE(contains(text, "predicted: by the model, not timed"));
  EXPECT_TRUE(contains(text, "a: the model was not validated"));
  EXPECT_TRUE(contains(text, "a remark"));
}

// The survivors of a race have ids of their own: places in a list.
TEST(Pareto, SaysThatASearchWasRaced) {
  ParetoSet set = predicted_set();
  EXPECT_FALSE(contains(to_text(pareto({set}, {})), "raced"));
  set.search->space.only = {1, 5};
  set.search->race.emplace();
  set.search->payload_bytes = {kBytes / 2 - kOverhead, kBytes / 8 - kOverhead};
  finish(*set.search);
  set.throughput.predictions = {set.search->space, 2, {45, 20}, {0, 95}};
  const auto points = pareto_points(set, ThreadLimit::One);
  ASSERT_EQ(points.size(), 3u);  // one was timed
  EXPECT_DOUBLE_EQ(find(points, "LNV1s ZE")->ratio, 8);
  EXPECT_DOUBLE_EQ(find(points, "LNV1s ZE")->compress, 8192 / 50.0);
  EXPECT_TRUE(
      contains(to_text(pareto({set}, {})),
               "a: raced for its ratio; the front is of the 2 pipelines that the race left"));
}

TEST(Pareto, PipelinesHaveASeparateFront) {
  ParetoSet set = predicted_set();
  set.throughput.rows.push_back(timed_row("zstd", 16, 1e-9, 1e-9));
  const auto tables = pareto({set}, {});
  ASSERT_EQ(tables.front().rows.size(), 3u);
  const auto front = [&](std::size_t row) {
    return std::get<std::string>(tables.front().rows[row].back());
  };
  EXPECT_EQ(front(0), "yes");           // zstd beats them all
  EXPECT_EQ(front(1), "of pipelines");  // LNV1s ZE, predicted
  EXPECT_EQ(front(2), "no");            // BIT ZE, timed
}

TEST(Pareto, ErrorsOfTheModelAreReported) {
  ParetoSet set = predicted_set();
  set.throughput.model->checks = {{"BIT ZE", 1, 1.0, 1.1, 2.0, 2.0}};
  EXPECT_TRUE(
      contains(to_text(pareto({set}, {})),
               "the errors of predicted times with 1 thread are 10.0% in the median and at most "
               "10.0% for 90% of 1 random pipelines"));
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

TEST(Link, OnlyTheBestPredictionIsListed) {
  const Table table = link({predicted_set()}, 1e6, {}).front();
  ASSERT_EQ(table.rows.size(), 2u);  // of six points, one is timed
  EXPECT_TRUE(contains(to_text({table}), "predicted: by the model"));
}

class ComparedRows : public ::testing::Test {
 protected:
  std::vector<ThroughputRow> rows(const std::string& text) {
    tests::write_bytes(directory_ / "compare.json", text);
    return compared_rows(directory_ / "compare.json", throughput_with("a", {}), notes_);
  }
  static std::string document(const std::string& cpu, const std::string& row) {
    return R"({"schema": "fpsynth-comparison", "version": 1, "machine": {"cpu": ")" + cpu +
           R"("}, "data_sets": [{"name": "a", "precision": "double", "xxh3": "0123456789abcdef",)"
           R"( "rows": [)" +
           row + "]}]}";
  }
  tests::TemporaryFolder directory_;
  std::vector<std::string> notes_;
};

const char* const kRow =
    R"({"compressor": "gzip", "verified": true, "library": "z", "threads": 1,
        "compressed_bytes": 8192, "ratio": 2.0, "compress": {"median_seconds": 2.0},
        "decompress": {"median_seconds": 1.0}},
       {"compressor": "GFC", "verified": false, "refused": "singles"})";

TEST_F(ComparedRows, AreThoseOfTheSameDataAndMachine) {
  const auto found = rows(document("a CPU", kRow));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "gzip");
  EXPECT_EQ(found[0].compressed_bytes, 8192u);
  EXPECT_EQ(found[0].compress.seconds, std::vector<double>{2});
  EXPECT_TRUE(notes_.empty());
  EXPECT_TRUE(rows(document("another CPU", kRow)).empty());
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_TRUE(contains(notes_[0], "another CPU"));
}

TEST_F(ComparedRows, DamagedDocuments) {
  EXPECT_TRUE(contains(message_of([&] { rows("{}"); }), "compare.json: field schema is missing"));
  EXPECT_TRUE(contains(message_of([&] { rows(document("a CPU", "{}")); }),
                       "field data_sets[0].rows[0].verified is missing"));
}

}  // namespace
}  // namespace fpsynth::results
