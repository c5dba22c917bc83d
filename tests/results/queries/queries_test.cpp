#include "results/queries/queries.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "synth/parsing.hpp"
#include "tests/results/queries/cells.hpp"
#include "tests/results/support.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using tests::contains;
using tests::message_of;

using synth::Precision;

void expect_row(const Table& table, std::size_t index, const Row& expected) {
  ASSERT_LT(index, table.rows.size());
  const Row& row = table.rows[index];
  ASSERT_EQ(row.size(), expected.size());
  ASSERT_EQ(row.size(), table.columns.size());
  for (std::size_t c = 0; c < row.size(); ++c) {
    const std::string where = "row " + std::to_string(index) + ", " + table.columns[c].key;
    if (std::holds_alternative<double>(row[c]) && std::holds_alternative<double>(expected[c])) {
      EXPECT_NEAR(std::get<double>(row[c]), std::get<double>(expected[c]), 1e-12) << where;
    } else {
      EXPECT_EQ(row[c], expected[c]) << where;
    }
  }
}

// Harmonic means of a and b in double precision, by id: 1, 2, 1.6, 1.6, 4/3, 1.6.
Document a() { return document_with("a", {1, 2, 4, 1, 2, 1}); }
Document b() { return document_with("b", {1, 2, 1, 4, 1, 4}); }
Document a_single() { return document_with("a", {8, 1, 1, 1, 1, 1}, Precision::Single); }

Runs runs_of(std::vector<Document> documents) { return Runs(std::move(documents)); }

TEST(Queries, Best) {
  const std::vector<Table> tables = best(runs_of({b(), a_single(), a()}));
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].rows.size(), 3u);
  expect_row(tables[0], 0, {text("a"), 4.0, text("LNV1s | ZE"), 8.0, text("NUL | ZE")});
  expect_row(tables[0], 1, {text("b"), 4.0, text("NUL ZE"), kNone, kNone});
  expect_row(tables[0], 2, {text("Best"), 2.0, text("BIT | ZE"), 8.0, text("NUL | ZE")});
  EXPECT_TRUE(has_note(tables, "over 2 data sets in double and 1 in single"));
  EXPECT_TRUE(has_note(tables, "Best: one pipeline for all data sets"));
  EXPECT_FALSE(has_note(tables, "without preludes"));
}

TEST(Queries, APipelineThatFailedOnceIsNotTheBest) {
  Document document = b();
  document.failed = {1};
  document.run.failures = 1;
  finish(document);
  std::vector<Table> tables = best(runs_of({a(), document}));
  expect_row(tables[0], 2, {text("Best"), 1.6, text("LNV1s | ZE"), kNone, kNone});
  EXPECT_TRUE(has_note(tables, "b (double): failed pipelines, not ranked: 1"));

  document.failed = {0, 1, 2, 3, 4, 5};
  finish(document);
  tables = best(runs_of({a(), document}));
  expect_row(tables[0], 1, {text("b"), kNone, kNone, kNone, kNone});
  expect_row(tables[0], 2, {text("Best"), kNone, kNone, kNone, kNone});
  EXPECT_TRUE(has_note(tables, "no pipeline decoded on every data set"));
  EXPECT_EQ(pipeline(runs_of({document}), "NUL ZE")[0].rows[0][2], kNone);
  EXPECT_EQ(top(runs_of({document}), 5)[0].rows.size(), 0u);
  expect_row(stages(runs_of({document}))[0], 0, {text("b"), text("double"), kNone, kNone, kNone});
}

TEST(Queries, Top) {
  const std::vector<Table> tables = top(runs_of({a(), b()}), 2);
  ASSERT_EQ(tables[0].rows.size(), 4u);
  expect_row(tables[0], 0,
             {text("a"), text("double"), count(1), count(2), text("LNV1s | ZE"), 4.0, 100.0,
              count(4096), count(0)});
  expect_row(tables[0], 1,
             {text("a"), text("double"), count(2), count(1), text("BIT | ZE"), 2.0, 50.0,
              count(8192), count(1)});
  expect_row(tables[0], 3,
             {text("b"), text("double"), count(1), count(5), text("LNV1s ZE"), 4.0, 100.0,
              count(4096), count(1)});
  EXPECT_EQ(top(runs_of({a(), b()}), 1000)[0].rows.size(), 12u);
}

