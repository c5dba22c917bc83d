// Documents of searches with preludes.

#include <gtest/gtest.h>

#include <string>

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

TEST(DocumentWithPreludes, RanksByTheWholeFile) {
  const Document document = document_with_preludes();
  EXPECT_EQ(document.compressed_bytes(2), kBytes / 4);
  EXPECT_EQ(document.compressed_bytes(7), 3000 + kOverhead + 30);
  EXPECT_EQ(document.compressed_bytes(13), 500 + kOverhead + 5000);
  // By payload alone, 13 would be the first.
  EXPECT_EQ(document.ranking[0], 7u);
  EXPECT_EQ(document.ranking[1], 8u);
  EXPECT_EQ(document.ranking[2], 2u);
  EXPECT_EQ(document.ranking[3], 13u);
}

TEST(DocumentWithPreludes, RoundTrip) {
  const tests::TemporaryFolder folder;
  const Document document = document_with_preludes();
  write_document(folder / "a.double.json", document);
  EXPECT_EQ(read_document(folder / "a.double.json"), document);
  const std::string text = tests::read_bytes(folder / "a.double.json");
  EXPECT_TRUE(contains(text, "\"preludes\":[\"none\",\"LAGx:3\",\"DICT\"]"));
  EXPECT_TRUE(contains(text, "\"pipeline\":\"LAGx:3 / BIT | ZE\""));
}

TEST(DocumentWithPreludes, WithoutThemItSaysNothingOfThem) {
  const tests::TemporaryFolder folder;
  write_document(folder / "a.double.json", document_with("a", {1, 2, 4, 1, 2, 1}));
  EXPECT_FALSE(contains(tests::read_bytes(folder / "a.double.json"), "prelude"));
}

TEST(DocumentWithPreludes, ContradictionsAreRefused) {
  const auto error = [](auto change) {
    Document document = document_with_preludes();
    change(document);
    return message_of([&] { validate(document); });
  };
  EXPECT_TRUE(contains(error([](Document& d) { d.prelude_overhead_bytes.pop_back(); }),
                       "prelude_overhead_bytes"));
  EXPECT_TRUE(contains(error([](Document& d) { ++d.prelude_overhead_bytes[0]; }),
                       "prelude_overhead_bytes"));
  EXPECT_TRUE(contains(error([](Document& d) { d.payload_bytes.pop_back(); }), "payload_bytes"));
  // Smaller payloads behind the dear prelude do not lead.
  EXPECT_TRUE(
      contains(error([](Document& d) { std::swap(d.ranking[0], d.ranking[3]); }), "ranking"));
  Document single = document_with("a", {1, 2, 4, 1, 2, 1}, synth::Precision::Single);
  single.space.preludes = {{}, synth::parse_prelude("DEC:12")};
  EXPECT_TRUE(contains(message_of([&] { validate(single); }), "0 to 9"));
}

TEST(DocumentWithPreludes, PartsAddUp) {
  Document whole = document_with_preludes();
  Document first = whole, second = whole;
  first.chunk_ranges = {{0, 1}};
  second.chunk_ranges = {{1, 2}};
  for (std::size_t id = 0; id < whole.payload_bytes.size(); ++id) {
    first.payload_bytes[id] = whole.payload_bytes[id] / 3;
    second.payload_bytes[id] = whole.payload_bytes[id] - first.payload_bytes[id];
  }
  finish(first);
  finish(second);
  const Document parts[] = {first, second};
  Document merged = merge(parts, Timing::Parallel);
  EXPECT_EQ(merged.payload_bytes, whole.payload_bytes);
  EXPECT_EQ(merged.ranking, whole.ranking);
  EXPECT_EQ(merged.prelude_candidates, whole.prelude_candidates);
  second.prelude_overhead_bytes[2] += 1;
  finish(second);
  const Document unequal[] = {first, second};
  EXPECT_TRUE(contains(message_of([&] { merge(unequal, Timing::Parallel); }), "preludes"));
}

TEST(RunsWithPreludes, ShareThePipelinesAlone) {
  const Document plain = document_with("b", {2, 2, 2, 2, 2, 2});
  const Runs runs({document_with_preludes(), plain});
  EXPECT_EQ(runs.space(), small_space());
  const std::vector<double> costs = Means(runs.of(synth::Precision::Double)).costs();
  ASSERT_EQ(costs.size(), 6u);
  EXPECT_DOUBLE_EQ(costs[2], (0.25 + 0.5) / 2);
  EXPECT_TRUE(contains(runs.notes().back(), "preludes are of one data set"));
}

}  // namespace
}  // namespace fpsynth::results
