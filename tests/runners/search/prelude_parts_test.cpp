// Searches of a part of the chunks behind preludes: they add up to that of all, and continue where
// they were stopped.

#include <gtest/gtest.h>

#include <vector>

#include "results/documents/merge.hpp"
#include "runners/search/checks.hpp"
#include "runners/search/prelude_search.hpp"
#include "tests/runners/search/preludes.hpp"
#include "tests/runners/search/support.hpp"

namespace fpsynth::search {
namespace {

using synth::Precision;

/// Parts of a search of five chunks: one of no chunks, and all of them.
constexpr results::ChunkRange kParts[] = {{0, 0}, {0, 1}, {1, 3}, {3, 5}};

/// Removes the fields that say how long a search took and on what it ran.
results::Document without_provenance(results::Document document) {
  document.run.threads = 1;
  document.run.seconds = document.run.pipeline_bytes_per_second = 0;
  return document;
}

TEST(PreludeParts, PartsAddUpToTheWhole) {
  for (const Precision precision : {Precision::Double, Precision::Single}) {
    const data::Input input = periodic(precision);
    const results::Document whole =
        search_with_preludes(input, small_plan(), named("LAGx:700, DICT"), {});
    std::vector<results::Document> parts;
    for (const results::ChunkRange& range : kParts) {
      SearchOptions options;
      options.part = range;
      std::uint64_t last = 0, total = 0;
      options.progress = [&](const Progress& progress) {
        last = progress.chunks_done;
        total = progress.chunks_total;
      };
      parts.push_back(search_with_preludes(input, small_plan(), named("LAGx:700, DICT"), options));
      const results::Document& part = parts.back();
      results::validate(part);
      EXPECT_FALSE(part.run.complete);
      EXPECT_EQ(part.run.chunks_done, range.end - range.begin);
      EXPECT_EQ(total, 3 * part.run.chunks_done);
      EXPECT_EQ(last, total);
      EXPECT_EQ(part.prelude_candidates, whole.prelude_candidates);
    }
    const results::Document merged = results::merge(parts, results::Timing::Parallel);
    EXPECT_EQ(without_provenance(merged), without_provenance(whole));
  }
}

TEST(PreludeParts, AFinishedPartIsNotSearchedAgain) {
  const data::Input input = periodic(Precision::Double);
  SearchOptions options;
  options.part = results::ChunkRange{1, 3};
  PreludeOptions preludes = named("LAGx:700");
  const results::Document part = search_with_preludes(input, small_plan(), preludes, options);
  EXPECT_TRUE(is_finished(part, options));
  EXPECT_FALSE(is_finished(part, {}));
  std::uint64_t calls = 0;
  preludes.trying = [&](std::size_t, std::size_t) { ++calls; };
  options.progress = [&](const Progress&) { ++calls; };
  EXPECT_EQ(search_with_preludes(input, small_plan(), preludes, options, &part), part);
  EXPECT_EQ(calls, 0u);
  // The rest of the whole continues from the part, without trying preludes again.
  const results::Document whole =
      search_with_preludes(input, small_plan(), named("LAGx:700"), {}, &part);
  EXPECT_TRUE(whole.run.complete);
  expect_same_findings(whole, search_with_preludes(input, small_plan(), named("LAGx:700"), {}));
}

TEST(PreludeParts, APartContinuesWhereItWasStopped) {
  const data::Input input = periodic(Precision::Double, 80 * 1024);
  SearchOptions options;
  options.part = results::ChunkRange{5, 75};
  const PreludeOptions preludes = named("LAGx:700, DICT");
  const results::Document whole = search_with_preludes(input, small_plan(), preludes, options);
  const Interrupted parts = interrupted(input, preludes, options, false, 3 * 64);
  EXPECT_EQ(parts.state.chunk_ranges, (std::vector<results::ChunkRange>{{5, 69}}));
  EXPECT_EQ(parts.tried_again, 0u);
  EXPECT_FALSE(parts.end.run.complete);
  expect_same_findings(parts.end, whole);
}

TEST(PreludeParts, APreludeThatLosesDataFailsOnceInAllParts) {
  const data::Input input = periodic(Precision::Double);
  std::uint64_t undone = 0;
  PreludeOptions preludes = named("LAGx:700, DICT");
  preludes.restores = [&](const data::Input&, const synth::Prelude& prelude, const SearchOptions&) {
    ++undone;
    return synth::to_string(prelude) != "DICT";
  };
  const results::Document whole = search_with_preludes(input, small_plan(), preludes, {});
  EXPECT_EQ(whole.run.failures, 1u);
  EXPECT_EQ(whole.failed.size(), whole.space.pipelines());
  EXPECT_EQ(undone, 2u);
  std::vector<results::Document> parts;
  for (const results::ChunkRange& range : kParts) {
    SearchOptions options;
    options.part = range;
    parts.push_back(search_with_preludes(input, small_plan(), preludes, options));
    EXPECT_EQ(parts.back().run.failures, range.end == 5 ? 1u : 0u);
    const results::Document again =
        search_with_preludes(input, small_plan(), preludes, options, &parts.back());
    EXPECT_EQ(again, parts.back());
  }
  EXPECT_EQ(undone, 4u);  // by the part with the last chunk alone
  const results::Document merged = results::merge(parts, results::Timing::Parallel);
  EXPECT_EQ(without_provenance(merged), without_provenance(whole));
}

}  // namespace
}  // namespace fpsynth::search
