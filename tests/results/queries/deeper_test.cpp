// Figure 2 carried on: the best by number of stages over several searches.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "results/documents/document.hpp"
#include "results/documents/document_file.hpp"
#include "results/queries/queries.hpp"
#include "synth/common/error.hpp"
#include "tests/results/queries/cells.hpp"
#include "tests/results/support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using tests::contains;
using tests::message_of;

/// small_space() with other numbers of stages.
synth::Space space_of(unsigned stages) {
  synth::Space space = small_space();
  space.stages = stages;
  space.cuts = {1, stages};
  return space;
}

/// A search whose pipelines have the ratio 1, but for those named, with the names' ratios.
Document search_of(const std::string& name, unsigned stages,
                   const std::vector<std::pair<std::string, std::uint64_t>>& ratios,
                   synth::Precision precision = synth::Precision::Double) {
  Document document = document_with(name, {1, 1, 1, 1, 1, 1}, precision);
  document.space = space_of(stages);
  document.payload_bytes.assign(document.space.size(), kBytes - kOverhead);
  for (std::uint64_t id = 0; id < document.space.size(); ++id) {
    const auto pipeline = synth::without_identities(document.space.at(id));
    for (const auto& [text, ratio] : ratios) {
      if (to_string(pipeline) == text) document.payload_bytes[id] = kBytes / ratio - kOverhead;
    }
  }
  finish(document);
  return document;
}

/// The survivors of a race of such a search: the named pipelines alone.
Document raced(const Document& whole, const std::vector<std::string>& left) {
  Document document = whole;
  document.race.emplace();
  document.payload_bytes.clear();
  for (std::uint64_t id = 0; id < whole.space.size(); ++id) {
    const auto text = to_string(synth::without_identities(whole.space.at(id)));
    if (std::ranges::find(left, text) == left.end()) continue;
    document.space.only.push_back(id);
    document.payload_bytes.push_back(whole.payload_bytes[id]);
  }
  finish(document);
  return document;
}

/// Two stages are the base; three were searched, and four raced.
std::vector<Table> three_searches() {
  const Runs base({search_of("a", 2, {{"ZE", 2}, {"BIT | ZE", 4}})});
  const Document three =
      search_of("a", 3, {{"ZE", 2}, {"BIT | ZE", 4}, {"BIT LNV1s ZE", 8}, {"LNV1s | LNV1s ZE", 8}});
  const Document four = raced(search_of("a", 4, {{"BIT | BIT LNV1s ZE", 16}, {"ZE", 2}}),
                              {"BIT | BIT LNV1s ZE", "ZE", "BIT BIT BIT ZE"});
  return deeper_stages(base, {stage_bests(four), stage_bests(three)});
}

TEST(DeeperStages, CarriesFigure2On) {
  const std::vector<Table> tables = three_searches();
  ASSERT_EQ(tables[0].rows.size(), 1u);
  EXPECT_EQ(tables[0].rows[0],
            (Row{text("a"), text("double"), 2.0, 4.0, 8.0, 16.0, 50.0, 200.0, 400.0, text("4")}));
  EXPECT_EQ(tables[0].columns[2].key, "ratio_1");
  EXPECT_EQ(tables[0].columns[6].key, "share_1_percent");
  EXPECT_EQ(tables[0].columns[7].key, "share_3_percent");
  EXPECT_TRUE(has_note(tables.front(), "raced: the best of what a race has left"));
  EXPECT_EQ(
      tables[1].rows,
      (std::vector<Row>{{text("double"), count(1), 2.0, 4.0, 8.0, 16.0, 50.0, 200.0, 400.0}}));
}

TEST(DeeperStages, NamesTheWinners) {
  const std::vector<Table> tables = three_searches();
  ASSERT_EQ(tables[2].rows.size(), 4u);
  EXPECT_EQ(tables[2].rows[0], (Row{text("a"), text("double"), count(1), 2.0, kNone, count(1),
                                    text("ZE"), text("all pipelines")}));
  EXPECT_EQ(tables[2].rows[3], (Row{text("a"), text("double"), count(4), 16.0, 100.0, count(4),
                                    text("BIT | BIT LNV1s ZE"), text("raced")}));
}

TEST(DeeperStages, SaysWhatTheWinnersLookLike) {
  const std::vector<Table> tables = three_searches();
  // Stages, winners, used, reducers, all on words, all on bytes, cut between, stages before it.
  EXPECT_EQ(tables[3].rows[0],
            (Row{count(1), count(1), 1.0, 1.0, count(1), count(0), count(0), kNone}));
  EXPECT_EQ(tables[3].rows[3],
            (Row{count(4), count(1), 4.0, 1.0, count(0), count(0), count(1), 1.0}));
  // Kinds BIT, LNV and ZE for each number of stages.
  ASSERT_EQ(tables[4].rows.size(), 12u);
  EXPECT_EQ(tables[4].rows[0],
            (Row{count(1), text("BIT"), count(0), kNone, kNone, kNone, count(0), 0.0}));
  EXPECT_EQ(tables[4].rows[9],
            (Row{count(4), text("BIT"), count(1), count(1), count(0), count(0), count(2), 50.0}));
  EXPECT_EQ(tables[4].rows[10],
            (Row{count(4), text("LNV"), count(0), count(0), count(1), count(0), count(1), 25.0}));
}

