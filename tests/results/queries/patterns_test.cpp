// Patterns that pipelines have in common, in both precisions, and MPC by dimensionality.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "results/queries/papers/published.hpp"
#include "results/queries/queries.hpp"
#include "results/queries/tallies.hpp"
#include "tests/results/queries/cells.hpp"
#include "tests/results/throughput_support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using synth::Precision;
using tests::contains;
using tests::message_of;

TEST(Patterns, AreTheKindsAndTheCut) {
  const auto pattern = [](const char* pipeline) {
    return pattern_of(synth::parse_pipeline(pipeline));
  };
  EXPECT_EQ(pattern("LNV2s LNV2x | DIM8 ZE"), "LNV LNV | DIM ZE");
  EXPECT_EQ(pattern("LNV6s BIT LNV1s ZE"), "LNV BIT LNV ZE");
  EXPECT_EQ(pattern("| DIM8 NUL INV RLE"), "| DIM NUL INV RLE");
}

TEST(Patterns, AreCountedByPrecision) {
  const CountedPipelines pipelines = [](const auto& count_one) {
    const auto add = [&](const char* pipeline, Precision precision, const std::string& set,
                         bool cut_known = true) {
      count_one({synth::parse_pipeline(pipeline), precision, set, cut_known});
    };
    add("LNV1s BIT LNV1s ZE", Precision::Double, "a");
    add("LNV2s BIT LNV1x ZE", Precision::Single, "a");
    add("ZE LNV5s | DIM8 RLE", Precision::Double, "b");
    add("RLE ZE | DIM4 RLE", Precision::Single, "b");
    add("BIT BIT BIT RLE", Precision::Single, "c", false);
  };
  const std::vector<Table> tables = pattern_tables(pipelines, synth::Space::paper(), "here");
  ASSERT_EQ(tables.size(), 5u);

  EXPECT_EQ(tables[0].title, "Patterns: the kinds of components by stage, here");
  ASSERT_EQ(tables[0].rows.size(), 4u);
  EXPECT_EQ(tables[0].rows[0],
            (Row{text("LNV BIT LNV ZE"), count(1), count(1), count(2), 40.0, count(1)}));
  EXPECT_EQ(tables[0].rows[1], (Row{text("BIT BIT BIT RLE (cut not known)"), count(0), count(1),
                                    count(1), 20.0, count(1)}));

  std::vector<std::string> kinds;
  for (const Row& row : tables[1].rows) kinds.push_back(std::get<std::string>(row[0]));
  EXPECT_EQ(kinds, (std::vector<std::string>{"NUL", "INV", "BIT", "DIM", "LNV", "ZE", "RLE"}));
  EXPECT_EQ(tables[1].rows[2],
            (Row{text("BIT"), count(1), count(2), count(3), 60.0, count(2), count(1)}));
  EXPECT_EQ(tables[1].rows[4],
            (Row{text("LNV"), count(2), count(1), count(3), 60.0, count(2), count(2)}));
  EXPECT_EQ(tables[1].rows[6],
            (Row{text("RLE"), count(1), count(2), count(3), 60.0, count(2), count(1)}));

  ASSERT_EQ(tables[2].rows.size(), 4u);
  EXPECT_EQ(tables[2].rows[0], (Row{count(0), count(1), count(2), count(3), 60.0, count(2)}));
  EXPECT_EQ(tables[2].rows[1], (Row{count(1), count(1), count(0), count(1), 20.0, count(1)}));
  EXPECT_EQ(tables[2].rows[2], (Row{count(2), count(0), count(1), count(1), 20.0, count(1)}));
  EXPECT_EQ(tables[2].rows[3], (Row{count(3), count(0), count(0), count(0), 0.0, count(0)}));

  ASSERT_EQ(tables[3].rows.size(), 2u);
  EXPECT_EQ(tables[3].rows[0], (Row{text("DIM4"), count(0), count(1), count(1), 20.0, count(1)}));
  EXPECT_EQ(tables[3].rows[1], (Row{text("DIM8"), count(1), count(0), count(1), 20.0, count(1)}));
  EXPECT_TRUE(contains(tables[3].notes[0], "at the end, and nothing behind it, in 2 pipelines"));
  EXPECT_TRUE(contains(tables[3].notes[1], "cuts are not known: 1"));

  ASSERT_EQ(tables[4].rows.size(), 8u);
  EXPECT_EQ(tables[4].rows[0],
            (Row{text("ZE"), count(1), count(1), count(0), count(1), 20.0, count(1)}));
  EXPECT_EQ(tables[4].rows[3],
            (Row{text("ZE"), count(4), count(1), count(1), count(2), 40.0, count(1)}));
  EXPECT_EQ(tables[4].rows[7],
            (Row{text("RLE"), count(4), count(1), count(2), count(3), 60.0, count(2)}));
}

TEST(Patterns, OfDocuments) {
  const Runs runs({document_with("a", {1, 2, 4, 1, 2, 1}),
                   document_with("a", {1, 2, 4, 1, 2, 1}, Precision::Single)});
  const std::vector<Table> tables = patterns(runs, 2);
  EXPECT_EQ(tables[0].rows[0],
            (Row{text("BIT | ZE"), count(1), count(1), count(2), 50.0, count(1)}));
  EXPECT_EQ(tables[0].rows[1],
            (Row{text("LNV | ZE"), count(1), count(1), count(2), 50.0, count(1)}));
  EXPECT_EQ(patterns(runs, 1)[0].rows.size(), 1u);
}

