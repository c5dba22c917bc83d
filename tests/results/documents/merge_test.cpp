#include "results/documents/merge.hpp"

#include <gtest/gtest.h>

#include "tests/results/support.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using tests::contains;
using tests::message_of;

/// Chunks [begin, end) of a data set of four chunks of singles and three tail bytes.
Document part(std::uint64_t begin, std::uint64_t end) {
  Document document = document_with("a", {1, 2, 4, 1, 2, 1}, synth::Precision::Single);
  document.data.tail_bytes = 3;
  document.data.bytes += 3;
  document.chunk_ranges = {{begin, end}};
  for (std::size_t id = 0; id < 6; ++id) {
    document.payload_bytes[id] = 0;
    for (std::uint64_t chunk = begin; chunk < end; ++chunk) {
      document.payload_bytes[id] += 100 * (chunk + 1) + id * (chunk % 2);
    }
  }
  finish(document);
  return document;
}

TEST(Merge, PartsAddUpToTheWhole) {
  const Document whole = part(0, 4);
  std::vector<Document> parts = {part(3, 4), part(0, 1), part(1, 3)};
  parts[0].run.merged_states = 5;
  parts[2].run.merged_states = 7;
  Document merged = merge(parts, Timing::Parallel);
  EXPECT_EQ(merged.payload_bytes, whole.payload_bytes);
  EXPECT_EQ(merged.ranking, whole.ranking);
  EXPECT_EQ(merged.chunk_ranges, whole.chunk_ranges);
  EXPECT_EQ(merged.sampled_bytes, kBytes + 3);
  EXPECT_EQ(merged.run.chunks_done, 4u);
  EXPECT_TRUE(merged.run.complete);
  EXPECT_EQ(merged.run.edges_verified, 30u);
  EXPECT_EQ(merged.run.merged_states, 12u);
  EXPECT_EQ(merged.run.threads, 6u);
  EXPECT_DOUBLE_EQ(merged.run.seconds, 0.5);
  EXPECT_EQ(merged.run.device, "a CPU");
}

TEST(Merge, SequentialTimesAddUp) {
  const std::vector<Document> parts = {part(0, 1), part(1, 4)};
  const Document merged = merge(parts, Timing::Sequential);
  EXPECT_DOUBLE_EQ(merged.run.seconds, 1.0);
  EXPECT_EQ(merged.run.threads, 2u);
}

TEST(Merge, MissingChunksStayMissing) {
  const std::vector<Document> parts = {part(0, 1), part(2, 4)};
  const Document merged = merge(parts, Timing::Parallel);
  EXPECT_FALSE(merged.run.complete);
  EXPECT_EQ(merged.run.chunks_done, 3u);
  EXPECT_EQ(merged.chunk_ranges, (std::vector<ChunkRange>{{0, 1}, {2, 4}}));
  EXPECT_EQ(merged.sampled_bytes, kBytes * 3 / 4 + 3);
}

TEST(Merge, FailuresOfAnyPartCount) {
  std::vector<Document> parts = {part(0, 1), part(1, 4)};
  parts[0].failed = {3, 5};
  parts[0].run.failures = 2;
  parts[1].failed = {1, 3};
  parts[1].run.failures = 4;
  for (Document& document : parts) finish(document);
  const Document merged = merge(parts, Timing::Parallel);
  EXPECT_EQ(merged.failed, (std::vector<std::uint64_t>{1, 3, 5}));
  EXPECT_EQ(merged.run.failures, 6u);
  EXPECT_EQ(merged.ranking.size(), 3u);
}

TEST(Merge, DevicesAreListedOnce) {
  std::vector<Document> parts = {part(0, 1), part(1, 2), part(2, 4)};
  parts[1].run.device = "a GPU";
  EXPECT_EQ(merge(parts, Timing::Parallel).run.device, "a CPU; a GPU");
  // Documents that were merged before can be merged again, as in a search that was resumed
  // elsewhere.
  const std::vector<Document> first = {parts[0], parts[1]};
  parts[2].run.device = "GPU";
  const std::vector<Document> then = {merge(first, Timing::Sequential), parts[2]};
  parts[2].run.device = "a GPU";
  EXPECT_EQ(merge(then, Timing::Sequential).run.device, "a CPU; a GPU; GPU");
  const std::vector<Document> again = {merge(first, Timing::Sequential), parts[2]};
  EXPECT_EQ(merge(again, Timing::Sequential).run.device, "a CPU; a GPU");
}

TEST(Merge, OverlapIsAnError) {
  const std::vector<Document> parts = {part(0, 2), part(1, 4)};
  const std::string found = message_of([&] { merge(parts, Timing::Parallel); });
  EXPECT_TRUE(contains(found, "[0, 2) and [1, 4) overlap"));
  EXPECT_TRUE(contains(found, "a (single)"));
  EXPECT_THROW(merge({}, Timing::Parallel), Error);
}

TEST(Merge, PartsOfOtherSearchesAreErrors) {
  const auto message = [](auto change) {
    std::vector<Document> parts = {part(0, 2), part(2, 4)};
    change(parts[1]);
    return message_of([&] { merge(parts, Timing::Parallel); });
  };
  EXPECT_EQ(message([](Document&) {}), "no error");
  EXPECT_TRUE(contains(message([](Document& d) { d.data.name = "b"; }), "data set 'a' and 'b'"));
  EXPECT_TRUE(contains(message([](Document& d) { d.data.precision = synth::Precision::Double; }),
                       "precision 'single' and 'double'"));
  EXPECT_TRUE(contains(message([](Document& d) { d.data.xxh3[0] = 'f'; }), "XXH3"));
  EXPECT_TRUE(contains(message([](Document& d) { d.run.sample = 2; }), "sample '1' and '2'"));
  EXPECT_TRUE(contains(message([](Document& d) { d.run.verification = "none"; }), "verification"));
  EXPECT_TRUE(contains(message([](Document& d) { d.overhead_bytes = 7; }), "overhead"));
  EXPECT_TRUE(
      contains(message([](Document& d) { d.space.components[0] = *synth::parse_component("INV"); }),
               "space"));
  EXPECT_TRUE(
      contains(message([](Document& d) {
                 d.prelude_candidates = {
                     {{}, "pipelines alone", true, 2, synth::parse_pipeline("BIT | ZE"), 4}};
               }),
               "preludes that were tried '0 candidates' and '1 candidate"));
}

}  // namespace
}  // namespace fpsynth::results
