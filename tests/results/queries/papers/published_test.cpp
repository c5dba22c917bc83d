#include "results/queries/papers/published.hpp"

#include <gtest/gtest.h>

#include "results/queries/queries.hpp"
#include "synth/common/error.hpp"
#include "tests/results/support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using tests::contains, tests::message_of;

using synth::Precision;

double value(std::string_view quantity, std::string_view compressor, std::string_view set,
             Precision precision, std::string_view paper = "mpc") {
  const Published* figure =
      PublishedFigures::built_in().find(paper, quantity, compressor, set, precision);
  return figure ? figure->value : -1;
}

TEST(Published, RatiosOfTablesThreeAndFour) {
  EXPECT_EQ(value(kRatio, "bzip2 --best", "num_plasma", Precision::Double), 5.789);
  EXPECT_EQ(value(kRatio, "bzip2 --best", "num_plasma", Precision::Single), 8.652);
  EXPECT_EQ(value(kRatio, "MPC", kHarmonicMean, Precision::Double), 1.248);
  EXPECT_EQ(value(kRatio, "pFPC -1M", "obs_temp", Precision::Double), 0.997);
  EXPECT_EQ(value(kRatio, "pFPC -1M", "obs_temp", Precision::Single), -1);
  EXPECT_EQ(value(kRatio, "MPC", "msg_heat", Precision::Double), -1);
}

TEST(Published, ThroughputsCarryTheirHardware) {
  EXPECT_EQ(value(kCompress, "MPC", "mean", Precision::Double), 10.78);
  EXPECT_EQ(value(kDecompress, "lzop -9", "mean", Precision::Single), 1.43);
  EXPECT_EQ(value(kCompress, "GFC", "mean", Precision::Single), -1);
  EXPECT_EQ(value(kCompress, "GFC", kHarmonicMean, Precision::Double, "gfc"), 77.9 / 8);
  for (const Published& figure : PublishedFigures::built_in().figures()) {
    EXPECT_FALSE(PublishedFigures::built_in().citation(figure.paper).empty()) << figure.paper;
    EXPECT_GT(figure.value, 0);
    EXPECT_TRUE(figure.quantity == kRatio || !figure.hardware.empty()) << figure.compressor;
  }
  const auto hardware = [](std::string_view compressor) {
    return PublishedFigures::built_in()
        .find("mpc", kCompress, compressor, "mean", Precision::Double)
        ->hardware;
  };
  EXPECT_TRUE(contains(hardware("GFC"), "K40"));
  EXPECT_FALSE(contains(hardware("pFPC -1M"), "K40"));
}

TEST(Published, OtherPapers) {
  const auto& published = PublishedFigures::built_in();
  const Published* gfc = published.find("gfc", kRatio, "GFC", "num_plasma", Precision::Double);
  ASSERT_TRUE(gfc);
  EXPECT_EQ(gfc->value, 1.12984);
  EXPECT_EQ(gfc->parameters, "1 chunks");
  EXPECT_EQ(value(kRatio, "Holt", "num_comet", Precision::Single, "holt"), 1 / 0.98);
  EXPECT_EQ(value(kRatio, "pFPC", kHarmonicMean, Precision::Double, "pfpc"), 1.18);
}

TEST(Published, HarmonicMeansFollowFromTheirRows) {
  const auto& published = PublishedFigures::built_in();
  for (const Published& mean : published.figures()) {
    if (mean.paper != "mpc" || mean.data_set != kHarmonicMean || mean.table == "II") continue;
    double cost = 0, count = 0;
    for (const Published& figure : published.figures()) {
      if (figure.paper == "mpc" && figure.table == mean.table &&
          figure.compressor == mean.compressor && figure.data_set != kHarmonicMean) {
        cost += 1 / figure.value;
        ++count;
      }
    }
    EXPECT_EQ(count, 13);
    EXPECT_NEAR(count / cost, mean.value, 0.0015) << mean.table << ", " << mean.compressor;
  }
}