TEST(Queries, TiesOfTheBest) {
  // Three of one size: NUL ZE is the algorithm of NUL | ZE only without its cut.
  const std::vector<Table> tables =
      top(runs_of({document_with("c", {4, 1, 4, 4, 2, 1}), document_with("d", {4, 4, 4, 4, 4, 4}),
                   document_with("e", {1, 1, 1, 8, 1, 1})}),
          1);
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].rows[0].back(), count(2));
  ASSERT_EQ(tables[1].rows.size(), 3u);
  expect_row(tables[1], 0,
             {text("c"), text("double"), text("NUL | ZE"), 4.0, count(2), count(2), text("BIT ZE"),
              2.0, 50.0});
  expect_row(
      tables[1], 1,
      {text("d"), text("double"), text("NUL | ZE"), 4.0, count(5), count(5), kNone, kNone, kNone});
  expect_row(tables[1], 2,
             {text("e"), text("double"), text("NUL ZE"), 8.0, count(0), count(0), text("NUL | ZE"),
              1.0, 87.5});
}

TEST(Queries, TiedPipelinesThatDifferOnlyInNulsAreOneAlgorithm) {
  const synth::Space space = synth::Space::paper();
  Document document = a();
  document.space = space;
  document.payload_bytes.assign(space.size(), 1000);
  for (const char* spelling :
       {"NUL LNV1s BIT ZE", "LNV1s NUL BIT ZE", "LNV1s BIT NUL ZE", "LNV1s BIT INV ZE"}) {
    document.payload_bytes[*space.id_of(synth::parse_pipeline(spelling))] = 10;
  }
  finish(document);
  const Table ties = top(runs_of({document}), 1)[1];
  EXPECT_EQ(ties.rows[0][4], count(3));
  EXPECT_EQ(ties.rows[0][5], count(1));
}

TEST(Queries, Overall) {
  const std::vector<Table> tables = overall(runs_of({a(), b()}), 4);
  ASSERT_EQ(tables.size(), 2u);
  ASSERT_EQ(tables[0].rows.size(), 4u);
  expect_row(tables[0], 0,
             {text("double"), count(1), count(1), text("BIT | ZE"), 2.0, 2.0, text("a")});
  expect_row(tables[0], 1,
             {text("double"), count(2), count(2), text("LNV1s | ZE"), 1.6, 1.0, text("b")});
  expect_row(tables[0], 2,
             {text("double"), count(2), count(3), text("NUL ZE"), 1.6, 1.0, text("a")});
  ASSERT_EQ(tables[1].rows.size(), 2u);
  expect_row(tables[1], 0, {text("a"), text("double"), text("NUL ZE"), 4.0, 1.0, 4.0, 75.0});
  expect_row(tables[1], 1, {text("b"), text("double"), text("LNV1s | ZE"), 4.0, 1.0, 4.0, 75.0});
}

TEST(Queries, CrossValidationWhereTheBestOfTheOthersFailed) {
  Document document = b();
  document.failed = {2};
  document.run.failures = 1;
  finish(document);
  const std::vector<Table> tables = overall(runs_of({a(), document}), 1);
  expect_row(tables[1], 1,
             {text("b"), text("double"), text("LNV1s | ZE"), 4.0, kNone, kNone, kNone});
}

TEST(Queries, CrossValidationNeedsTwo) {
  const std::vector<Table> tables = overall(runs_of({a()}), 1);
  EXPECT_TRUE(tables[1].rows.empty());
  EXPECT_TRUE(has_note(tables, "double: cross-validation needs two data sets"));
}

TEST(Queries, Pipeline) {
  const std::vector<Table> tables = pipeline(runs_of({a(), b()}), "lnv1S ze");
  ASSERT_EQ(tables[0].rows.size(), 3u);
  EXPECT_EQ(tables[0].title, "LNV1s ZE (id 5)");
  // Pipelines of the same size have the same rank: 1 + those with smaller files.
  expect_row(tables[0], 0, {text("a"), text("double"), 1.0, count(4), 25.0, 4.0});
  expect_row(tables[0], 1, {text("b"), text("double"), 4.0, count(1), 100.0, 4.0});
  expect_row(tables[0], 2, {text("harmonic mean"), text("double"), 1.6, count(2), 80.0, 2.0});
}

