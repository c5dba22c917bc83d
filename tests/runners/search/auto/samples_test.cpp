// Samples of inputs, which decide what is tried on all of large ones, and the numbers of efforts.

#include "runners/search/auto/samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/search/auto/effort.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/search/auto/support.hpp"

namespace fpsynth::search {
namespace {

/// Smooth blocks, and zeros behind them, as MATCH leaves them.
data::Input with_zeros(std::size_t smooth, std::size_t zeros) {
  std::vector<std::byte> bytes =
      testing::make_block(testing::Content::Smooth, 8, smooth * kBlockWords);
  bytes.resize(bytes.size() + 8 * kBlockWords * zeros);
  return input_of(bytes, synth::Precision::Double);
}

TEST(Choose, OneBlockIsSampledOfATailOfEqualWordsBeforeAllOthersAre) {
  const Sample sample({with_zeros(7, 93), 0}, 32, {});
  EXPECT_EQ(sample.places().count(), 32u);
  for (const std::uint64_t count : {2, 5, 8, 32}) {
    double words = 0;
    std::uint64_t of_tail = 0;
    for (const Places::Block& block : sample.places().first(count)) {
      words += block.weight * double(block.words);
      of_tail += block.number < 7 ? 0 : 1;
    }
    EXPECT_EQ(of_tail, count <= 8 ? 1 : count - 7);
    EXPECT_NEAR(words, 100 * kBlockWords, 1e-3);
  }
  // As an input, it has seven of a hundred blocks that are not zeros.
  const data::Input part = sample.input(30);
  const auto bytes = part.bytes();
  EXPECT_EQ(part.view().words, 30 * kBlockWords);
  EXPECT_NE(std::ranges::count(bytes.subspan(2 * 8 * kBlockWords, 8 * kBlockWords), std::byte{0}),
            8 * kBlockWords);
  EXPECT_EQ(std::ranges::count(bytes.subspan(3 * 8 * kBlockWords), std::byte{0}),
            27 * 8 * kBlockWords);
}

/// Words of each kind that preludes are for: a period, decimals of which some are off, few values
/// in no order, and copies.
std::vector<data::Input> inputs_for_preludes(std::size_t words) {
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> decimals, few, copies, keys(3000);
  for (std::uint64_t& key : keys) key = random();
  std::int64_t sum = 100'000;
  while (copies.size() < words) {
    sum += std::int64_t(random() % 41) - 20;
    const double off = random() % 50 == 0 ? 1e-9 : 0;
    decimals.push_back(std::bit_cast<std::uint64_t>(double(sum) / 100 + off));
    few.push_back(keys[random() % keys.size()]);
    const std::size_t i = copies.size(), from = i / 100 * 5;
    copies.push_back(i % 200 < 100 || i < 1000 ? random() : copies[from + i % 100]);
  }
  std::vector<data::Input> inputs = {periodic_input(words)};
  for (const auto& values : {decimals, few, copies}) {
    const auto bytes = std::as_bytes(std::span(values));
    inputs.push_back(input_of({bytes.begin(), bytes.end()}, synth::Precision::Double));
  }
  return inputs;
}

TEST(Choose, OfLargeInputsSamplesDecideAndAllWordsMeetTheWinnerAlone) {
  std::set<std::uint8_t> first_steps;
  for (const data::Input& input : inputs_for_preludes(100'000)) {
    ChoiceOptions options = with_preludes(small_space());
    options.numbers.narrowing = {{32, 8}};
    const Candidate best = choose(input, options).candidates.front();
    ASSERT_FALSE(best.method.prelude.empty());
    SCOPED_TRACE(synth::to_string(best.method));
    options.largest_tried = input.bytes().size() / 2;
    const Choice choice = choose(input, options);
    ASSERT_EQ(choice.candidates.size(), 1u);
    const Candidate& found = choice.candidates.front();
    EXPECT_EQ(found.bytes, codec::compress(input.bytes(), found.method, 8).size());
    EXPECT_LT(double(found.bytes), 1.03 * double(best.bytes)) << synth::to_string(found.method);
    ASSERT_FALSE(found.method.prelude.empty());
    first_steps.insert(found.method.prelude.steps.front().kind);
  }
  EXPECT_GE(first_steps.size(), 2u);
}

TEST(Choose, SamplesOfLargeInputsAreTheWordsBehindPreludes) {
  const SearchOptions options;
  for (const data::Input& input : inputs_for_preludes(50'000)) {
    for (const std::string name :
         {"LAGs:1 LAGx:1300 LAGs:20000", "DEC:2 LAGs:1", "DICT LAGs:7", "DEC:2 DICT LAGs:1",
          "DIM:13 LAGs:1 GCD:512", "ORD LAGs:1 DIM:300", "LAGs:1 LPC:1024",
          "RAT:128:10:100 LAGs:3"}) {
      const synth::Prelude prelude = synth::parse_prelude(name);
      SCOPED_TRACE(name);
      const Sample all = Sampler(input, UINT64_MAX, options)(prelude, 8, {});
      // Only a whole input has a tail of words that MATCH leaves, or that become equal.
      if (all.places().tail() < all.places().all()) continue;
      const Sample few = Sampler(input, 1000, options)(prelude, 8, {});
      EXPECT_TRUE(std::ranges::equal(all.input(8).bytes(), few.input(8).bytes()));
      // Exceptions are about as many in all of it.
      const double estimate = double(few.overhead_bytes()), right = double(all.overhead_bytes());
      EXPECT_NEAR(estimate, right, 100 + 0.15 * right);
    }
  }
}

TEST(Choose, LargeInputsGetNoPreludes) {
  const data::Input input = periodic_input(5'000);
  ChoiceOptions options = with_preludes(small_space());
  options.largest_with_preludes = input.bytes().size() - 1;
  const Choice choice = choose(input, options);
  EXPECT_TRUE(choice.too_large);
  EXPECT_EQ(choice.preludes, 0u);
  EXPECT_TRUE(choice.candidates.front().method.prelude.empty());
  options.largest_with_preludes = input.bytes().size();
  EXPECT_FALSE(choose(input, options).too_large);
}

TEST(Effort, HasMoreOfEverythingTheMoreIsSpent) {
  EXPECT_EQ(to_string(parse_effort("thorough")), "thorough");
  EXPECT_THROW(parse_effort("great"), UsageError);
  const EffortNumbers quick = EffortNumbers::of(Effort::Quick),
                      normal = EffortNumbers::of(Effort::Normal),
                      thorough = EffortNumbers::of(Effort::Thorough);
  for (const auto& [less, more] : {std::pair(&quick, &normal), std::pair(&normal, &thorough)}) {
    EXPECT_LT(less->parents, more->parents);
    EXPECT_LT(less->preludes, more->preludes);
    EXPECT_LT(less->candidates, more->candidates);
    EXPECT_EQ(less->race_blocks, 0u);
  }
  EXPECT_GT(thorough.race_blocks, 0u);
  for (const EffortNumbers& numbers : {quick, normal, thorough}) {
    // Those of the registry, all of them, and chunks of every length that is searched.
    std::vector<synth::Component> all = numbers.space.components;
    all.insert(all.end(), numbers.with_tables.begin(), numbers.with_tables.end());
    std::ranges::sort(all);
    EXPECT_EQ(all, synth::registered_components());
    EXPECT_EQ(numbers.space.last, synth::reducers(numbers.space.components));
    EXPECT_EQ(numbers.chunk_lengths, (std::vector<std::size_t>{1024, 2048, 4096}));
  }
}

TEST(Effort, SearchesComponentsWithTablesBehindFewStagesOnWords) {
  const EffortNumbers numbers = EffortNumbers::of(Effort::Normal);
  ASSERT_FALSE(numbers.with_tables.empty());
  const std::vector<synth::Space> spaces = numbers.spaces(numbers.space.stages);
  ASSERT_EQ(spaces.size(), 2u);
  EXPECT_EQ(spaces[0].stages, numbers.space.stages);
  EXPECT_EQ(spaces[1].stages, numbers.table_stages);
  EXPECT_EQ(spaces[1].last, numbers.with_tables);
  EXPECT_EQ(spaces[1].cuts, std::vector<unsigned>{numbers.table_stages});
  // Few stages are few for both.
  for (const synth::Space& space : numbers.spaces(2)) EXPECT_EQ(space.stages, 2u);
}

}  // namespace
}  // namespace fpsynth::search
