// The table of distinct words and the sort of DICT, beside obvious code. preludes_test.cpp tests
// the step.

#include "runners/codec/cpu/steps/word_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "components/preludes/dict.hpp"
#include "runners/codec/cpu/steps/ranked.hpp"

namespace fpsynth::codec {
namespace {

struct Level {};

template <class W>
class WordTables : public ::testing::Test {
 protected:
  using Words = std::vector<W>;

  /// Numbers the words in place, and compares the table and what is sorted of it with what the
  /// words are.
  static void check(const Words& words, std::size_t parts) {
    SCOPED_TRACE(std::to_string(words.size()) + " words, " + std::to_string(parts) + " parts");
    Words slots = words;
    auto* const bytes = reinterpret_cast<std::byte*>(slots.data());
    WordTable<Level, W> table;
    ASSERT_TRUE(table.number(bytes, bytes, words.size(), parts));
    std::map<W, W> slot_of;  // by keys
    std::set<W> taken;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto [at, is_new] = slot_of.emplace(preludes::Dict::key(words[i]), slots[i]);
      ASSERT_EQ(at->second, slots[i]) << i;
      ASSERT_EQ(taken.insert(slots[i]).second, is_new) << i;
    }
    ASSERT_EQ(table.count(), slot_of.size());
    ASSERT_LT(table.count(), table.slots());
    KeyedSlots<Level, W> items;
    ASSERT_TRUE(items.sort(table, int(parts), [](W word) { return preludes::Dict::key(word); }));
    std::size_t rank = 0;
    for (const auto& [key, slot] : slot_of) {
      ASSERT_EQ(items[rank].key, key) << rank;
      ASSERT_EQ(items[rank].slot, slot) << rank;
      table.set(slot, W(rank++));
    }
    table.replace(bytes, 0, words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto at = slot_of.find(preludes::Dict::key(words[i]));
      ASSERT_EQ(items[std::size_t(slots[i])].key, at->first) << i;
    }
  }

  /// `n` words with `distinct` different ones in no order.
  static Words mixed(std::size_t n, std::size_t distinct) {
    std::mt19937_64 random(n + distinct);
    Words values(distinct), words(n);
    for (W& value : values) value = W(random());
    for (std::size_t i = 0; i < n; ++i) {
      words[i] = values[i < distinct ? i : random() % distinct];
    }
    return words;
  }
};
using WordTypes = ::testing::Types<std::uint64_t, std::uint32_t>;
TYPED_TEST_SUITE(WordTables, WordTypes);

TYPED_TEST(WordTables, HaveEveryWordOnceWhereTheyGrowAndWhereTheSortChanges) {
  // A table is left at 1/3 of 4096 slots, at 1/8 where there are many words for each slot, and the
  // sort changes at 512.
  for (const std::size_t distinct : {1, 511, 512, 513, 1365, 1366, 4097, 10922, 10923, 87382}) {
    for (const std::size_t n : {distinct, std::size_t{100000}}) {
      this->check(this->mixed(n, distinct), 1);
      this->check(this->mixed(n, distinct), 5);
    }
  }
}

TYPED_TEST(WordTables, TellTheWordsApartThatStandForNoWord) {
  using W = TypeParam;
  for (const std::vector<W>& words :
       {std::vector<W>{0}, std::vector<W>{1}, std::vector<W>{0, 1}, std::vector<W>{1, 0, 0, 1},
        std::vector<W>{W(~W{0}), 0, 1, 2}}) {
    this->check(words, 1);
  }
  for (const W first : {W{0}, W{1}}) {
    std::vector<W> words(3 * 4096);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = W(first + i);
    this->check(words, 1);
    this->check(words, 3);
  }
}

/// The product of this and the hash's usual factor is 1.
std::uint64_t inverse_factor() {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15u;
  std::uint64_t inverse = kFactor;
  for (int i = 0; i < 6; ++i) inverse *= 2 - kFactor * inverse;
  EXPECT_EQ(inverse * kFactor, 1u);
  return inverse;
}

/// All of these words are looked for in the first slot, or in the last one, and are found one
/// behind the other.
TEST(WordTable, HasWordsThatAreLookedForInTheSameSlot) {
  const std::uint64_t inverse = inverse_factor();
  std::vector<std::uint64_t> words;
  for (std::uint64_t i = 0; i < 700; ++i) {
    words.push_back(i * inverse);
    words.push_back((UINT64_MAX - i) * inverse);
  }
  words.insert(words.end(), words.rbegin(), words.rend());
  WordTable<Level, std::uint64_t> table;
  std::vector<std::uint64_t> slots = words;
  auto* const bytes = reinterpret_cast<std::byte*>(slots.data());
  ASSERT_TRUE(table.number(bytes, bytes, words.size(), 1));
  EXPECT_EQ(table.count(), 1400u);
  EXPECT_EQ(std::set<std::uint64_t>(slots.begin(), slots.end()).size(), 1400u);
  for (std::size_t i = 0; i < words.size(); ++i) {
    ASSERT_EQ(slots[i], slots[words.size() - 1 - i]) << i;
  }
}

/// Words whose products with the hash's factor all have the same first 24 bits: they must not stay
/// one behind the other, where looking for each passes half of the others.
TEST(WordTable, SpreadsWordsThatWereChosenForOneSlot) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> words(6000);
  for (std::uint64_t& word : words) word = (random() >> 24) * inverse_factor();
  for (const std::size_t parts : {1, 3}) {
    WordTable<Level, std::uint64_t> table;
    std::vector<std::uint64_t> slots = words;
    auto* const bytes = reinterpret_cast<std::byte*>(slots.data());
    ASSERT_TRUE(table.number(bytes, bytes, words.size(), parts));
    EXPECT_EQ(table.count(), words.size());
    std::size_t longest = 0;
    for (std::size_t at = 0, taken = 0; at < table.slots(); ++at) {
      taken = table.count(at, at + 1) > 0 ? taken + 1 : 0;
      longest = std::max(longest, taken);
    }
    EXPECT_LT(longest, words.size() / 4);
    for (std::size_t i = 0; i < words.size(); ++i) table.set(slots[i], i);
    table.replace(bytes, 0, words.size());
    for (std::size_t i = 0; i < words.size(); ++i) ASSERT_EQ(slots[i], i);
  }
}

/// One part adds nearly all words: its share of the table's room is not all of it.
TYPED_TEST(WordTables, TakeNewWordsFromAnyPart) {
  using W = TypeParam;
  for (const std::size_t rich : {0, 2, 4}) {
    std::vector<W> words(200000);
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = i / 40000 == rich ? W(i * W(0x9e3779b97f4a7c15u)) : W(i % 7);
    }
    this->check(words, 5);
  }
}

}  // namespace
}  // namespace fpsynth::codec
