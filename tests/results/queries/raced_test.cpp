// Queries on the survivors of races, and on spaces of other numbers of stages than four.

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "results/queries/papers/published.hpp"
#include "results/queries/queries.hpp"
#include "tests/results/queries/cells.hpp"
#include "tests/results/support.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using tests::contains;
using tests::message_of;

/// Races on two data sets, which have left LNV1s ZE (5) in common, and BIT | ZE (1) or NUL ZE (3).
Runs two_races() {
  return Runs({raced_document("a", {1, 5}, {8, 4}), raced_document("b", {3, 5}, {2, 4})});
}

TEST(RacedQueries, BestOfAllIsOneThatAllHave) {
  const Table table = best(two_races()).front();
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0], (Row{"a", 8.0, "BIT | ZE", {}, {}}));
  EXPECT_EQ(table.rows[1], (Row{"b", 4.0, "LNV1s ZE", {}, {}}));
  EXPECT_EQ(table.rows[2], (Row{"Best", 4.0, "LNV1s ZE", {}, {}}));
  EXPECT_TRUE(has_note(table, "risk 1 %, margin 0.1 %, 2 of 6 pipelines were searched whole"));
  EXPECT_TRUE(has_note(table, "another one may be better"));
}

TEST(RacedQueries, BestOfAllIsMissingIfRacesHaveNothingInCommon) {
  const Runs runs({raced_document("a", {1}, {8}), raced_document("b", {3}, {2})});
  const Table table = best(runs).front();
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[2], (Row{"Best", {}, {}, {}, {}}));
  EXPECT_TRUE(has_note(table, "double: no pipeline was left by the races of all data sets"));
  EXPECT_TRUE(overall(runs, 5).front().rows.empty());
  EXPECT_EQ(means(runs).front().rows[0],
            (Row{"double", std::string(kOneForAll), std::uint64_t{2}, {}, {}}));
}

TEST(RacedQueries, IdsAreOfTheWholeSpace) {
  const Runs runs = two_races();
  const Table ranked = top(runs, 2).front();
  ASSERT_EQ(ranked.rows.size(), 4u);
  EXPECT_EQ(ranked.rows[0][3], Cell(std::uint64_t{1}));
  EXPECT_EQ(ranked.rows[0][4], Cell("BIT | ZE"));
  EXPECT_EQ(ranked.rows[3][3], Cell(std::uint64_t{3}));
  EXPECT_TRUE(has_note(ranked, "ids are of the whole space"));
  EXPECT_EQ(ranked.rows[0][8], Cell());
  EXPECT_TRUE(top(runs, 2).back().rows.empty());
  EXPECT_TRUE(has_note(top(runs, 2).back(), "races are left out"));
  const Table over_all = overall(runs, 5).front();
  ASSERT_EQ(over_all.rows.size(), 1u);
  EXPECT_EQ(over_all.rows[0][2], Cell(std::uint64_t{5}));
  EXPECT_EQ(over_all.rows[0][6], Cell("a"));
}

TEST(RacedQueries, CrossValidationLeavesOpenWhatIsNotKnown) {
  const Table table = overall(two_races(), 5).back();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0], (Row{"a", "double", "LNV1s ZE", 4.0, 4.0, 8.0, 50.0}));
  EXPECT_EQ(table.rows[1], (Row{"b", "double", "BIT | ZE", 8.0, {}, {}, {}}));
}

TEST(RacedQueries, APipelineThatLeftTheRace) {
  const Table table = pipeline(two_races(), "1").front();
  EXPECT_EQ(table.title, "BIT | ZE (id 1)");
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0][2], Cell(8.0));
  EXPECT_EQ(table.rows[1], (Row{"b", "double", {}, {}, {}, {}}));
  EXPECT_EQ(table.rows[2], (Row{"harmonic mean", "double", {}, {}, {}, {}}));
  EXPECT_TRUE(has_note(table, "not among the pipelines that were searched whole"));
  EXPECT_FALSE(has_note(table, "a rank is 1 + the better ones"));
  const Table in_both = pipeline(two_races(), "LNV1s ZE").front();
  EXPECT_EQ(in_both.rows[2][2], Cell(4.0));
  EXPECT_TRUE(contains(message_of([&] { pipeline(two_races(), "6"); }), "are 0..5"));
}

TEST(RacedQueries, NothingIsSaidOfWholeSpaces) {
  const Runs runs({raced_document("a", {1, 5}, {8, 4}), document_with("b", {1, 2, 4, 1, 2, 1})});
  const std::vector<Table> spread = distribution(runs);
  ASSERT_EQ(spread[0].rows.size(), 1u);
  EXPECT_EQ(spread[0].rows[0][0], Cell("b"));
  EXPECT_TRUE(has_note(spread[0], "are not known: a (double)"));
  EXPECT_TRUE(
      std::ranges::all_of(spread[1].rows, [](const Row& row) { return row[0] == Cell("b"); }));

  const Table fewer = stages(runs).front();
  ASSERT_EQ(fewer.rows.size(), 3u);
  EXPECT_EQ(fewer.rows[0], (Row{"a", "double", {}, 8.0, {}}));
  EXPECT_EQ(fewer.rows[1], (Row{"b", "double", 1.0, 4.0, 25.0}));
  EXPECT_EQ(fewer.rows[2][2], Cell());
  EXPECT_TRUE(has_note(fewer, "the best with fewer stages may have left the race"));
}