TEST(Published, ComponentsOfThePapersPipelines) {
  const auto tables = published_components(PublishedFigures::built_in());
  ASSERT_EQ(tables.size(), 4u);
  // 13 data sets in two precisions, four stages each.
  std::uint64_t total = 0;
  for (const auto& row : tables[0].rows) total += std::get<std::uint64_t>(row.back());
  EXPECT_EQ(total, 104u);
  double shares = 0, cuts = 0;
  for (const auto& row : tables[1].rows) shares += std::get<double>(row.back());
  for (const auto& row : tables[2].rows) cuts += std::get<double>(row.back());
  EXPECT_NEAR(shares, 100, 1e-9);
  EXPECT_NEAR(cuts, 100, 1e-9);
  // "The last component has to be ZE or RLE; NUL and INV are not needed."
  for (const auto& row : tables[0].rows) {
    const auto& name = std::get<std::string>(row[0]);
    const bool reduces = name == "ZE" || name == "RLE", unneeded = name == "NUL" || name == "INV";
    EXPECT_TRUE(reduces || row[4] == Cell(std::uint64_t{0})) << name;
    EXPECT_TRUE(!unneeded || row[5] == Cell(std::uint64_t{0})) << name;
  }
}

TEST(Published, MeansBesideOurs) {
  const Table ours{
      .title = "t",
      .columns = {{"precision"}, {"what"}, {"data_sets"}, {"ratio", "CR"}, {"pipeline"}},
      .rows = {{std::string("single"), std::string("one pipeline for all"), std::uint64_t{2}, 1.5,
                std::string("BIT ZE")}},
      .notes = {}};
  const Table table = means_with_published(ours, PublishedFigures::built_in());
  ASSERT_EQ(table.rows.size(), 4u);
  for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.columns.size());
  EXPECT_EQ(table.rows[0][3], Cell());
  EXPECT_EQ(table.rows[0][6], Cell(1.214));
  EXPECT_EQ(table.rows[2][3], Cell(1.5));
  EXPECT_EQ(table.rows[2][7], Cell(std::string("LNV6s BIT LNV1s ZE")));
  // The mean of each data set's own best, which no single pipeline reaches.
  EXPECT_NEAR(std::get<double>(table.rows[1][6]), 1.2787, 5e-5);
  EXPECT_NEAR(std::get<double>(table.rows[3][6]), 1.4022, 5e-5);
}

TEST(Published, BestPipelinesBesideOurs) {
  const Table best{
      .title = "t",
      .columns = {{"data_set"}, {"a"}, {"b"}, {"c"}, {"d"}},
      .rows = {{std::string("num_plasma"), 1.46, std::string("p"), 1.9, std::string("q")},
               {std::string("own"), 2.0, std::string("p"), Cell(), Cell()},
               {std::string("Best"), 1.25, std::string("p"), Cell(), Cell()}},
      .notes = {"n"}};
  // All pipelines give a ratio of 2 but the paper's, which gives 4, and five others, 8.
  Document document = document_with("num_plasma", {1, 1, 1, 1, 1, 1});
  document.data.xxh3 = plasma_checksum(Precision::Double);
  document.space = synth::Space::paper();
  document.payload_bytes.assign(document.space.size(), kBytes / 2 - kOverhead);
  document.payload_bytes[*document.space.id_of(synth::parse_pipeline("LNV2s LNV2s LNV2x | ZE"))] =
      kBytes / 4 - kOverhead;
  for (std::size_t id = 0; id < 5; ++id) document.payload_bytes[id] = kBytes / 8 - kOverhead;
  finish(document);
  const Runs runs({document});
  const Table table = with_published(best, runs, PublishedFigures::built_in());
  ASSERT_EQ(table.rows.size(), 3u);
  for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.columns.size());
  EXPECT_EQ(table.rows[0][2], Cell(1.454));
  EXPECT_NEAR(std::get<double>(table.rows[0][3]), 0.41, 0.005);
  EXPECT_EQ(table.rows[0][5], Cell(std::string("LNV2s LNV2s LNV2x | ZE")));
  EXPECT_EQ(table.rows[0][6], Cell(4.0));
  EXPECT_EQ(table.rows[0][7], Cell(std::uint64_t{6}));
  EXPECT_EQ(table.rows[0][9], Cell(1.978));
  EXPECT_EQ(table.rows[0][13], Cell());  // nothing was searched in single precision
  EXPECT_EQ(table.rows[1][2], Cell());
  EXPECT_EQ(table.rows[2][2], Cell(1.214));
  EXPECT_EQ(table.rows[2][5], Cell(std::string("LNV6s BIT LNV1s ZE")));
  EXPECT_EQ(table.rows[2][6], Cell(2.0));
  // In a space of two stages, it does not exist.
  Document small = document_with("num_plasma", {1, 2, 4, 1, 2, 1});
  small.data.xxh3 = document.data.xxh3;
  const auto rows = with_published(best, Runs({small}), PublishedFigures::built_in()).rows;
  EXPECT_EQ(rows[0][2], Cell(1.454));
  EXPECT_EQ(rows[0][6], Cell());
  EXPECT_EQ(table.notes.front(), "n");
}