TEST(Queries, ShorterPipelineIsLookedUpWithNuls) {
  EXPECT_EQ(pipeline(runs_of({a()}), "ZE")[0].title, "ZE (id 3)");
  EXPECT_TRUE(has_note(pipeline(runs_of({a()}), "ZE"), "searched as NUL ZE"));
}

TEST(Queries, PipelineOutsideTheSpace) {
  for (const char* outside : {"INV ZE", "NUL RLE", "BIT BIT ZE", "| BIT ZE"}) {
    EXPECT_TRUE(
        contains(message_of([&] { pipeline(runs_of({a()}), outside); }), "not in the space"))
        << outside;
  }
  EXPECT_THROW(pipeline(runs_of({a()}), "FOO ZE"), synth::ParseError);
  // The space has no cut before all stages, but NUL | ZE is equivalent.
  EXPECT_EQ(pipeline(runs_of({a()}), "| ZE").size(), 1u);
}

TEST(Queries, Components) {
  const std::vector<Table> tables = components(runs_of({a(), b()}), 2);  // ids 2, 1 and 3, 5
  ASSERT_EQ(tables.size(), 4u);
  ASSERT_EQ(tables[0].rows.size(), 4u);
  expect_row(tables[0], 0, {text("NUL"), count(1), count(0), count(1)});
  expect_row(tables[0], 1, {text("BIT"), count(1), count(0), count(1)});
  expect_row(tables[0], 2, {text("LNV1s"), count(2), count(0), count(2)});
  expect_row(tables[0], 3, {text("ZE"), count(0), count(4), count(4)});
  expect_row(tables[1], 2, {text("LNVns"), count(2), count(0), count(2), 25.0});
  expect_row(tables[2], 0, {count(1), count(2), 50.0});
  expect_row(tables[2], 1, {count(2), count(2), 50.0});
  expect_row(tables[3], 2, {text("LNV1s"), 50.0, 0.0});
  expect_row(tables[3], 3, {text("ZE"), 0.0, 100.0});
}

TEST(Queries, MeansOfOnePipelineAndOfEachOwnBest) {
  const std::vector<Table> tables = means(runs_of({a(), b(), a_single()}));
  ASSERT_EQ(tables[0].rows.size(), 4u);
  expect_row(tables[0], 0,
             {text("double"), text("one pipeline for all"), count(2), 2.0, text("BIT | ZE")});
  expect_row(tables[0], 1,
             {text("double"), text("each data set's own best"), count(2), 4.0, kNone});
  expect_row(tables[0], 2,
             {text("single"), text("one pipeline for all"), count(1), 8.0, text("NUL | ZE")});
  expect_row(tables[0], 3,
             {text("single"), text("each data set's own best"), count(1), 8.0, kNone});
}

TEST(Queries, MeansWithoutAPipelineThatDecodesEverywhere) {
  Document first = a(), second = b();
  first.failed = {0, 1, 2};
  second.failed = {3, 4, 5};
  for (Document* document : {&first, &second}) finish(*document);
  const std::vector<Table> tables = means(runs_of({first, second}));
  ASSERT_EQ(tables[0].rows.size(), 2u);
  expect_row(tables[0], 0, {text("double"), text("one pipeline for all"), count(2), kNone, kNone});
  EXPECT_TRUE(std::holds_alternative<double>(tables[0].rows[1][3]));
}

