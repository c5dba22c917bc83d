// The search of preludes and pipelines together: sizes are those of files, the finalists are the
// best on the sample, an interrupted search continues with the same ones, and parts add up.

#include "runners/search/preludes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "results/documents/document_file.hpp"
#include "results/documents/merge.hpp"
#include "runners/codec/codec.hpp"
#include "runners/search/search.hpp"
#include "tests/runners/search/preludes.hpp"
#include "tests/runners/search/support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::search {
namespace {

using synth::Precision;
using tests::contains;
using tests::message_of;

PreludeOptions suggested() { return named("auto"); }

constexpr std::string_view kNamed = "LAGx:700, DICT LAGs:1, ORD LAGs:700, DEC:2";

TEST(PreludeSearch, EveryFileHasTheReportedSize) {
  for (const Precision precision : {Precision::Double, Precision::Single}) {
    for (const std::size_t chunk_words : {1024, 2048}) {
      const data::Input input = periodic(precision);
      synth::Space space = small_plan().space();
      space.chunk_words = chunk_words;
      const synth::Plan plan(space);
      const results::Document document = search_with_preludes(input, plan, named(kNamed), {});
      results::validate(document);
      EXPECT_TRUE(document.run.complete);
      EXPECT_EQ(document.run.failures, 0u);
      EXPECT_EQ(document.run.edges_verified, 5 * (chunk_words == 1024 ? 5 : 3) * plan.edges());
      ASSERT_EQ(document.space.preludes.size(), 5u);
      ASSERT_EQ(document.ranking.size(), 5 * space.size());
      const std::vector<std::byte> original(input.bytes().begin(), input.bytes().end());
      codec::CodecOptions of_space;
      of_space.threads = 1;
      of_space.chunk_words = chunk_words;
      std::uint64_t wrong = 0;
      for (const std::uint64_t id : document.ranking) {
        const auto file = codec::compress(original, document.space.method_at(id),
                                          synth::word_bytes(precision), of_space);
        wrong +=
            file.size() != document.compressed_bytes(id) || codec::decompress(file) != original;
      }
      EXPECT_EQ(wrong, 0u);
      // The period shows in the best method, and pipelines alone have no chance.
      const synth::Method best = document.space.method_at(document.ranking.front());
      EXPECT_TRUE(contains(synth::to_string(best.prelude), ":700"));
      const auto alone = std::ranges::find_if(
          document.ranking, [&](std::uint64_t id) { return id < document.space.pipelines(); });
      EXPECT_GT(document.ratio(document.ranking.front()), 2 * document.ratio(*alone));
      SearchOptions top;  // compares sizes as well
      top.verification = Verification::parse("top=20");
      EXPECT_EQ(search_with_preludes(input, plan, named("DICT"), top).run.failures, 0u);
    }
  }
}

TEST(PreludeSearch, PipelinesAloneHaveTheNumbersOfASearchWithoutPreludes) {
  const data::Input input = periodic(Precision::Double);
  const results::Document plain = search(input, small_plan(), {});
  const results::Document both = search_with_preludes(input, small_plan(), named("DEC:2"), {});
  ASSERT_EQ(both.payload_bytes.size(), 2 * plain.payload_bytes.size());
  EXPECT_TRUE(std::equal(plain.payload_bytes.begin(), plain.payload_bytes.end(),
                         both.payload_bytes.begin()));
  EXPECT_EQ(both.overhead_bytes, plain.overhead_bytes);
  EXPECT_EQ(both.data, plain.data);
  const results::Document none = search_with_preludes(input, small_plan(), named("none"), {});
  expect_same_findings(none, plain);
  EXPECT_EQ(none.space, plain.space);
  EXPECT_TRUE(none.prelude_candidates.empty());
}

TEST(PreludeSearch, SuggestedPreludesAreFinalistsIfTheyHelp) {
  const results::Document document =
      search_with_preludes(periodic(Precision::Double, 40'000), small_plan(), suggested(), {});
  results::validate(document);
  const auto& candidates = document.prelude_candidates;
  ASSERT_GT(candidates.size(), 1u);
  EXPECT_LE(candidates.size(), 33u);
  EXPECT_TRUE(std::ranges::is_sorted(candidates, std::ranges::greater(),
                                     &results::PreludeCandidate::estimated_ratio));
  const auto alone =
      std::ranges::find(candidates, synth::Prelude{}, &results::PreludeCandidate::prelude);
  ASSERT_NE(alone, candidates.end());
  EXPECT_TRUE(alone->finalist);
  std::uint64_t finalists = 0;
  for (auto candidate = candidates.begin(); candidate != candidates.end(); ++candidate) {
    EXPECT_EQ(candidate->sampled_chunks, 40u);
    EXPECT_FALSE(candidate->reason.empty());
    if (candidate->finalist && candidate != alone) {
      EXPECT_LT(candidate, alone);
      ++finalists;
    }
  }
  EXPECT_GE(finalists, 1u);
  EXPECT_LE(finalists, 4u);
  const synth::Method best = document.space.method_at(document.ranking.front());
  EXPECT_TRUE(contains(synth::to_string(best), ":700"));
  // All chunks were the sample, so that the estimates are the sizes themselves.
  EXPECT_NEAR(candidates.front().estimated_ratio, document.ratio(document.ranking.front()), 1e-9);
}

TEST(PreludeSearch, TheBestOnTheSampleAreFinalists) {
  const results::Document document =
      search_with_preludes(periodic(Precision::Double), small_plan(), named(kNamed, 1), {});
  results::validate(document);
  ASSERT_EQ(document.prelude_candidates.size(), 5u);
  ASSERT_EQ(document.space.preludes.size(), 2u);
  EXPECT_EQ(document.space.preludes[1], document.prelude_candidates.front().prelude);
  EXPECT_EQ(document.prelude_candidates.front().reason, "named by the user");
  EXPECT_EQ(
      std::ranges::count(document.prelude_candidates, true, &results::PreludeCandidate::finalist),
      2);
}

TEST(PreludeSearch, LargeSpacesTryPreludesWithShorterPipelines) {
  synth::Space space = synth::Space::paper();
  space.components = synth::registered_components();
  ASSERT_GT(space.pipelines(), 200'000u);
  const synth::Plan plan(space);
  const data::Input input = periodic(Precision::Double, 1500);
  SearchOptions options;
  options.verification = Verification::parse("none");
  const results::Document document = search_with_preludes(input, plan, named("LAGx:700"), options);
  results::validate(document);
  ASSERT_EQ(document.prelude_candidates.size(), 2u);
  for (const results::PreludeCandidate& candidate : document.prelude_candidates) {
    EXPECT_EQ(candidate.best.stages.size(), 3u);
  }
  const std::vector<std::byte> original(input.bytes().begin(), input.bytes().end());
  for (const std::uint64_t id : {document.ranking.front(), document.ranking.back()}) {
    EXPECT_EQ(codec::compress(original, document.space.method_at(id), 8).size(),
              document.compressed_bytes(id));
  }
}

TEST(PreludeSearch, ContinuesWhereItWasStopped) {
  const data::Input input = periodic(Precision::Double, 70 * 1024);
  const PreludeOptions preludes = named("LAGx:700, DICT");
  for (const char* verification : {"all", "top=5"}) {
    SearchOptions options;
    options.verification = Verification::parse(verification);
    const results::Document whole = search_with_preludes(input, small_plan(), preludes, options);
    const auto expect_the_same = [&](const Interrupted& parts, std::uint64_t chunks) {
      SCOPED_TRACE(chunks);
      EXPECT_FALSE(parts.state.run.complete);
      EXPECT_EQ(parts.state.run.chunks_done, chunks);
      EXPECT_TRUE(parts.end.run.complete);
      expect_same_findings(parts.end, whole);
      EXPECT_EQ(parts.end.space, whole.space);
      EXPECT_EQ(parts.end.prelude_overhead_bytes, whole.prelude_overhead_bytes);
      EXPECT_EQ(parts.end.prelude_candidates, whole.prelude_candidates);
    };
    // While candidates are tried: they are tried again.
    Interrupted parts = interrupted(input, preludes, options, true, ~std::uint64_t{0});
    EXPECT_TRUE(parts.state.prelude_candidates.empty());
    EXPECT_EQ(parts.tried_again, 3u);
    expect_the_same(parts, 0);
    // In the first part, and between it and the second: the finalists are known.
    for (const std::uint64_t chunks : {0, 64}) {
      parts = interrupted(input, preludes, options, false, 3 * chunks);
      EXPECT_EQ(parts.state.space.preludes, whole.space.preludes);
      EXPECT_EQ(parts.tried_again, 0u);
      expect_the_same(parts, chunks);
    }
  }
}

TEST(PreludeSearch, NumbersThatAreNotTheUsualOnesAreInItsText) {
  EXPECT_EQ(PreludeOptions().text(), "none");
  EXPECT_EQ(named("LAGs:1").text(), "LAGs:1");
  PreludeOptions options = suggested();
  options.candidates = 8;
  options.finalists = 2;
  EXPECT_EQ(options.text(), "auto, at most 8 candidates, at most 2 finalists");
}

TEST(PreludeSearch, ContinuesOnlyTheSameSearch) {
  const data::Input input = periodic(Precision::Double, 70 * 1024);
  const results::Document state =
      interrupted(input, named("LAGx:700, DICT"), {}, false, 3 * 64).state;
  const auto error = [&](const results::Document& done, SearchOptions options) {
    return message_of([&] {
      search_with_preludes(input, small_plan(), named("LAGx:700, DICT"), options, &done);
    });
  };
  SearchOptions other;
  other.sample = 2;
  EXPECT_TRUE(contains(error(state, other), "another sample"));
  other = {};
  other.verification = Verification::parse("none");
  EXPECT_TRUE(contains(error(state, other), "another verification mode"));
  results::Document forged = state;
  ++forged.prelude_overhead_bytes[2];
  EXPECT_TRUE(contains(error(forged, {}), "another version of the program"));
  const data::Input longer = periodic(Precision::Double, 70 * 1024 + 1);
  EXPECT_THROW(search_with_preludes(longer, small_plan(), named("DICT"), {}, &state), Error);
}

TEST(PreludeSearch, OfASampleTheSideDataCountAsMuch) {
  const data::Input input = periodic(Precision::Double, 9 * 1024 + 10);  // ten chunks
  for (const char* verification : {"all", "top=5", "none"}) {
    SearchOptions options;
    options.verification = Verification::parse(verification);
    options.sample = 3;
    const results::Document document =
        search_with_preludes(input, small_plan(), named("DICT"), options);
    results::validate(document);
    EXPECT_TRUE(document.run.complete);
    EXPECT_EQ(document.run.failures, 0u);
    EXPECT_EQ(document.sampled_bytes, (3 * 1024 + 10) * 8 + 3u);
    const codec::Transformed whole =
        codec::transform(input.bytes(), synth::parse_prelude("DICT"), 8);
    EXPECT_EQ(
        document.prelude_overhead_bytes[1],
        document.overhead_bytes + std::uint64_t(std::llround(double(whole.overhead_bytes()) *
                                                             (3 * 1024 + 10) / (9 * 1024 + 10))));
  }
}

TEST(PreludeSearch, WhatDoesNotDecodeIsNotRankedBehindAnyPrelude) {
  const data::Input input = periodic(Precision::Double);
  const BrokenInversion broken;
  const auto table = broken.table();
  SearchOptions options;
  options.stages = &table;
  const results::Document document =
      search_with_preludes(input, small_plan(), named("LAGx:700"), options);
  results::validate(document);
  EXPECT_GT(document.run.failures, 0u);
  const std::uint64_t pipelines = document.space.pipelines();
  std::uint64_t alone = 0;
  for (const std::uint64_t id : document.failed) {
    alone += id < pipelines;
    const auto text = synth::to_string(document.space.method_at(id));
    EXPECT_TRUE(contains(text, "INV"));
  }
  EXPECT_GT(alone, 0u);
  EXPECT_EQ(document.failed.size(), 2 * alone);
}

TEST(PreludeSearch, RefusesWhatDoesNotSuitTheInput) {
  const data::Input single = periodic(Precision::Single);
  EXPECT_TRUE(
      contains(message_of([&] { search_with_preludes(single, small_plan(), named("DEC:12"), {}); }),
               "0 to 9"));
  const data::Input short_input = input_of(std::vector<std::byte>(7), Precision::Double);
  EXPECT_TRUE(contains(
      message_of([&] { search_with_preludes(short_input, small_plan(), suggested(), {}); }),
      "no whole word"));
}

TEST(PreludeSearch, OneWordIsEnough) {
  const data::Input input = input_of(std::vector<std::byte>(11, std::byte{7}), Precision::Double);
  for (const PreludeOptions& preludes : {suggested(), named("LAGs:5, DICT, DEC:1, ORD")}) {
    const results::Document document = search_with_preludes(input, small_plan(), preludes, {});
    results::validate(document);
    EXPECT_TRUE(document.run.complete);
    for (std::uint64_t id = 0; id < document.space.size(); id += document.space.pipelines()) {
      EXPECT_EQ(document.compressed_bytes(id),
                codec::compress(input.bytes(), document.space.method_at(id), 8).size());
    }
  }
}

TEST(PreludeSearch, DevicesGiveTheSameNumbers) {
  const data::Input input = periodic(Precision::Single, 1500);
  const PreludeOptions preludes = named("LAGx:700, DICT");
  const results::Document expected = search_with_preludes(input, small_plan(), preludes, {});
  SearchOptions options;
  options.engine = engine_on(std::vector<device::EmulatedDevice::Options>(1));
  expect_same_findings(search_with_preludes(input, small_plan(), preludes, options), expected);
}

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
