// Verdicts on claims, on documents over the paper's space in which few pipelines compress.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "results/queries/papers/claims.hpp"
#include "tests/results/support.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using synth::Precision;
using tests::contains;

/// The pipelines that compress, and to how many bytes.
using Sizes = std::map<std::string, std::uint64_t>;

Document document_of(const std::string& name, Precision precision, const Sizes& sizes,
                     const synth::Space& space = synth::Space::paper()) {
  Document document = document_with(name, {}, precision);
  document.space = space;
  document.payload_bytes.assign(space.size(), kBytes);
  for (const auto& [text, bytes] : sizes) {
    const auto id = space.id_of(space.padded(synth::parse_pipeline(text)));
    document.payload_bytes.at(id.value()) = bytes - kOverhead;
  }
  finish(document);
  return document;
}

/// The ratios with one to four stages flatten out. The paper's Best is the second of all, and so
/// the best for all data sets.
Document won_by(const std::string& name, Precision precision, const std::string& winner,
                const std::string& second = "LNV6s BIT LNV1s ZE") {
  return document_of(
      name, precision,
      {{winner, 8000}, {second, 8010}, {"LNV1s BIT ZE", 8030}, {"BIT ZE", 8300}, {"ZE", 9500}});
}

/// Four data sets on which all that the paper observes is true.
std::vector<Document> like_the_paper() {
  std::vector<Document> documents;
  const auto add = [&](const char* name, const char* in_double, const char* in_single) {
    documents.push_back(won_by(name, Precision::Double, in_double));
    documents.push_back(won_by(name, Precision::Single, in_single));
  };
  add("a", "LNV6s BIT LNV1s ZE", "LNV6s BIT LNV1s ZE");
  add("b", "LNV6s BIT LNV1s ZE", "LNV6s BIT LNV1s ZE");
  add("c", "LNV2s LNV1s | DIM8 ZE", "LNV3s LNV1x | DIM4 ZE");
  add("d", "LNV2s LNV1s | DIM8 ZE", "LNV2x BIT | DIM4 RLE");
  return documents;
}

/// Verdict and numbers of each claim on the documents, by its id.
std::map<std::string, std::pair<std::string, std::string>> judged(std::vector<Document> documents) {
  std::map<std::string, std::pair<std::string, std::string>> found;
  const Table numbers = claims({{"here", Runs(std::move(documents))}}).at(1);
  for (const auto& row : numbers.rows) {
    if (row[1] != Cell("here")) continue;
    found[std::get<std::string>(row[0])] = {std::get<std::string>(row[2]),
                                            std::get<std::string>(row[3])};
  }
  return found;
}

bool notes(const Table& table, const std::string& text) {
  return std::ranges::any_of(table.notes,
                             [&](const std::string& note) { return bool(contains(note, text)); });
}

bool has_rule(const std::string& id) {
  return rules_of_winners().contains(id) || rules_of_searches().contains(id) ||
         rules_of_measurements().contains(id) || rules_of_sweeps().contains(id) ||
         rules_of_speeds().contains(id);
}

TEST(Claims, HaveARuleOrSayWhyNot) {
  const JsonFile json = JsonFile::parse(kClaims, "claims", JsonAuthor::Person);
  std::size_t with_rules = 0;
  for (const JsonValue& claim : json.root()["claims"].items()) {
    const std::string id = claim["id"].text();
    EXPECT_EQ(has_rule(id), claim.has("rule")) << id;
    EXPECT_NE(has_rule(id), claim.has("untestable")) << id;
    with_rules += has_rule(id);
  }
  EXPECT_EQ(with_rules, rules_of_winners().size() + rules_of_searches().size() +
                            rules_of_measurements().size() + rules_of_sweeps().size() +
                            rules_of_speeds().size());
}

TEST(Claims, HoldOnDataLikeThePapers) {
  auto found = judged(like_the_paper());
  for (const char* id :
       {"no-ties", "ze-last", "no-early-reducer", "dim-behind-cut", "cut-unused", "nul-inv",
        "lnv-always", "lnv-twice", "subtraction", "same-in-both", "one-best", "pattern", "best-is",
        "mpc-wins", "cross-validation", "one-stage", "flattening"}) {
    EXPECT_EQ(found[id].first, kHolds) << id << ": " << found[id].second;
  }
  EXPECT_EQ(found["ze-last"].second, "7 of 8 (double 4 of 4, single 3 of 4)");
  // In double precision, half of the winners have BIT, which is not more than half.
  EXPECT_EQ(found["bit"],
            std::pair(std::string(kInPart), std::string("5 of 8 (double 2 of 4, single 3 of 4)")));
  EXPECT_EQ(found["subtraction"].second, "13 subtract, 2 take the XOR");
  for (const char* id : {"mpc-above-eight", "longer-lnv", "bits-apart"}) {
    EXPECT_EQ(found[id].first, kCannot) << id;
  }
}

