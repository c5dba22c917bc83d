// The choice of sections for one input.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/codec/compact.hpp"
#include "runners/search/auto/choose.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/search/support.hpp"

namespace fpsynth::search {
namespace {

/// Pipelines alone, of up to two stages, with little effort.
ChoiceOptions little_effort() {
  ChoiceOptions options;
  options.numbers = {};
  options.numbers.space = small_plan().space();
  options.numbers.chunk_lengths = {options.numbers.space.chunk_words};
  options.numbers.blocks = 4;
  options.numbers.candidates = 4;
  return options;
}

/// Counts that rise slowly, behind noise in the lower bits of values around 4, if there is any.
data::Input two_parts(std::size_t noisy, std::size_t counts, std::size_t tail = 0) {
  std::mt19937 random(1);
  std::vector<float> values;
  for (std::size_t i = 0; i < noisy; ++i) values.push_back(3 + float(random() % 65536) / 65536);
  for (std::size_t i = 0; i < counts; ++i) values.push_back(float(i / 8 % 5000 + random() % 4));
  const auto bytes = std::as_bytes(std::span(values));
  std::vector<std::byte> all(bytes.begin(), bytes.end());
  all.resize(all.size() + tail, std::byte{7});
  return {"parts", std::move(all), synth::Precision::Single};
}

std::vector<std::byte> compressed(const data::Input& input, const SectionChoice& choice) {
  std::vector<codec::Section> sections;
  for (const auto& [words, found] : choice.sections) {
    const Candidate& best = found.candidates.front();
    sections.push_back({words, best.method, best.chunk_words});
  }
  return codec::compress_sections(input.bytes(), sections, synth::word_bytes(input.native()));
}

TEST(ChooseSections, FindsThemWhereTheyPay) {
  // Differences serve the second part, and make the first one longer.
  const data::Input input = two_parts(70000, 80000, 3);
  ChoiceOptions options;
  options.numbers = EffortNumbers::of(Effort::Quick);
  options.numbers.preludes = 0;
  const SectionChoice choice = choose_sections(input, options);
  ASSERT_EQ(choice.sections.size(), 2u);
  EXPECT_NEAR(double(choice.sections[0].words), 70000, 16);
  EXPECT_EQ(choice.sections[0].words + choice.sections[1].words, 150000u);
  const std::vector<std::byte> file = compressed(input, choice);
  EXPECT_EQ(choice.bytes, file.size());
  ASSERT_TRUE(choice.single);
  EXPECT_LT(double(file.size()), 0.995 * double(choice.single->bytes));
  const std::vector<std::byte> original = codec::decompress(file);
  EXPECT_TRUE(std::ranges::equal(original, input.bytes()));
}

TEST(ChooseSections, ALargerEffortMakesNoLargerFile) {
  // The larger effort alone has no component that helps.
  const data::Input input = two_parts(70000, 80000);
  ChoiceOptions options = little_effort();
  const SectionChoice smaller = choose_sections(input, options);
  EXPECT_EQ(smaller.sections.size(), 2u);
  options.numbers.space.components = {*synth::parse_component("INV")};
  const SectionChoice alone = choose_sections(input, options);
  EXPECT_GT(alone.bytes, smaller.bytes);
  options.smaller = {little_effort().numbers};
  const SectionChoice larger = choose_sections(input, options);
  EXPECT_LE(larger.bytes, smaller.bytes);
  EXPECT_EQ(larger.smaller_bytes, std::vector{smaller.bytes});
  EXPECT_EQ(larger.bytes, compressed(input, larger).size());
}

TEST(ChooseSections, LeavesWhatIsAlikeInOne) {
  for (const data::Input& input :
       {two_parts(150000, 0), two_parts(0, 150000), two_parts(500, 900)}) {
    const SectionChoice choice = choose_sections(input, little_effort());
    ASSERT_EQ(choice.sections.size(), 1u);
    EXPECT_EQ(choice.sections.front().words, input.view().words);
    EXPECT_EQ(choice.bytes, compressed(input, choice).size());
    EXPECT_EQ(choice.bytes, choose(input, little_effort()).candidates.front().bytes);
    EXPECT_FALSE(choice.single);
  }
}

/// Times, decimals and one of 50 roots of 3,000 records, in rows or column by column.
TEST(ChooseSections, ColumnsOfATableHaveAMethodEach) {
  std::mt19937 random(1);
  // Of 3,000 rows, what the values hold at least is more than 0.8 of the best method for all
  // columns.
  constexpr std::size_t kRows = 1000;
  std::vector<double> rows(3 * kRows), columns(3 * kRows);
  for (std::size_t row = 0; row < kRows; ++row) {
    const double record[] = {1e9 + 60 * double(row), double(random() % 5000) / 100,
                             std::sqrt(double(2 + random() % 50))};
    for (std::size_t i = 0; i < 3; ++i) rows[3 * row + i] = columns[i * kRows + row] = record[i];
  }
  for (const bool in_rows : {true, false}) {
    const auto bytes = std::as_bytes(std::span(in_rows ? rows : columns));
    data::Input input("table", {bytes.begin(), bytes.end()}, synth::Precision::Double);
    if (!in_rows) input = input.shaped({3, kRows});
    ChoiceOptions options;
    options.numbers = EffortNumbers::of(Effort::Quick);
    options.cuts = false;
    options.columns = options.compact = true;
    const SectionChoice choice = choose_sections(input, options);
    ASSERT_EQ(choice.sections.size(), 3u) << in_rows;
    EXPECT_EQ(synth::to_string(choice.before), in_rows ? "DIM:3" : "");
    std::vector<codec::Section> sections;
    for (const auto& [words, found] : choice.sections) {
      EXPECT_EQ(words, kRows);
      const Candidate& best = found.candidates.front();
      sections.push_back({words, best.method, best.chunk_words});
    }
    const auto file =
        codec::compacted(codec::compress_sections(input.bytes(), sections, 8, {}, choice.before));
    EXPECT_TRUE(std::ranges::equal(codec::decompress(file), input.bytes()));
    EXPECT_EQ(file.size(), choice.bytes);
    EXPECT_LT(double(file.size()), 0.8 * double(choice.single->bytes));
    options.columns = false;
    EXPECT_EQ(choose_sections(input, options).sections.size(), 1u);
  }
}

TEST(ChooseSections, TakesLengthsThatAreGiven) {
  const data::Input input = two_parts(3000, 2000, 2);
  for (const std::vector<std::uint64_t>& lengths :
       {std::vector<std::uint64_t>{5000}, {3000, 2000}, {1, 4998, 1}}) {
    const SectionChoice choice = choose_for(input, lengths, little_effort());
    ASSERT_EQ(choice.sections.size(), lengths.size());
    EXPECT_FALSE(choice.single);
    const std::vector<std::byte> file = compressed(input, choice);
    EXPECT_EQ(choice.bytes, file.size());
    EXPECT_TRUE(std::ranges::equal(codec::decompress(file), input.bytes()));
  }
  EXPECT_THROW(choose_sections(two_parts(0, 0, 3), little_effort()), Error);
}

}  // namespace
}  // namespace fpsynth::search