TEST(Queries, ComponentFamiliesAddUp) {
  const synth::Space space = synth::Space::paper();
  Document document = a();
  document.space = space;
  document.payload_bytes.assign(space.size(), 1000);
  const auto put_first = [&](const char* pipeline) {
    document.payload_bytes[*space.id_of(synth::parse_pipeline(pipeline))] = 10;
  };
  put_first("LNV1s LNV2s LNV3x ZE");
  put_first("LNV5s | LNV5x DIM8 RLE");
  finish(document);
  const std::vector<Table> tables = components(runs_of({document}), 2);
  EXPECT_EQ(tables[0].rows.size(), 24u);
  const Row subtraction = {text("LNVns"), count(2), count(1), count(0), count(0), count(3), 37.5};
  const Row exclusive_or = {text("LNVnx"), count(0), count(1), count(1), count(0), count(2), 25.0};
  EXPECT_NE(std::ranges::find(tables[1].rows, subtraction), tables[1].rows.end());
  EXPECT_NE(std::ranges::find(tables[1].rows, exclusive_or), tables[1].rows.end());
  ASSERT_EQ(tables[2].rows.size(), 5u);
  expect_row(tables[2], 1, {count(1), count(1), 50.0});
  expect_row(tables[2], 4, {count(4), count(1), 50.0});
}

TEST(Queries, Stages) {
  const std::vector<Table> tables = stages(runs_of({a(), b(), a_single()}));
  ASSERT_EQ(tables[0].rows.size(), 5u);
  expect_row(tables[0], 0, {text("a"), text("double"), 1.0, 4.0, 25.0});
  expect_row(tables[0], 1, {text("a"), text("single"), 8.0, 8.0, 100.0});
  expect_row(tables[0], 2, {text("b"), text("double"), 4.0, 4.0, 100.0});
  expect_row(tables[0], 3, {text("Best"), text("double"), 1.6, 2.0, 80.0});
  expect_row(tables[0], 4, {text("Best"), text("single"), 8.0, 8.0, 100.0});
}

TEST(Queries, StagesOfThePaperSpace) {
  // A pipeline with k stages other than NUL compresses to (5 - k) * 1024 bytes.
  const synth::Space space = synth::Space::paper();
  const synth::Component nul = *synth::parse_component("NUL");
  Document document = a();
  document.space = space;
  document.payload_bytes.clear();
  for (std::uint64_t id = 0; id < space.size(); ++id) {
    const auto nuls = std::ranges::count(space.at(id).stages, nul);
    document.payload_bytes.push_back(static_cast<std::uint64_t>(1 + nuls) * 1024 - kOverhead);
  }
  finish(document);
  const std::vector<Table> tables = stages(runs_of({document}));
  expect_row(tables[0], 0,
             {text("a"), text("double"), 4.0, 16.0 / 3, 8.0, 16.0, 25.0, 100.0 / 3, 50.0});
  expect_row(tables[0], 1,
             {text("Best"), text("double"), 4.0, 16.0 / 3, 8.0, 16.0, 25.0, 100.0 / 3, 50.0});
}

TEST(Queries, StagesWithoutNulSaySo) {
  Document document = a();
  document.space.components[0] = *synth::parse_component("INV");
  const std::vector<Table> tables = stages(runs_of({document}));
  expect_row(tables[0], 0, {text("a"), text("double"), kNone, 4.0, kNone});
  EXPECT_TRUE(has_note(tables, "the space has no NUL"));
}

TEST(Queries, IncompleteDocumentsAreMarked) {
  Document sampled = a();
  sampled.run.sample = 2;
  sampled.chunk_ranges = {{0, 1}};
  sampled.sampled_bytes = 8192;
  sampled.run.verification = "none";
  finish(sampled);
  Document partial = b();
  partial.chunk_ranges = {{0, 1}};
  finish(partial);
  Document nothing = document_with("c", {1, 1, 1, 1, 1, 1});
  nothing.chunk_ranges.clear();
  finish(nothing);
  const std::vector<Table> tables = best(runs_of({sampled, partial, nothing}));
  EXPECT_TRUE(has_note(tables, "a (double): sampled, one chunk in 2; not verified"));
  EXPECT_TRUE(has_note(tables, "b (double): incomplete, 1 of 2 chunks"));
  EXPECT_TRUE(has_note(tables, "c (double): nothing searched yet, left out"));
  EXPECT_EQ(tables[0].rows.size(), 3u);
  expect_row(tables[0], 0, {text("a"), 2.0, text("LNV1s | ZE"), kNone, kNone});
  EXPECT_TRUE(has_note(best(runs_of({sampled})), "a (double): sampled"));
  Document other = sampled;
  other.data.name = "z";
  EXPECT_TRUE(has_note(best(runs_of({sampled, other})), "all data sets: sampled"));
}

