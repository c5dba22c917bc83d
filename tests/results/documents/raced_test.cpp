// Documents of races: the survivors of a space, and the race that they come from.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "results/documents/document_file.hpp"
#include "results/documents/means.hpp"
#include "results/documents/merge.hpp"
#include "results/documents/runs.hpp"
#include "tests/results/support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using tests::contains;
using tests::message_of;

TEST(RacedDocument, RoundTrip) {
  const tests::TemporaryFolder folder;
  const auto path = document_path(folder.path(), "a", synth::Precision::Double);
  const Document document = raced_document("a", {1, 2, 5}, {2, 4, 8});
  write_document(path, document);
  EXPECT_EQ(read_document(path), document);
  EXPECT_EQ(parse_document(document_text(document), "a rank"), document);
  const auto json = nlohmann::json::parse(tests::read_bytes(path));
  EXPECT_EQ(json["version"], 2);
  EXPECT_EQ(json["space"]["pipelines"],
            (std::vector<std::string>{"BIT | ZE", "LNV1s | ZE", "LNV1s ZE"}));
  EXPECT_EQ(json["top"][0]["id"], 2);
  EXPECT_EQ(json["top"][0]["pipeline"], "LNV1s ZE");
  EXPECT_EQ(json["payload_bytes"].size(), 3u);
  EXPECT_EQ(json["race"]["rounds"][1]["left"], 2);
}

// Documents of 1.0.0 may be of races among the fast pipelines, and are not to pass for others.
TEST(RacedDocument, WithLeastSpeedsIsRefused) {
  const tests::TemporaryFolder folder;
  const auto path = folder / "a.json";
  write_document(path, raced_document("a", {1, 4}, {2, 4}));
  auto json = nlohmann::json::parse(tests::read_bytes(path));
  json["race"]["min_speed"] = "compress=2";
  tests::write_bytes(path, json.dump());
  EXPECT_TRUE(contains(message_of([&] { read_document(path); }),
                       "race.min_speed: expected no least speeds"));
}

// Any list of pipelines can be searched; only the survivors of a race have a `race`.
TEST(RacedDocument, AListWithoutARace) {
  const tests::TemporaryFolder folder;
  Document document = raced_document("a", {1, 4}, {2, 4});
  document.race.reset();
  write_document(folder / "a.json", document);
  EXPECT_EQ(read_document(folder / "a.json"), document);
}

TEST(RacedDocument, WithPreludes) {
  const tests::TemporaryFolder folder;
  Document document = raced_document("a", {2, 5}, {2, 4});
  document.space.preludes = {{}, synth::parse_prelude("LAGx:3")};
  document.prelude_overhead_bytes = {kOverhead, kOverhead + 30};
  document.payload_bytes = {8000, 4000, 3000, 9000};
  document.race->pipelines = 18;  // behind DICT, none was left
  document.prelude_candidates = {
      {synth::parse_prelude("LAGx:3"), "a reason", true, 2, synth::parse_pipeline("BIT | ZE"), 5},
      {synth::parse_prelude("DICT"), "few values", true, 2, synth::parse_pipeline("BIT | ZE"), 3},
      {{}, "pipelines alone", true, 2, synth::parse_pipeline("LNV1s | ZE"), 4}};
  finish(document);
  write_document(folder / "a.json", document);
  EXPECT_EQ(read_document(folder / "a.json"), document);
  EXPECT_EQ(document.ranking, (std::vector<std::uint64_t>{2, 1, 0, 3}));
  EXPECT_EQ(document.overhead_of(2), kOverhead + 30);
  EXPECT_EQ(whole_id(document.space, 2), 8u);
  EXPECT_EQ(whole_id(document.space, 1), 5u);
}

TEST(RacedDocument, WhatIsWrongIsNamed) {
  const tests::TemporaryFolder folder;
  const auto path = folder / "a.json";
  write_document(path, raced_document("a", {1, 2, 5}, {2, 4, 8}));
  const auto good = nlohmann::json::parse(tests::read_bytes(path));
  const auto after = [&](const std::string& pointer, const nlohmann::json& value) {
    nlohmann::json json = good;
    json[nlohmann::json::json_pointer(pointer)] = value;
    tests::write_bytes(path, json.dump());
    const std::string found = message_of([&] { read_document(path); });
    EXPECT_TRUE(contains(found, path.string()));
    return found;
  };
  EXPECT_TRUE(contains(after("/race/margin", "much"), "race.margin"));
  EXPECT_TRUE(contains(after("/race/rounds/1", 3), "race.rounds[1]"));
  EXPECT_TRUE(contains(after("/space/pipelines", nlohmann::json::array()), "space.pipelines"));
  EXPECT_TRUE(contains(after("/space/pipelines/1", "BIT | ZE"), "each once"));
  EXPECT_TRUE(contains(after("/space/pipelines/1", "NUL | ZE"), "ascending"));
  EXPECT_TRUE(contains(after("/space/pipelines/2", "INV ZE"), "space.pipelines[2]"));
  EXPECT_TRUE(contains(after("/space/pipelines/2", "NOISE ZE"), "space.pipelines[2]"));
}