TEST(Claims, DoNotHoldWhereTheDataContradict) {
  std::vector<Document> documents;
  for (const char* name : {"a", "b", "c"}) {
    for (const auto& [precision, winner] : {std::pair(Precision::Double, "NUL INV RLE RLE"),
                                            {Precision::Single, "RLE NUL INV RLE"}}) {
      documents.push_back(won_by(name, precision, winner, winner));
    }
  }
  const std::vector<Table> tables = claims({{"here", Runs(documents)}});
  auto found = judged(documents);
  for (const char* id :
       {"ze-last", "no-early-reducer", "dim-behind-cut", "bit", "nul-inv", "lnv-always",
        "lnv-twice", "one-best", "pattern", "best-is", "mpc-wins", "same-in-both"}) {
    EXPECT_EQ(found[id].first, kNot) << id << ": " << found[id].second;
  }
  EXPECT_EQ(found["subtraction"], std::pair(std::string(kCannot), std::string("no LNV")));
  EXPECT_EQ(found["ze-last"].second, "0 of 6 (double 0 of 3, single 0 of 3)");
  EXPECT_TRUE(contains(found["pattern"].second, "most frequent is NUL INV RLE RLE: 3"));
  EXPECT_TRUE(notes(tables[0], "here, ze-last, pattern, best-is, mpc-wins: the paper leaves"));
}

TEST(Claims, HoldInPartWithTiesAndWithoutFlattening) {
  std::vector<Document> documents;
  for (const char* name : {"a", "b", "c"}) {
    documents.push_back(document_of(name, Precision::Double,
                                    {{"ZE", 8400},
                                     {"BIT ZE", 8300},
                                     {"INV BIT ZE", 8000},
                                     {"LNV1s BIT LNV1s ZE", 7900},
                                     {"LNV2s BIT LNV1s ZE", 7901}}));
  }
  EXPECT_EQ(judged(documents)["no-ties"].first, kHolds);
  EXPECT_EQ(judged(documents)["one-stage"].first, kHolds);
  EXPECT_EQ(judged(documents)["flattening"].first, kNot);
  documents[0].payload_bytes =
      document_of("a", Precision::Double,
                  {{"ZE", 15000}, {"LNV1s BIT LNV1s ZE", 7900}, {"LNV2s BIT LNV1s ZE", 7900}})
          .payload_bytes;
  finish(documents[0]);
  auto found = judged(documents);
  EXPECT_EQ(found["no-ties"].first, kInPart);
  EXPECT_EQ(found["one-stage"].first, kInPart);
  EXPECT_EQ(found["one-stage"].second, "2 of 3 reach 80 %; not a (53 %)");
}

TEST(Claims, SayWhenDataAreFewOrSynthetic) {
  std::vector<Document> documents = like_the_paper();
  documents.resize(2);
  auto found = judged(documents);
  EXPECT_TRUE(std::ranges::all_of(found, [](const auto& one) {
    const bool measured = rules_of_measurements().contains(one.first) ||
                          rules_of_sweeps().contains(one.first) ||
                          rules_of_speeds().contains(one.first);
    return one.second.first == (measured ? kNotMeasured : kCannot);
  }));
  EXPECT_EQ(found["ze-last"].second, "2 of 2 (double 1 of 1, single 1 of 1)");
  EXPECT_TRUE(notes(claims({{"few", Runs(documents)}})[0], "few: 1 real data set cannot test"));
  for (Document& document : documents) document.data.source = kSyntheticSource;
  EXPECT_EQ(judged(documents)["ze-last"].first, kHolds);
  EXPECT_TRUE(notes(claims({{"made", Runs(documents)}})[0], "made: has synthetic data"));
}

/// Verdict and numbers on one claim in a space, or of the paper's Table II.
std::pair<std::string, std::string> judged(const std::string& claim, const SearchedSpace& space,
                                           const std::string& of = "here") {
  const Table numbers = claims({space}).at(1);
  const auto row = std::ranges::find_if(
      numbers.rows, [&](const auto& one) { return one[0] == Cell(claim) && one[1] == Cell(of); });
  return {std::get<std::string>(row->at(2)), std::get<std::string>(row->at(3))};
}