/// a() behind LAGx:3, too, where its best pipeline is BIT | ZE with a ratio of 8.
Document a_behind_a_prelude() {
  Document document = a();
  document.space.preludes = {{}, synth::parse_prelude("LAGx:3")};
  document.prelude_overhead_bytes = {kOverhead, kOverhead + 40};
  for (const std::uint64_t ratio : {1, 8, 4, 2, 2, 2}) {
    document.payload_bytes.push_back(kBytes / ratio - kOverhead - 40);
  }
  finish(document);
  validate(document);
  return document;
}

TEST(QueriesWithPreludes, NameTheMethod) {
  const Runs runs = runs_of({a_behind_a_prelude(), b()});
  const std::vector<Table> tables = best(runs);
  expect_row(tables[0], 0, {text("a"), 8.0, text("LAGx:3 / BIT | ZE"), kNone, kNone});
  // The one for all stands alone.
  expect_row(tables[0], 2, {text("Best"), 2.0, text("BIT | ZE"), kNone, kNone});
  EXPECT_TRUE(has_note(tables, "preludes are of one data set"));
  const std::vector<Table> first = top(runs, 3);
  expect_row(first[0], 0,
             {text("a"), text("double"), count(1), count(7), text("LAGx:3 / BIT | ZE"), 8.0, 100.0,
              count(2048), count(0)});
  EXPECT_EQ(first[0].rows[1][4], text("LNV1s | ZE"));
  EXPECT_EQ(first[0].rows[2][4], text("LAGx:3 / LNV1s | ZE"));
  EXPECT_EQ(first[0].rows[2][8], count(1));
  EXPECT_EQ(first[1].rows[0][2], text("LAGx:3 / BIT | ZE"));
  EXPECT_EQ(means(runs)[0].rows[0][4], text("BIT | ZE"));
  // Means of pipelines alone; the preludes count in each set's own best.
  EXPECT_NEAR(std::get<double>(means(runs)[0].rows[1][3]), 2 / (1 / 8.0 + 1 / 4.0), 1e-12);
}

TEST(QueriesWithPreludes, CountComponentsAndStagesOfTheirPipelines) {
  const Runs runs = runs_of({a_behind_a_prelude()});
  const std::vector<Table> tables = stages(runs);
  // BIT | ZE has both stages; with one, the ratio behind the prelude is that of NUL ZE there.
  expect_row(tables[0], 0, {text("a"), text("double"), 2.0, 8.0, 25.0});
  EXPECT_EQ(components(runs, 1)[0].rows.size(), components(runs_of({a()}), 1)[0].rows.size());
  EXPECT_EQ(overall(runs, 100)[0].rows.size(), 6u);
}

TEST(QueriesWithPreludes, PipelineFindsMethods) {
  const Runs runs = runs_of({a_behind_a_prelude(), b()});
  const std::vector<Table> found = pipeline(runs, "lagx:3 / bit | ze");
  ASSERT_EQ(found[0].rows.size(), 1u);  // no other data set was searched behind it, and no mean
  expect_row(found[0], 0, {text("a"), text("double"), 8.0, count(1), 100.0, 8.0});
  EXPECT_EQ(pipeline(runs, "BIT | ZE")[0].rows.size(), 3u);
  EXPECT_TRUE(contains(message_of([&] { pipeline(runs, "LAGx:4 / BIT | ZE"); }),
                       "not in the space that was searched"));
  // Ids of methods are of one document.
  EXPECT_TRUE(contains(message_of([&] { pipeline(runs, "7"); }), "0..5"));
  const std::vector<Table> by_id = pipeline(runs_of({a_behind_a_prelude()}), "7");
  EXPECT_EQ(by_id[0].title, "LAGx:3 / BIT | ZE (id 7)");
  EXPECT_TRUE(has_note(by_id, "alone and behind the preludes"));
}

}  // namespace
}  // namespace fpsynth::results
