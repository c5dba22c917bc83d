// Copies that leave the words, beside what preludes_test.cpp has for all steps.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "components/preludes/match.hpp"
#include "components/preludes/rev.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/cpu/prelude_table.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec {
namespace {

template <class W>
class Matches : public ::testing::Test {};
using Words = ::testing::Types<std::uint64_t, std::uint32_t>;
TYPED_TEST_SUITE(Matches, Words);

/// The words behind MATCH, and the numbers of copies.
template <class W>
struct Matched {
  explicit Matched(std::vector<W> in) : words(std::move(in)) {
    auto* const bytes = reinterpret_cast<std::byte*>(words.data());
    const auto& steps = preludes_beside(components::default_stages()).of<W>();
    SideMemory<W> side;
    EXPECT_EQ(steps.forward(preludes::Match::wire, bytes, bytes, words.size(), 0, 1, side.data),
              Status::Ok);
    numbers.assign(side.data.selectors, side.data.selectors + side.data.selector_words);
  }
  std::vector<W> words;
  std::vector<std::uint32_t> numbers;
};

template <class W>
std::vector<W> noise_words(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<W> words(count);
  for (W& word : words) word = W(random());
  return words;
}

/// In place as well as to another place, which preludes_test.cpp does.
TYPED_TEST(Matches, RowsThatStoodBeforeLeave) {
  using W = TypeParam;
  const std::vector<W> row = noise_words<W>(512, 1), other = noise_words<W>(512, 2);
  std::vector<W> words;
  for (const std::vector<W>& next : {row, other, row, row, other}) {
    words.insert(words.end(), next.begin(), next.end());
  }
  const Matched<W> matched(words);
  // The last two are one copy: their sources follow one another.
  EXPECT_EQ(matched.numbers, (std::vector<std::uint32_t>{1024, 1024, 512, 1536, 0, 512}));
  EXPECT_TRUE(std::equal(words.begin(), words.begin() + 1024, matched.words.begin()));
  EXPECT_TRUE(std::all_of(matched.words.begin() + 1024, matched.words.end(),
                          [](W word) { return word == 0; }));
}

/// Its source is no literal any more where the copy is extended to what stands before it.
TYPED_TEST(Matches, WhatRepeatsAtOnceIsNoCopyOfItself) {
  using W = TypeParam;
  for (const std::size_t period : {1, 2, 3, 31, 32, 33, 100}) {
    const std::vector<W> once = noise_words<W>(period, 3);
    std::vector<W> words;
    while (words.size() < 5000) words.insert(words.end(), once.begin(), once.end());
    const Matched<W> matched(words);
    const std::size_t copies = matched.numbers.size() / 3;
    if (period < preludes::kShortestCopy) {
      EXPECT_EQ(copies, 0u) << period;
    }
    for (std::size_t i = 0; i < copies; ++i) {
      const std::size_t before = i > 0 ? matched.numbers[copies + i - 1] : 0;
      EXPECT_LE(matched.numbers[copies + i] - before, period + preludes::kShortestCopy);
    }
  }
}

TYPED_TEST(Matches, ForgedCopiesAreRefused) {
  using W = TypeParam;
  const PreludeTable& table = preludes_beside(components::default_stages());
  const auto backward = [&](std::size_t n, std::vector<std::uint32_t> numbers) {
    std::vector<W> words(n);
    for (std::size_t i = 0; i < n; ++i) words[i] = W(i);
    SideData<W> side;
    side.selectors = numbers.data();
    side.selector_words = numbers.size();
    return table.of<W>().backward(preludes::Match::wire, reinterpret_cast<std::byte*>(words.data()),
                                  n, 0, 1, side);
  };
  constexpr std::uint32_t kMost = ~std::uint32_t{0};
  // Literals before each copy, words of copies up to its end, those before it less its source.
  EXPECT_EQ(backward(64, {}), Status::Ok);
  EXPECT_EQ(backward(64, {32, 32, 0}), Status::Ok);
  EXPECT_EQ(backward(100, {33, 32, kMost}), Status::Ok);
  EXPECT_EQ(backward(96, {32, 32, 32, 64, 0, 32}), Status::Ok);
  EXPECT_EQ(backward(63, {32, 32, 0}), Status::Damaged);  // behind the end
  EXPECT_EQ(backward(95, {32, 32, 32, 64, 0, 32}), Status::Damaged);
  EXPECT_EQ(backward(64, {32, 32, kMost}), Status::Damaged);  // of a word that is no literal yet
  EXPECT_EQ(backward(64, {32, 32, 1}), Status::Damaged);
  EXPECT_EQ(backward(64, {31, 32, 0}), Status::Damaged);
  EXPECT_EQ(backward(64, {0, 32, 0}), Status::Damaged);
  EXPECT_EQ(backward(96, {32, 32, 32, 64, 0, 31}), Status::Damaged);
  EXPECT_EQ(backward(96, {32, 32, 32, 64, 0, 33}), Status::Damaged);
  EXPECT_EQ(backward(64, {32, 31, 0}), Status::Damaged);  // too short
  EXPECT_EQ(backward(64, {32, 0, 0}), Status::Damaged);
  EXPECT_EQ(backward(100, {32, 32, 32, 63, 0, 32}), Status::Damaged);
  EXPECT_EQ(backward(100, {33, 32, 32, 64, 0, 32}), Status::Damaged);  // not ascending
  EXPECT_EQ(backward(100, {32, 32, 32, 0, 0, 32}), Status::Damaged);
  EXPECT_EQ(backward(64, {kMost, 32, 0}), Status::Damaged);
  EXPECT_EQ(backward(64, {32, kMost, 0}), Status::Damaged);
  EXPECT_EQ(backward(96, {kMost, kMost, kMost, kMost, kMost, kMost}), Status::Damaged);
  EXPECT_EQ(backward(100, {32, 32}), Status::Damaged);  // no third number
  EXPECT_EQ(backward(100, {32, 32, 32, 32, 32, 64, 96, 128, 0, 32, 64, 96}), Status::Damaged);
  EXPECT_EQ(backward(31, {0, 0, 0}), Status::Damaged);
  EXPECT_EQ(backward(0, {0, 0, 0}), Status::Damaged);
  EXPECT_EQ(backward(0, {}), Status::Ok);
}

TYPED_TEST(Matches, TurnedCopiesAreWholeRecords) {
  using W = TypeParam;
  const PreludeTable& table = preludes_beside(components::default_stages());
  std::vector<W> words;
  const auto backward = [&](std::vector<std::uint32_t> numbers) {
    words.assign(26, 0);
    for (std::size_t i = 0; i < 16; ++i) words[i] = W(i);
    SideData<W> side;
    side.selectors = numbers.data();
    side.selector_words = numbers.size();
    return table.of<W>().backward(preludes::Rev::wire, reinterpret_cast<std::byte*>(words.data()),
                                  words.size(), 2, 1, side);
  };
  constexpr std::uint32_t kMost = ~std::uint32_t{0};
  EXPECT_EQ(backward({14, 10, kMost - 2}), Status::Ok);  // of the words from 3 on
  EXPECT_EQ(words, (std::vector<W>{0,  1,  2,  3, 4,  5, 6, 7, 8, 9, 10, 11, 12,
                                   13, 11, 12, 9, 10, 7, 8, 5, 6, 3, 4,  14, 15}));
  EXPECT_EQ(backward({14, 9, 0}), Status::Damaged);   // half a record
  EXPECT_EQ(backward({14, 6, 0}), Status::Damaged);   // too short
  EXPECT_EQ(backward({9, 10, 0}), Status::Damaged);   // of words that are no literals yet
  EXPECT_EQ(backward({18, 10, 0}), Status::Damaged);  // behind the end
}

}  // namespace
}  // namespace fpsynth::codec