TEST(Patterns, OfTheMpcPaper) {
  const std::vector<Table> tables = published_patterns(PublishedFigures::built_in());
  EXPECT_EQ(tables[0].rows[0],
            (Row{text("LNV BIT LNV ZE"), count(5), count(3), count(8), 100.0 * 8 / 26, count(6)}));
  EXPECT_EQ(tables[2].rows[0],
            (Row{count(0), count(10), count(10), count(20), 100.0 * 20 / 26, count(11)}));
  EXPECT_EQ(std::get<std::uint64_t>(tables[1].rows[4][3]), 26u);  // LNV is in every one
  EXPECT_EQ(tables[4].rows[3], (Row{text("ZE"), count(4), count(10), count(9), count(19),
                                    100.0 * 19 / 26, count(11)}));
}

// Costs by id in double precision: 1, 1/2, 1/4, 1, 1/2, 1; in single: 1/8, 1/2, 1, 1, 1, 1.
TEST(Common, ThreeWinners) {
  const Runs runs({document_with("a", {1, 2, 4, 1, 2, 1}),
                   document_with("a", {8, 2, 1, 1, 1, 1}, Precision::Single)});
  const Table table = overall(runs, 1).at(2);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0], (Row{text("best in double"), count(2), text("LNV1s | ZE"), 4.0, count(1),
                                100.0, 1.0, count(3), 12.5, 1.6, count(3), 80.0}));
  // Tied over both with rank 1 are 1/2 + 1/2 and nothing else; (1 + 1/8) / 2 is rank 2.
  EXPECT_EQ(table.rows[1][2], text("NUL | ZE"));
  EXPECT_EQ(table.rows[1][10], count(2));
  EXPECT_EQ(table.rows[2][2], text("BIT | ZE"));
  EXPECT_EQ(table.rows[2][9], Cell(2.0));
}

Measurement mpc(const char* name, std::uint64_t dimensionality, double ratio) {
  return {.compressor = "MPC",
          .data_set = name,
          .xxh3 = document_with(name, {1, 1, 1, 1, 1, 1}).data.xxh3,
          .dimensionality = dimensionality,
          .dimensionality_is = "known",
          .ratio = ratio};
}

TEST(Dimensionality, MpcAgainstBest) {
  const Runs runs({document_with("a", {1, 2, 4, 1, 2, 1}), document_with("b", {1, 2, 1, 4, 1, 4}),
                   document_with("c", {1, 2, 1, 1, 1, 1})});
  Measurement other = mpc("c", 1, 9);
  other.xxh3 = "fedcba9876543210";
  Measurement gfc = mpc("b", 1, 3);
  gfc.compressor = "GFC";
  const std::vector<Table> tables =
      dimensionality(runs, {mpc("a", 12, 4), mpc("b", 1, 1), other, mpc("elsewhere", 3, 7), gfc});
  ASSERT_EQ(tables.size(), 2u);
  ASSERT_EQ(tables[0].rows.size(), 2u);  // by dimensionality
  EXPECT_EQ(tables[0].rows[0], (Row{text("b"), text("double"), count(1), text("known"), 1.0, 2.0,
                                    -50.0, 4.0, text("NUL ZE")}));
  EXPECT_EQ(tables[0].rows[1], (Row{text("a"), text("double"), count(12), text("known"), 4.0, 2.0,
                                    100.0, 4.0, text("LNV1s | ZE")}));
  ASSERT_EQ(tables[1].rows.size(), 2u);  // the space has LNV1s alone
  EXPECT_EQ(tables[1].rows[0],
            (Row{text("double"), text("1 to 1"), count(1), count(0), 1.0, 2.0, -50.0}));
  EXPECT_EQ(tables[1].rows[1],
            (Row{text("double"), text("above 1"), count(1), count(1), 4.0, 2.0, 100.0}));
  bool said = false;
  for (const std::string& note : tables[0].notes) said = said || contains(note, "c (double): ");
  EXPECT_TRUE(said);
}

TEST(Dimensionality, ReadsComparisons) {
  const tests::TemporaryFolder folder;
  const auto path = folder.path() / "compare.json";
  ComparedRow refused;
  refused.name = "GFC";
  refused.refused = "too many";
  ComparedSet set =
      compared_set("a", Precision::Single, {refused, compared_row("MPC", 1.5, 2, 4, "BIT ZE")});
  set.dimensionality = 42;
  set.dimensionality_is = "known";
  write_comparison(path, {set});
  const std::vector<Measurement> found = measurements(path);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].data_set, "a");
  EXPECT_EQ(found[0].precision, Precision::Single);
  EXPECT_EQ(found[0].xxh3, "0123456789abcdef");
  EXPECT_EQ(found[0].dimensionality, 42u);
  EXPECT_TRUE(is_known(found[0].dimensionality_is));
  EXPECT_EQ(found[0].ratio, 1.5);
  EXPECT_EQ(found[0].timed_bytes, 2'000'000'000u);
  EXPECT_EQ(found[0].decompress, 4.0);
  EXPECT_EQ(found[0].pipeline, "BIT ZE");
  const std::string text = tests::read_bytes(path);
  const auto with = [&](std::string ratio) {
    std::string other = text;
    other.replace(other.find("\"ratio\": 1.5"), 12, "\"ratio\": " + ratio);
    tests::write_bytes(path, other);
    return message_of([&] { measurements(path); });
  };
  EXPECT_TRUE(contains(with("0"), "a ratio above 0"));
  EXPECT_TRUE(contains(with("\"1.5\""), "data_sets[0].rows[1].ratio"));
}

}  // namespace
}  // namespace fpsynth::results