// A race for the best of four stages says nothing of three, and what it lost is not worse than what
// fewer stages have.
TEST(DeeperStages, TakesFromARaceItsOwnNumberOfStagesAlone) {
  const Runs base({search_of("a", 2, {{"ZE", 2}, {"BIT | ZE", 4}})});
  const Document four = raced(search_of("a", 4, {{"BIT ZE", 8}, {"ZE", 8}, {"BIT BIT ZE", 2}}),
                              {"BIT BIT ZE", "BIT BIT BIT ZE"});
  const StageBests bests = stage_bests(four);
  EXPECT_FALSE(bests.at_most[0] || bests.at_most[1] || bests.at_most[2]);
  EXPECT_TRUE(bests.at_most[3]->raced);
  const std::vector<Table> tables = deeper_stages(base, {bests});
  EXPECT_EQ(tables[0].rows[0],
            (Row{text("a"), text("double"), 2.0, 4.0, kNone, 2.0, 50.0, kNone, 50.0, text("4")}));
  // With three stages searched, the best of them is also one of at most four.
  const Document three = search_of("a", 3, {{"ZE", 2}, {"BIT | ZE", 4}});
  EXPECT_EQ(deeper_stages(base, {bests, stage_bests(three)})[0].rows[0],
            (Row{text("a"), text("double"), 2.0, 4.0, 4.0, 4.0, 50.0, 100.0, 100.0, kNone}));
}

TEST(DeeperStages, MeansAreOverTheSetsWithAllFigures) {
  const Runs base({search_of("a", 2, {{"ZE", 2}}), search_of("b", 2, {{"ZE", 4}}),
                   search_of("c", 2, {{"ZE", 8}}),
                   search_of("b", 2, {{"ZE", 4}}, synth::Precision::Single)});
  const auto three = [](const char* name, std::uint64_t ratio) {
    return stage_bests(search_of(name, 3, {{"ZE", 2}, {"BIT BIT ZE", ratio}}));
  };
  const std::vector<Table> tables = deeper_stages(base, {three("a", 4), three("b", 8)});
  ASSERT_EQ(tables[0].rows.size(), 4u);
  ASSERT_EQ(tables[1].rows.size(), 1u);
  EXPECT_EQ(tables[1].rows[0][1], count(2));
  EXPECT_DOUBLE_EQ(std::get<double>(tables[1].rows[0][2]), 2 / (1.0 / 2 + 1.0 / 4));
  EXPECT_DOUBLE_EQ(std::get<double>(tables[1].rows[0][4]), 2 / (1.0 / 4 + 1.0 / 8));
}

TEST(DeeperStages, LeavesOutWhatCannotStandBesideTheBase) {
  const Runs base({search_of("a", 2, {{"ZE", 2}})});
  const Document three = search_of("a", 3, {{"ZE", 2}});
  const auto note_of = [&](const Document& document) {
    const std::vector<Table> tables = deeper_stages(base, {stage_bests(document)});
    EXPECT_EQ(tables[0].columns.size(), 6u);  // two stages
    return tables[0].notes.empty() ? "none" : tables[0].notes.back();
  };
  Document other = three;
  other.data.xxh3 = "fedcba9876543210";
  EXPECT_EQ(note_of(other), "a (double, 3 stages) is left out: it is of other data");
  Document part = three;
  part.run.complete = false;
  EXPECT_EQ(note_of(part), "a (double, 3 stages) is left out: it is not complete");
  Document sampled = three;
  sampled.run.sample = 16;
  EXPECT_TRUE(contains(note_of(sampled), "it has one chunk in 16, and that of 2 stages one in 1"));
  Document wider = three;
  wider.space.components.push_back(*synth::parse_component("INV"));
  wider.payload_bytes.assign(wider.space.size(), 100);
  finish(wider);
  EXPECT_TRUE(contains(message_of([&] { deeper_stages(base, {stage_bests(wider)}); }),
                       "differ in more than the number of stages"));
}

TEST(DeeperStages, CountPipelinesWithoutPreludes) {
  const Document document = document_with_preludes();
  const StageBests bests = stage_bests(document);
  EXPECT_EQ(bests.space, small_space());
  // Ids 3 and 8, behind LAGx:3, are better.
  EXPECT_EQ(to_string(bests.at_most[1]->pipeline), "LNV1s | ZE");
  EXPECT_DOUBLE_EQ(bests.at_most[1]->ratio, document.ratio(2));
}

TEST(DeeperStages, ReadsTheSearchesOfTheBasesDataSets) {
  const tests::TemporaryFolder folder;
  const Runs base({search_of("a", 2, {{"ZE", 2}}), search_of("b", 2, {{"ZE", 2}})});
  EXPECT_TRUE(contains(message_of([&] { load_deeper(folder.path(), base); }),
                       "has no results of any of the data sets; search the same data sets"));
  for (const char* name : {"b", "c"}) {
    write_document(document_path(folder.path(), name, synth::Precision::Double),
                   search_of(name, 3, {{"ZE", 2}}));
  }
  const auto found = load_deeper(folder.path(), base);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].data.name, "b");
  EXPECT_EQ(found[0].space, space_of(3));
}

}  // namespace
}  // namespace fpsynth::results