TEST(RacedQueries, TalliesCountWhatIsThere) {
  const std::vector<Table> counted = components(two_races(), 100);
  EXPECT_TRUE(has_note(counted.front(), "may be fewer"));
  // BIT once, LNV1s twice, NUL once, in the first of two stages.
  EXPECT_EQ(counted[0].rows[0][1], Cell(std::uint64_t{1}));
  EXPECT_EQ(counted[0].rows[1][1], Cell(std::uint64_t{1}));
  EXPECT_EQ(counted[0].rows[2][1], Cell(std::uint64_t{2}));
  EXPECT_TRUE(has_note(patterns(two_races(), 1).front(), "may be fewer"));
}

TEST(RacedQueries, RacesHaveTheirSettingsAndRounds) {
  const std::vector<Table> all = searches(two_races());
  const Table& searched = all.at(0);
  const std::span tables = std::span(all).subspan(1);
  ASSERT_EQ(tables[0].rows.size(), 2u);
  const Row& row = tables[0].rows[0];
  EXPECT_EQ(row[2], Cell(0.1));
  EXPECT_EQ(row[3], Cell(1.0));
  EXPECT_EQ(row[7], Cell(std::uint64_t{2}));
  EXPECT_EQ(row[9], Cell("BIT | ZE"));
  EXPECT_EQ(row[10], Cell(std::uint64_t{6 + 3 + 2 * 2}));
  EXPECT_DOUBLE_EQ(std::get<double>(row[11]), 100.0 * (1 - 13.0 / 12));
  ASSERT_EQ(tables[1].rows.size(), 4u);
  EXPECT_EQ(tables[1].rows[1],
            (Row{"a", "double", std::uint64_t{2}, std::uint64_t{2}, std::uint64_t{2},
                 std::uint64_t{3}, std::uint64_t{2}, std::uint64_t{3}}));
  EXPECT_TRUE(has_note(tables[0], "distributed normally"));
  EXPECT_EQ(searched.rows[0][4], Cell(std::uint64_t{2}));
  EXPECT_EQ(searched.columns.back().key, "left_of");
  EXPECT_EQ(searched.rows[0].back(), Cell(std::uint64_t{6}));
}

/// NUL, BIT, LNV1s and the last ZE in all cuts, sizes different for each.
Document document_of_stages(const std::string& name, unsigned stages, bool listed = false) {
  Document document = document_with(name, {1});
  document.space.stages = stages;
  document.space.cuts.clear();
  for (unsigned cut = 0; cut <= stages; ++cut) document.space.cuts.push_back(cut);
  if (listed) document.space.only = {3, 5};
  document.payload_bytes.clear();
  for (std::uint64_t id = 0; id < document.space.size(); ++id) {
    document.payload_bytes.push_back(9000 - id - kOverhead);
  }
  finish(document);
  validate(document);
  return document;
}

TEST(QueriesOfOtherStages, ThreeAndFive) {
  for (const unsigned number : {3u, 5u}) {
    SCOPED_TRACE(number);
    const Document document = document_of_stages("a", number);
    const std::uint64_t last = document.space.size() - 1;
    const Runs runs({document, document_of_stages("b", number)});
    EXPECT_EQ(top(runs, 1).front().rows[0][3], Cell(last));
    EXPECT_EQ(overall(runs, 1).front().rows[0][2], Cell(last));
    EXPECT_EQ(pipeline(runs, "LNV1s ZE").front().rows.size(), 3u);
    const Table fewer = stages(runs).front();
    ASSERT_EQ(fewer.columns.size(), 2 + number + number - 1);
    EXPECT_EQ(fewer.columns[1 + number].key, "ratio_" + std::to_string(number));
    EXPECT_EQ(fewer.rows[0][1 + number], Cell(document.ratio(last)));
    const double one_stage = std::get<double>(fewer.rows[0][2]);
    EXPECT_LT(one_stage, document.ratio(last));
    const std::vector<Table> tallies = components(runs, 10);
    EXPECT_EQ(tallies[0].columns.size(), 2 + number);
    EXPECT_EQ(tallies[2].rows.size(), number + 1);
    EXPECT_EQ(patterns(runs, 10).back().rows.size(), number);
    EXPECT_EQ(distribution(runs).front().rows[0][2], Cell(document.space.size()));
    const Table shown = with_published(best(runs).front(), runs, PublishedFigures::built_in());
    EXPECT_EQ(shown.rows.size(), 3u);
    const Runs lists(
        {document_of_stages("a", number, true), document_of_stages("b", number, true)});
    EXPECT_EQ(overall(lists, 1).front().rows[0][2], Cell(std::uint64_t{5}));
  }
}

}  // namespace
}  // namespace fpsynth::results
