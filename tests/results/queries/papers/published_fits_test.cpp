// Fits of what the paper leaves open of its pipelines to its figures.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "results/queries/papers/published.hpp"
#include "tests/results/support.hpp"

namespace fpsynth::results {
namespace {

using synth::Precision;

/// Over data with the size of the paper's set of that name.
Document of_papers_size(const std::string& name, const std::vector<std::uint64_t>& ratios) {
  const std::map<std::string, std::uint64_t> sizes = {
      {"msg_sp", 290105856}, {"num_brain", 141840000}, {"obs_temp", 39934272}};
  Document document = document_with(name, ratios);
  document.data.bytes = sizes.at(name);
  document.data.values = document.data.bytes / 8;
  document.chunk_ranges = {{0, chunks_of(document.data.values, 1)}};
  finish(document);
  return document;
}

/// Over the paper's space. All pipelines have a ratio of about 1 but these.
Document with_ratios(const std::string& name, const std::map<std::string, double>& ratios) {
  Document document = of_papers_size(name, {});
  const std::uint64_t bytes = document.data.bytes;
  document.space = synth::Space::paper();
  document.payload_bytes.assign(document.space.size(), bytes);
  for (const auto& [text, ratio] : ratios) {
    const auto id = document.space.id_of(synth::parse_pipeline(text));
    document.payload_bytes.at(id.value()) = std::uint64_t(double(bytes) / ratio + 0.5) - kOverhead;
  }
  finish(document);
  return document;
}

Table fits_of(const std::vector<Document>& documents) {
  return published_fits(Runs(documents), PublishedFigures::built_in(),
                        {{"obs_temp", "8, known"}, {"num_brain", "1, known"}});
}

std::string text_at(const Table& table, std::size_t row, const char* key) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].key != key) continue;
    const std::string* found = std::get_if<std::string>(&table.rows.at(row).at(i));
    return found ? *found : "";
  }
  return "no such column";
}

TEST(PublishedFits, CutsAndDimensionalities) {
  // Table II has 1.192, and the cut is lost; Table III has 1.208.
  const Table table = fits_of({with_ratios("msg_sp", {{"DIM3 LNV5x | BIT ZE", 1.192},
                                                      {"DIM3 LNV5x BIT ZE", 1.200},
                                                      {"LNV2s BIT LNV1s ZE", 1.215},
                                                      {"LNV3s BIT LNV1s ZE", 1.205},
                                                      {"LNV6s BIT LNV1s ZE", 1.300}})});
  ASSERT_EQ(table.rows.size(), 2u);
  for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.columns.size());
  EXPECT_EQ(text_at(table, 0, "table"), "II");
  EXPECT_EQ(text_at(table, 0, "recorded"), "cut lost");
  EXPECT_EQ(text_at(table, 0, "verdict"), "equal to the printed digits");
  EXPECT_EQ(text_at(table, 0, "nearest_pipeline"), "DIM3 LNV5x | BIT ZE");
  EXPECT_EQ(text_at(table, 0, "others"), "");  // near, but one is equal
  EXPECT_EQ(text_at(table, 1, "table"), "III");
  EXPECT_EQ(text_at(table, 1, "recorded"), "no d");
  EXPECT_EQ(text_at(table, 1, "verdict"), "several near");
  EXPECT_EQ(text_at(table, 1, "nearest_pipeline"), "LNV3s BIT LNV1s ZE");
  EXPECT_EQ(text_at(table, 1, "others"), "LNV2s BIT LNV1s ZE 1.215");
}

TEST(PublishedFits, TheRecordedCutIsFittedToo) {
  // 1.101 in both tables.
  Table table = fits_of({with_ratios("obs_temp", {{"LNV8s BIT LNV1s ZE", 1.105}})});
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(text_at(table, 0, "recorded"), "cut 4, inferred from the text");
  EXPECT_EQ(text_at(table, 1, "recorded"), "d 8, known");
  for (const std::size_t row : {0, 1}) EXPECT_EQ(text_at(table, row, "verdict"), "one is near");
  table = fits_of({with_ratios("obs_temp", {{"LNV8s BIT | LNV1s ZE", 1.101},
                                            {"LNV8s BIT LNV1s | ZE", 1.1012},
                                            {"LNV8s BIT LNV1s ZE", 1.12}})});
  EXPECT_EQ(text_at(table, 0, "verdict"), "several equal");
  EXPECT_EQ(text_at(table, 0, "others"), "LNV8s BIT LNV1s | ZE 1.101");
  EXPECT_EQ(text_at(table, 1, "verdict"), "nothing fits");
  EXPECT_EQ(text_at(table, 1, "nearest_pipeline"), "LNV8s BIT LNV1s ZE");
}

TEST(PublishedFits, OneNoteNamesTheSetsWithoutARun) {
  Document made = with_ratios("num_brain", {});
  made.data.source = kSyntheticSource;
  Document other = with_ratios("obs_temp", {});
  --other.data.bytes;
  const Table table = fits_of({with_ratios("msg_sp", {}), made, other});
  ASSERT_EQ(table.rows.size(), 2u);
  std::string note;
  for (const std::string& one : table.notes) {
    if (!one.starts_with("without a run")) continue;
    EXPECT_EQ(note, "");
    note = one;
  }
  EXPECT_EQ(note,
            "without a run: msg_bt, msg_lu, msg_sp (single), msg_sppm, msg_sweep3d, num_brain, "
            "num_comet, num_control, num_plasma, obs_error, obs_info, obs_spitzer, obs_temp");
}

TEST(PublishedFits, ASpaceWithoutThePipelineHasNoFit) {
  const Table table = fits_of({of_papers_size("msg_sp", {1, 2, 4, 1, 2, 1})});
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(text_at(table, 0, "verdict"), "nothing fits");
  EXPECT_EQ(text_at(table, 0, "nearest_pipeline"), "");
}

}  // namespace
}  // namespace fpsynth::results