TEST(RacedDocument, OnlyPartsOfOneRaceAreMerged) {
  const auto part = [](std::uint64_t chunk) {
    Document document = raced_document("a", {1, 2, 5}, {2, 4, 8});
    document.chunk_ranges = {{chunk, chunk + 1}};
    finish(document);
    return document;
  };
  const std::vector<Document> parts = {part(0), part(1)};
  const Document whole = merge(parts, Timing::Parallel);
  EXPECT_TRUE(whole.run.complete);
  EXPECT_EQ(whole.race, parts[0].race);
  const auto refusal = [&](auto change) {
    std::vector<Document> others = {part(0), part(1)};
    change(others[1]);
    return message_of([&] { merge(others, Timing::Parallel); });
  };
  EXPECT_TRUE(contains(refusal([](Document& one) { one.race->seed = 8; }), "race '{\"margin\""));
  EXPECT_TRUE(contains(refusal([](Document& one) { one.race.reset(); }), "and 'none'"));
  EXPECT_TRUE(contains(refusal([](Document& one) { one.space.only = {1, 2, 4}; }), "space '"));
}

TEST(Means, AreOfThePipelinesThatAllDocumentsHave) {
  const Document whole = document_with("a", {1, 2, 4, 8, 2, 16});
  const Document first = raced_document("b", {1, 3, 5}, {4, 8, 2}),
                 second = raced_document("c", {3, 4, 5}, {4, 2, 1});
  const Means means({&whole, &first, &second});
  EXPECT_EQ(means.space().only, (std::vector<std::uint64_t>{3, 5}));
  ASSERT_EQ(means.costs().size(), 2u);
  EXPECT_DOUBLE_EQ(means.costs()[0], (1.0 / 8 + 1.0 / 8 + 1.0 / 4) / 3);
  EXPECT_DOUBLE_EQ(means.costs()[1], (1.0 / 16 + 1.0 / 2 + 1.0) / 3);
  EXPECT_EQ(means.best(), 0u);
  EXPECT_EQ(whole_id(means.space(), 1), 5u);
  EXPECT_EQ(means.id_in(whole, 1), 5u);
  EXPECT_EQ(means.id_in(first, 1), 2u);
  EXPECT_EQ(means.id_in(second, 0), 0u);

  const Document third = raced_document("d", {0, 2}, {4, 2});
  EXPECT_TRUE(Means({&first, &third}).costs().empty());
  EXPECT_EQ(Means({&first, &third}).best(), std::nullopt);
}

TEST(Means, WhatFailedInOneDocumentIsOut) {
  Document first = raced_document("b", {1, 3, 5}, {4, 8, 2});
  first.failed = {1};
  first.run.failures = 1;
  finish(first);
  const Document second = raced_document("c", {3, 4, 5}, {4, 2, 1});
  const Means means({&first, &second});
  EXPECT_TRUE(std::isinf(means.costs()[0]));
  EXPECT_EQ(means.best(), 1u);
}

TEST(RacedRuns, TakeWhatRacesLeftOfOneSpace) {
  const Runs runs({raced_document("a", {1, 3, 5}, {4, 8, 2}), raced_document("b", {3, 4}, {4, 2}),
                   document_with("c", {1, 2, 4, 1, 2, 1})});
  EXPECT_EQ(runs.space(), small_space());
  const std::vector<std::string> notes = runs.notes();
  ASSERT_EQ(notes.size(), 3u);
  EXPECT_EQ(notes[0],
            "a (double): raced: risk 1 %, margin 0.1 %, 3 of 6 pipelines were searched whole");
  EXPECT_EQ(notes[1],
            "b (double): raced: risk 1 %, margin 0.1 %, 2 of 6 pipelines were searched whole");
  EXPECT_TRUE(contains(notes[2], "races leave other pipelines"));

  Document finer = raced_document("a", {1, 3, 5}, {4, 8, 2});
  finer.race->risk = 0.07;
  finer.race->margin = 0.00015;
  EXPECT_EQ(raced_text(finer),
            "raced: risk 7 %, margin 0.015 %, 3 of 6 pipelines were searched whole");

  Document wider = raced_document("d", {1, 3, 5}, {4, 8, 2});
  wider.space.cuts = {0, 1, 2};
  EXPECT_TRUE(contains(message_of([&] {
                         Runs({raced_document("a", {1, 3, 5}, {4, 8, 2}), wider});
                       }),
                       "different spaces"));
}

}  // namespace
}  // namespace fpsynth::results