TEST(Published, DataAreThePapersByChecksumOrNameAndSize) {
  const PublishedFigures& published = PublishedFigures::built_in();
  DataSet data = document_with("mine", {}).data;
  const auto name = [&] { return published.papers_name(data); };
  EXPECT_EQ(name(), "");
  // The checksum decides, whatever the name is.
  for (const Precision precision : kPaperPrecisions) {
    data.precision = precision;
    data.xxh3 = plasma_checksum(precision);
    EXPECT_EQ(name(), "num_plasma");
  }
  EXPECT_EQ(data.precision, Precision::Single);
  data.xxh3 = plasma_checksum(Precision::Double);
  EXPECT_EQ(name(), "");
  data.name = "num_plasma";
  data.bytes = 35089600 / 2;
  EXPECT_EQ(name(), "");
  data.xxh3 = "";  // as documents of sweeps
  EXPECT_EQ(name(), "num_plasma");
  // No checksum is known of the others.
  data.name = "num_control";
  EXPECT_EQ(name(), "");
  data.bytes = 159504744 / 2;
  EXPECT_EQ(name(), "num_control");
  data.xxh3 = "0123456789abcdef";
  EXPECT_EQ(name(), "num_control");
  data.source = kSyntheticSource;
  EXPECT_EQ(name(), "");
}

TEST(Published, FiguresStandBesideThePapersDataAlone) {
  Document made = document_with("num_control", {1, 1, 1, 1, 1, 1});
  made.data.source = kSyntheticSource;
  Document renamed = document_with("mine", {1, 1, 1, 1, 1, 1});
  renamed.data.xxh3 = plasma_checksum(Precision::Double);
  const Runs runs({made, renamed});
  const Table table = with_published(best(runs).front(), runs, PublishedFigures::built_in());
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0][0], Cell("mine"));
  EXPECT_EQ(table.rows[0][2], Cell(1.454));
  EXPECT_EQ(table.notes.back(), "mine is the paper's num_plasma");
  EXPECT_EQ(table.rows[1][0], Cell("num_control"));
  EXPECT_EQ(table.rows[1][2], Cell());
  EXPECT_EQ(table.rows[1][5], Cell());
}

TEST(Published, DamagedFilesAreErrors) {
  const std::string text =
      tests::read_bytes(tests::source_file("results/reference/paper_tables.json"));
  EXPECT_EQ(PublishedFigures(text, "x").figures().size(),
            PublishedFigures::built_in().figures().size());
  const auto error_of = [](const std::string& damaged) -> std::string {
    return message_of([&] { PublishedFigures(damaged, "tables.json"); });
  };
  EXPECT_TRUE(contains(error_of(text.substr(0, 1000)), "tables.json"));
  EXPECT_TRUE(contains(error_of("{}"), "tables.json"));
  std::string wrong = text;
  wrong.replace(wrong.find("1.321"), 5, "\"abc\"");
  EXPECT_TRUE(contains(error_of(wrong), "mpc_table_3_double.bzip2 --best.har_mean"));
  wrong = text;
  wrong.replace(wrong.find("1.321"), 5, "0");
  EXPECT_TRUE(contains(error_of(wrong), "above 0"));
}

}  // namespace
}  // namespace fpsynth::results
