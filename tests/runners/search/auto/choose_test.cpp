// The choice of a pipeline for one input.

#include "runners/search/auto/choose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/data/synthetic/synthetic_sets.hpp"
#include "runners/search/auto/samples.hpp"
#include "runners/search/search.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/search/auto/support.hpp"

namespace fpsynth::search {
namespace {

codec::CodecOptions chunks_of(std::size_t words) {
  codec::CodecOptions options;
  options.chunk_words = words;
  return options;
}

TEST(Choose, MeasuresCandidatesAsTheCodecWritesThem) {
  for (const auto precision : {synth::Precision::Double, synth::Precision::Single}) {
    const data::Input input = several_chunks(precision);
    const Choice choice = choose(input, from(small_space()));
    EXPECT_EQ(choice.pipelines, small_space().size());
    EXPECT_EQ(choice.blocks_total, 1u);
    EXPECT_EQ(choice.blocks_searched, 1u);
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

TEST(Choose, StagesThatAreNotWorthTheirTimeAreLeftOut) {
  // Of most bits nothing is to be had, of the others something with every stage more.
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> words(3000);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = (random() >> 16) | std::uint64_t{i / 100 + random() % 3} << 50;
  }
  const auto as_bytes = std::as_bytes(std::span(words));
  const data::Input input = input_of({as_bytes.begin(), as_bytes.end()}, synth::Precision::Double);
  synth::Space space = wide_space(3);
  std::erase_if(space.components, has_tables);  // one of them alone would take it all
  std::erase_if(space.last, has_tables);
  ChoiceOptions options = from(space);
  const Candidate smallest = choose(input, options).candidates.front();
  options.numbers.least_saving = 0.05;
  const Candidate found = choose(input, options).candidates.front();
  const synth::Pipeline& pipeline = found.method.pipeline;
  const std::size_t stages = pipeline.stages.size();
  EXPECT_LT(stages, smallest.method.pipeline.stages.size());
  EXPECT_LE(double(found.bytes), 1.05 * double(smallest.bytes));
  const auto bytes = [&](const synth::Pipeline& own) {
    return codec::compress(input.bytes(), own, 8, chunks_of(found.chunk_words)).size();
  };
  EXPECT_EQ(found.bytes, bytes(pipeline));
  for (std::size_t stage = 0; stage + 1 < stages; ++stage) {
    synth::Pipeline shorter = pipeline;
    shorter.stages.erase(shorter.stages.begin() + std::ptrdiff_t(stage));
    shorter.cut -= stage < shorter.cut ? 1 : 0;
    EXPECT_GT(double(bytes(shorter)), 1.04 * double(found.bytes));
  }
}

TEST(Choose, IsTheWinnerOfTheSearchIfAllChunksAreSampled) {
  const data::Input input = several_chunks(synth::Precision::Double);
  SearchOptions options;
  options.verification = Verification::parse("none");
  const results::Document document = search(input, small_plan(), options);
  const Choice choice = choose(input, from(small_space()));
  EXPECT_EQ(choice.candidates.front().bytes, document.compressed_bytes(document.ranking.front()));
}

TEST(Choose, MeasuresTheWholeInputIfOnlyAPartIsSearched) {
  // The block that alone is searched is unlike the others.
  const std::uint64_t searched = Places(6 * kBlockWords, 1).first(1).front().number;
  std::vector<std::byte> bytes;
  for (std::uint64_t i = 0; i < 6; ++i) {
    const auto block = testing::make_block(
        i == searched ? testing::Content::LongRuns : testing::Content::Smooth, 8, kBlockWords);
    bytes.insert(bytes.end(), block.begin(), block.end());
  }
  const data::Input input = input_of(bytes, synth::Precision::Double);
  ChoiceOptions options = from(small_space(), 1);
  options.numbers.candidates = 200;
  const Choice choice = choose(input, options);
  EXPECT_EQ(choice.blocks_searched, 1u);
  EXPECT_EQ(choice.blocks_total, 6u);
  options.numbers.candidates = 1;
  const Choice misled = choose(input, options);
  EXPECT_GT(misled.candidates.front().bytes, choice.candidates.front().bytes);
  EXPECT_EQ(choice.candidates.front().bytes,
            codec::compress(input.bytes(), choice.candidates.front().method.pipeline, 8).size());
}

TEST(Choose, TriesPipelinesOnceThatAreEqualByConstruction) {
  const data::Input input = several_chunks(synth::Precision::Double);
  ChoiceOptions options = from(small_space());
  options.numbers.candidates = 1'000'000;  // more than there are
  std::set<std::string> names;
  for (const Candidate& candidate : choose(input, options).candidates) {
    EXPECT_TRUE(names.insert(synth::to_string(candidate.method.pipeline)).second);
    EXPECT_EQ(synth::without_identities(candidate.method.pipeline), candidate.method.pipeline);
  }
  EXPECT_LE(names.size(), small_plan().leaves().size());
  EXPECT_GE(names.size(), small_plan().leaves().size() / 2);
}

TEST(Choose, ReportsEachStepToItsEnd) {
  const data::Input input = several_chunks(synth::Precision::Double);
  std::vector<ChoiceProgress> reports;
  ChoiceOptions options = from(small_space());
  options.numbers.narrowing = {{1, 8}};
  options.progress = [&](const ChoiceProgress& progress) { reports.push_back(progress); };
  choose(input, options);
  for (const auto step : {ChoiceProgress::Step::Searching, ChoiceProgress::Step::Narrowing,
                          ChoiceProgress::Step::Measuring, ChoiceProgress::Step::Verifying}) {
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
  ChoiceOptions options = from(space);
  const Choice good = choose(input, options);
  EXPECT_EQ(synth::to_string(good.candidates.front().method.pipeline), "INV ZE");
  const BrokenInversion broken;
  const auto table = broken.table();
  options.stages = &table;
  const Choice choice = choose(input, options);
  for (const Candidate& candidate : choice.candidates) {
    EXPECT_NE(synth::to_string(candidate.method.pipeline), "INV ZE");
  }
  options.numbers.space.components = {*synth::parse_component("INV")};
  options.numbers.space.cuts = {1, 2};
  EXPECT_THROW(choose(input, options), Error);
}

TEST(Choose, PreludesThatTheInputSuggestsAreMeasuredAsTheCodecWritesThem) {
  const data::Input input = periodic_input(20'000);
  EXPECT_TRUE(choose(input, from(small_space())).candidates.front().method.prelude.empty());
  ChoiceOptions options = with_preludes(small_space());
  std::vector<ChoiceProgress> reports;
  options.progress = [&](const ChoiceProgress& progress) { reports.push_back(progress); };
  const Choice choice = choose(input, options);
  EXPECT_GE(choice.preludes, 1u);
  ASSERT_GE(choice.finalists.size(), 2u);
  EXPECT_LE(choice.finalists.size(), 4u);
  EXPECT_FALSE(choice.finalists.front().empty());
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

TEST(Choose, LongerChunksAreTakenWhereTheyWin) {
  // Runs of 1500 words; in long chunks fewer of them are cut.
  std::vector<std::uint64_t> words(30'000);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = 0x0123'4567'89ab'cdefu * (i / 1500);
  const auto bytes = std::as_bytes(std::span(words));
  const data::Input input = input_of({bytes.begin(), bytes.end()}, synth::Precision::Double);
  ChoiceOptions options = from(small_space());
  options.numbers.narrowing = {{32, 8}};
  EXPECT_EQ(choose(input, options).candidates.front().chunk_words, 1024u);
  options.numbers.chunk_lengths = {1024, 2048, 4096};
  const Candidate best = choose(input, options).candidates.front();
  EXPECT_EQ(best.chunk_words, 16384u);
  EXPECT_EQ(
      best.bytes,
      codec::compress(input.bytes(), best.method.pipeline, 8, chunks_of(best.chunk_words)).size());
  // Of words of two bytes, chunks of as many bytes.
  const data::Input narrow = input_of({bytes.begin(), bytes.end()}, synth::Precision::Half);
  EXPECT_EQ(choose(narrow, options).candidates.front().chunk_words, 65536u);
}

TEST(Choose, MethodsGrowByStagesThatHelp) {
  const data::Input input = several_chunks(synth::Precision::Single);
  synth::Space space = small_space();
  space.stages = 1;
  space.cuts = {0, 1};
  ChoiceOptions options = from(space);
  options.numbers.narrowing = {{32, 16}};
  const Candidate one = choose(input, options).candidates.front();
  options.numbers.extensions = 3;
  options.numbers.parents = 16;
  const Candidate grown = choose(input, options).candidates.front();
  EXPECT_EQ(one.method.pipeline.stages.size(), 1u);
  EXPECT_GE(grown.method.pipeline.stages.size(), 2u);
  EXPECT_LT(grown.bytes, one.bytes);
}

TEST(Choose, ARaceFindsWhatASearchOfAllBlocksFinds) {
  const data::Input input = periodic_input(30'000);
  ChoiceOptions options = with_preludes(wide_space(3));
  const Candidate searched = choose(input, options).candidates.front();
  options.numbers.space = wide_space(2);
  options.numbers.race_stages = 3;
  options.numbers.race_blocks = 32;
  options.numbers.race_preludes = 2;
  options.numbers.narrowing = {{32, 32}};
  const Candidate raced = choose(input, options).candidates.front();
  EXPECT_LE(raced.bytes, searched.bytes);
}

TEST(Choose, ALargerEffortMakesNoLargerFile) {
  const EffortNumbers quick = from(small_space()).numbers;
  EffortNumbers normal = from(wide_space(), 1).numbers;  // alone, often worse
  normal.least_saving = 0.01;
  const EffortNumbers thorough = from(wide_space(), 2).numbers;
  std::size_t worse = 0, sets = 0;
  for (const data::SyntheticSet& set : data::synthetic_sets()) {
    SCOPED_TRACE(set.name);
    const data::Input input = data::make_input(set, 64 << 10);
    const bool large = ++sets % 2 == 0;
    const auto choice_of = [&](std::vector<EffortNumbers> smaller, const EffortNumbers& numbers) {
      ChoiceOptions options;
      if (large) options.largest_tried = 16 << 10;
      options.smaller = std::move(smaller);
      options.numbers = numbers;
      return choose(input, options);
    };
    const auto bytes_of = [](const Choice& choice) { return choice.candidates.front().bytes; };
    const std::uint64_t first = bytes_of(choice_of({}, quick));
    const Choice second = choice_of({quick}, normal);
    const Choice third = choice_of({quick, normal}, thorough);
    EXPECT_LE(bytes_of(second), first);
    EXPECT_LE(bytes_of(third), bytes_of(second));
    EXPECT_EQ(second.smaller_bytes, std::vector{first});
    EXPECT_EQ(third.smaller_bytes, (std::vector{first, bytes_of(second)}));
    EXPECT_EQ(second.pipelines, wide_space().size());  // what it tells is the effort's own
    worse += bytes_of(choice_of({}, normal)) > first ? 1 : 0;
  }
  EXPECT_GT(worse, 0u);
}

TEST(Choose, AnEntropyCodeIsFoundForNoise) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 1000);
  std::vector<std::int64_t> words(40'000);
  for (std::int64_t& word : words) word = std::int64_t(normal(random));
  const auto bytes = std::as_bytes(std::span(words));
  ChoiceOptions options;
  options.numbers = EffortNumbers::of(Effort::Quick);
  const Choice choice =
      choose(input_of({bytes.begin(), bytes.end()}, synth::Precision::Double), options);
  const std::string pipeline = to_string(choice.candidates.front().method.pipeline);
  EXPECT_NE(pipeline.find("BINS"), std::string::npos) << pipeline;
}

}  // namespace
}  // namespace fpsynth::search
