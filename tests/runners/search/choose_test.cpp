// The choice of a pipeline for one input.

#include "runners/search/choose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/search/search.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/search/support.hpp"

namespace fpsynth::search {
namespace {

const synth::Space& small_space() { return small_plan().space(); }

TEST(Choose, MeasuresCandidatesAsTheCodecWritesThem) {
  for (const auto precision : {synth::Precision::Double, synth::Precision::Single}) {
    const data::Input input = several_chunks(precision);
    const Choice choice = choose(input, small_space(), {});
    EXPECT_EQ(choice.pipelines, small_space().size());
    EXPECT_EQ(choice.chunks_total, 4u);
    EXPECT_EQ(choice.chunks_searched, 4u);
    ASSERT_EQ(choice.candidates.size(), 8u);
    std::set<std::string> names;
    for (const Candidate& candidate : choice.candidates) {
      EXPECT_EQ(candidate.bytes, codec::compress(input.bytes(), candidate.method.pipeline,
                                                 synth::word_bytes(precision))
                                     .size())
          << synth::to_string(candidate.method.pipeline);
      EXPECT_TRUE(names.insert(synth::to_string(candidate.method.pipeline)).second);
    }
    EXPECT_TRUE(std::ranges::is_sorted(choice.candidates, {}, &Candidate::bytes));
  }
}

TEST(Choose, IsTheWinnerOfTheSearchIfAllChunksAreSampled) {
  const data::Input input = several_chunks(synth::Precision::Double);
  SearchOptions options;
  options.verification = Verification::parse("none");
  const results::Document document = search(input, small_plan(), options);
  const Choice choice = choose(input, small_space(), {});
  EXPECT_EQ(choice.candidates.front().bytes, document.compressed_bytes(document.ranking.front()));
}

TEST(Choose, MeasuresTheWholeInputIfOnlyAPartIsSearched) {
  // The first chunk, which alone is searched, is unlike the others.
  auto bytes = testing::make_block(testing::Content::LongRuns, 8, 1024);
  for (int i = 0; i < 5; ++i) {
    const auto block = testing::make_block(testing::Content::Smooth, 8, 1024);
    bytes.insert(bytes.end(), block.begin(), block.end());
  }
  const data::Input input = input_of(bytes, synth::Precision::Double);
  ChoiceOptions options;
  options.chunks = 1;
  options.candidates = 200;
  const Choice choice = choose(input, small_space(), options);
  EXPECT_EQ(choice.chunks_searched, 1u);
  EXPECT_EQ(choice.chunks_total, 6u);
  SearchOptions first_chunk;
  first_chunk.verification = Verification::parse("none");
  first_chunk.sample = 6;
  const results::Document document = search(input, small_plan(), first_chunk);
  EXPECT_NE(choice.candidates.front().method.pipeline, small_space().at(document.ranking.front()));
  EXPECT_EQ(choice.candidates.front().bytes,
            codec::compress(input.bytes(), choice.candidates.front().method.pipeline, 8).size());
}

TEST(Choose, TriesPipelinesOnceThatAreEqualByConstruction) {
  const data::Input input = several_chunks(synth::Precision::Double);
  ChoiceOptions options;
  options.candidates = 1'000'000;  // more than there are
  const Choice choice = choose(input, small_space(), options);
  EXPECT_EQ(choice.candidates.size(), small_plan().leaves().size());
}

TEST(Choose, ReportsEachStepToItsEnd) {
  const data::Input input = several_chunks(synth::Precision::Double);
  std::vector<ChoiceProgress> reports;
  ChoiceOptions options;
  options.progress = [&](const ChoiceProgress& progress) { reports.push_back(progress); };
  choose(input, small_space(), options);
  for (const auto step : {ChoiceProgress::Step::Searching, ChoiceProgress::Step::Measuring,
                          ChoiceProgress::Step::Verifying}) {
    const auto last =
        std::find_if(reports.rbegin(), reports.rend(),
                     [&](const ChoiceProgress& progress) { return progress.step == step; });
    ASSERT_NE(last, reports.rend());
    EXPECT_DOUBLE_EQ(last->share, 1);
  }
}

TEST(Choose, TakesNoPipelineThatDoesNotRestoreTheInput) {
  synth::Space space = small_space();
  space.components = {*synth::parse_component("NUL"), *synth::parse_component("INV")};
  // Every other word is all ones, so that only ZE behind INV makes it smaller.
  std::vector<std::uint64_t> words(600, ~std::uint64_t{0});
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < words.size(); i += 2) words[i] = random();
  const auto bytes = std::as_bytes(std::span(words));
  const data::Input input = input_of({bytes.begin(), bytes.end()}, synth::Precision::Double);
  ChoiceOptions options;
  const Choice good = choose(input, space, options);
  EXPECT_EQ(synth::to_string(good.candidates.front().method.pipeline), "INV ZE");
  const BrokenInversion broken;
  const auto table = broken.table();
  options.stages = &table;
  const Choice choice = choose(input, space, options);
  for (const Candidate& candidate : choice.candidates) {
    EXPECT_NE(synth::to_string(candidate.method.pipeline), "INV ZE");
  }
  space.components = {*synth::parse_component("INV")};
  space.cuts = {1, 2};
  EXPECT_THROW(choose(input, space, options), Error);
}

/// Words that repeat with a period, and a tail.
data::Input periodic_input(std::size_t words) {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> values(words);
  for (std::size_t i = 0; i < words; ++i) values[i] = i < 1300 ? random() : values[i - 1300];
  const auto bytes = std::as_bytes(std::span(values));
  std::vector<std::byte> all(bytes.begin(), bytes.end());
  all.insert(all.end(), {std::byte{1}, std::byte{2}});
  return input_of(all, synth::Precision::Double);
}

TEST(Choose, PreludesThatTheInputSuggestsAreMeasuredAsTheCodecWritesThem) {
  const data::Input input = periodic_input(20'000);
  ChoiceOptions options;
  EXPECT_TRUE(choose(input, small_space(), options).candidates.front().method.prelude.empty());
  options.preludes = 32;
  std::vector<ChoiceProgress> reports;
  options.progress = [&](const ChoiceProgress& progress) { reports.push_back(progress); };
  const Choice choice = choose(input, small_space(), options);
  EXPECT_GE(choice.preludes, 1u);
  ASSERT_GE(choice.finalists.size(), 2u);
  EXPECT_LE(choice.finalists.size(), 5u);
  EXPECT_TRUE(choice.finalists.front().empty());
  EXPECT_FALSE(choice.too_large);
  EXPECT_EQ(reports.front().step, ChoiceProgress::Step::Trying);
  ASSERT_EQ(choice.candidates.size(), 8u);
  std::set<std::string> names;
  for (const Candidate& candidate : choice.candidates) {
    const std::string name = synth::to_string(candidate.method);
    EXPECT_EQ(candidate.bytes, codec::compress(input.bytes(), candidate.method, 8).size()) << name;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_TRUE(std::ranges::is_sorted(choice.candidates, {}, &Candidate::bytes));
  // 1300 words of the 20,000 are not repeated ones.
  EXPECT_LT(choice.candidates.front().bytes, input.bytes().size() / 8);
}

TEST(Choose, LargeInputsGetNoPreludes) {
  const data::Input input = periodic_input(5'000);
  ChoiceOptions options;
  options.preludes = 32;
  options.largest_with_preludes = input.bytes().size() - 1;
  const Choice choice = choose(input, small_space(), options);
  EXPECT_TRUE(choice.too_large);
  EXPECT_EQ(choice.preludes, 0u);
  EXPECT_TRUE(choice.candidates.front().method.prelude.empty());
  options.largest_with_preludes = input.bytes().size();
  EXPECT_FALSE(choose(input, small_space(), options).too_large);
}

TEST(Choose, RefusesAnInputWithoutAWholeWord) {
  const data::Input input = input_of(std::vector<std::byte>(7), synth::Precision::Double);
  EXPECT_THROW(choose(input, small_space(), {}), Error);
  ChoiceOptions options;
  options.preludes = 32;
  EXPECT_THROW(choose(input, small_space(), options), Error);
}

}  // namespace
}  // namespace fpsynth::search