TEST(Claims, OfMpcAreJudgedWhereTheDimensionalityIsKnown) {
  const std::vector<Document> documents = like_the_paper();
  SearchedSpace space{"here", Runs(documents)};
  for (const Document& one : documents) {
    if (one.data.precision == Precision::Double) {
      const char* found = one.data.name == "a"   ? "the best of all for MPC"
                          : one.data.name == "b" ? "a guess"
                                                 : "known from the paper's tables";
      space.measured.push_back({.compressor = "MPC",
                                .data_set = one.data.name,
                                .xxh3 = one.data.xxh3,
                                .dimensionality = 9,
                                .dimensionality_is = found,
                                .ratio = 2.2});
    }
  }
  const auto verdict = [&] { return judged("mpc-above-eight", space); };
  EXPECT_EQ(verdict().first, kHolds);
  EXPECT_TRUE(
      contains(verdict().second, "ahead on 2 of 2 of known dimensionality; on 4 of 4 with"));
  for (const std::size_t not_known : {0, 1}) space.measured[not_known].ratio = 1.1;
  EXPECT_EQ(verdict().first, kHolds);
  space.measured[2].ratio = 1.1;
  EXPECT_EQ(verdict().first, kInPart);
  for (Measurement& one : space.measured) one.ratio = 1.1;
  EXPECT_EQ(verdict().first, kNot);
  for (Measurement& one : space.measured) one.dimensionality_is = "a guess";
  EXPECT_EQ(verdict().first, kCannot);
  for (Measurement& one : space.measured) one.dimensionality = 8;
  EXPECT_TRUE(contains(verdict().second, "no data set of more than eight dimensions"));
}

TEST(Claims, OfLongerLnvAreJudgedInASpaceThatHasIt) {
  EXPECT_TRUE(contains(judged("longer-lnv", {"here", Runs(like_the_paper())}).second,
                       "the space has LNV up to 8"));
  const auto component = [](const char* name) { return *synth::parse_component(name); };
  const synth::Space longer{
      .components = {component("BIT"), component("LNV1s"), component("LNV30s")},
      .last = {component("ZE")},
      .cuts = {4}};
  const auto judged_with = [&](std::uint64_t bytes_of_longer) {
    std::vector<Document> documents;
    for (const char* name : {"a", "b", "c"}) {
      documents.push_back(document_of(
          name, Precision::Double,
          {{"LNV30s BIT LNV1s ZE", bytes_of_longer}, {"LNV1s BIT LNV1s ZE", 8000}}, longer));
    }
    return judged("longer-lnv", {"here", Runs(documents)});
  };
  EXPECT_EQ(judged_with(4000).first, kHolds);
  EXPECT_EQ(judged_with(4000).second,
            "3 of 3 have one; double: Best LNV30s BIT LNV1s ZE, 100.00 % above LNV1s BIT LNV1s ZE");
  EXPECT_EQ(judged_with(8001).first, kNot);
}

TEST(Claims, OfCutsDoNotCountThoseInferredFromThem) {
  for (const char* claim : {"dim-behind-cut", "cut-unused"}) {
    const auto [verdict, numbers] = judged(claim, {"here", Runs(like_the_paper())}, "the paper");
    EXPECT_EQ(verdict, kCannot) << claim;
    EXPECT_TRUE(contains(numbers, "or was inferred from these claims)"));
  }
}

TEST(Claims, SayWhichVerdictsTurnOnRle) {
  synth::Space without = synth::Space::paper();
  std::erase(without.components, *synth::parse_component("RLE"));
  without.last.pop_back();
  std::vector<Document> with, none;
  for (const char* name : {"a", "b", "c"}) {
    with.push_back(won_by(name, Precision::Double, "LNV1s BIT LNV1s RLE", "LNV1s BIT LNV2s RLE"));
    none.push_back(document_of(name, Precision::Double, {{"LNV1s BIT LNV1s ZE", 8000}}, without));
  }
  const Table verdicts = claims({{"built", Runs(with)}, {"without", Runs(none)}}).front();
  EXPECT_TRUE(notes(verdicts,
                    "the verdict turns on RLE: pattern, mpc-wins: does not hold "
                    "with RLE (built), holds with no RLE (without)"));
  EXPECT_TRUE(notes(verdicts, "built, ze-last, pattern, best-is, mpc-wins: the paper leaves"));
  EXPECT_FALSE(notes(verdicts, "without, best-is: the paper leaves"));
  EXPECT_EQ(judged("ze-last", {"here", Runs(none)}).second, "the space has no RLE");
  const std::vector<Table> same = claims({{"built", Runs(with)}, {"again", Runs(with)}});
  EXPECT_FALSE(notes(same[0], "turns on RLE"));
  EXPECT_EQ(same[1].rows[1][1], Cell("all spaces"));
  EXPECT_EQ(same[1].rows[2][1], Cell("the paper"));
}

}  // namespace
}  // namespace fpsynth::results
