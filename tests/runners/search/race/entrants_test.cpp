// The test that decides which pipelines leave a race, and the container of those that stay.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "runners/search/race/entrants.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::search {
namespace {

using Sizes = std::vector<std::uint32_t>;

TEST(RandomChunks, AreEachDrawnOnceAndDependOnTheSeed) {
  for (const std::uint64_t population : {1u, 2u, 7u, 1000u}) {
    RandomChunks random(population, 5);
    std::set<std::uint64_t> drawn;
    for (std::uint64_t i = 0; i < population; ++i) drawn.insert(random.next());
    EXPECT_EQ(drawn.size(), population);
    EXPECT_EQ(*drawn.rbegin(), population - 1);
  }
  // Every number is as likely as the others to be drawn first.
  std::vector<int> first(10);
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) ++first[RandomChunks(10, seed).next()];
  for (const int times : first) EXPECT_NEAR(times, 1000, 150);
  // The same on every machine: std::mt19937_64 is defined to the bit.
  RandomChunks large(std::uint64_t{1} << 40, 1);
  const std::uint64_t one = large.next();
  EXPECT_EQ(one, std::mt19937_64(1)() % (std::uint64_t{1} << 40));
  EXPECT_NE(RandomChunks(std::uint64_t{1} << 40, 2).next(), one);
}

/// So many chunks drawn of one part.
Drawn drawn(std::uint64_t chunks, std::uint64_t population) {
  return {{0, population}, std::vector<std::uint8_t>(chunks, 1)};
}

/// The numbers of those of `rows` that stay beside a leader.
std::vector<std::uint32_t> stay(const LeavingTest& test, const std::vector<Sizes>& rows,
                                const Sizes& leader, double overhead = 0) {
  Sizes all;
  for (const Sizes& row : rows) all.insert(all.end(), row.begin(), row.end());
  std::vector<std::uint32_t> numbers;
  const Sizes none(rows.size());
  test.run({all, 1, leader.size()}, none, overhead, leader, 0, numbers);
  return numbers;
}

using Numbers = std::vector<std::uint32_t>;

TEST(LeavingTest, IsCertainOfAllChunks) {
  const LeavingTest test(drawn(3, 3), 0.01, 0);
  EXPECT_EQ(
      stay(test, {{100, 100, 101}, {100, 100, 100}, {99, 100, 100}, {0, 300, 0}}, {100, 100, 100}),
      (Numbers{1, 2, 3}));
  // 1 % of 300 is 3.
  const LeavingTest loose(drawn(3, 3), 0.01, 0.01);
  EXPECT_EQ(stay(loose, {{100, 100, 98}, {99, 99, 98}, {100, 100, 96}}, {100, 100, 100}),
            (Numbers{1, 2}));
  EXPECT_EQ(stay(test, {{99, 100, 100}}, {100, 100, 100}, 1.5), Numbers{});  // a prelude's bytes
  EXPECT_EQ(stay(LeavingTest(drawn(1, 1), 0.01, 0), {{5}, {6}}, {5}), (Numbers{0}));
}

TEST(LeavingTest, IsStudents) {
  // Differences 1, 2, 3, 4: mean 2.5, standard error sqrt(5/3/4) = 0.6455, t = 3.873; Student's
  // distribution with three degrees of freedom is above that with probability 0.01522.
  const std::vector<Sizes> row = {{101, 102, 103, 104}};
  const Sizes leader(4, 100);
  const Drawn of_many = drawn(4, 1'000'000'000);
  EXPECT_EQ(stay(LeavingTest(of_many, 0.0150, 0), row, leader), (Numbers{0}));
  EXPECT_EQ(stay(LeavingTest(of_many, 0.0154, 0), row, leader), Numbers{});
  // Of eight chunks, four leave half of the variance: t = 5.477, probability 0.00598.
  EXPECT_EQ(stay(LeavingTest(drawn(4, 8), 0.0059, 0), row, leader), (Numbers{0}));
  EXPECT_EQ(stay(LeavingTest(drawn(4, 8), 0.0061, 0), row, leader), Numbers{});
  // Pipelines that have left are counted with their probability, a little more because of the
  // table's steps.
  std::vector<std::uint32_t> numbers;
  const Sizes none = {0};
  const double lost =
      double(LeavingTest(of_many, 0.0154, 0).run({row[0], 1, 4}, none, 0, leader, 0, numbers)) /
      LeavingTest::kOne;
  EXPECT_GE(lost, 0.01522);
  EXPECT_LT(lost, 0.0154);
}

TEST(LeavingTest, KnowsTheFirstChunksFromTheOthers) {
  // Two of the first two chunks, and two of eight others: each of those stands for four.
  const Drawn parts{{2, 8}, {0, 0, 1, 1}};
  const LeavingTest test(parts, 0.01, 0);
  EXPECT_EQ(test.estimate(Sizes{1, 10, 100, 1000}), 1 + 10 + 400 + 4000);
  // 50 more in front, 10 less on each of eight others.
  EXPECT_EQ(stay(test, {{150, 100, 90, 90}, {190, 100, 90, 90}}, Sizes(4, 100)), (Numbers{0}));
  // The others differ by 4 or 6 more; two chunks say little of eight.
  EXPECT_EQ(stay(test, {{100, 100, 104, 106}}, Sizes(4, 100)), (Numbers{0}));
}

TEST(LeavingTest, DropsTheBetterOneAsOftenAsTheRiskSays) {
  // A pipeline that is better by a little, with differences as they are assumed to be.
  std::mt19937_64 random(3);
  std::normal_distribution<double> difference(-0.001, 100);
  const std::size_t chunks = 8, trials = 40'000;
  const LeavingTest test(drawn(chunks, std::uint64_t{1} << 40), 0.01, 0);
  const Sizes leader(chunks, 5000);
  std::size_t dropped = 0;
  for (std::size_t trial = 0; trial < trials; ++trial) {
    Sizes row;
    for (std::size_t i = 0; i < chunks; ++i) {
      row.push_back(std::uint32_t(std::lround(5000 + difference(random))));
    }
    dropped += stay(test, {row}, leader).empty();
  }
  EXPECT_NEAR(double(dropped) / trials, 0.01, 0.002);
}

TEST(Entrants, DoNotDependOnTheOrder) {
  Entrants one(2), other(2);
  const std::vector<std::pair<Entrant, Sizes>> all = {
      {{0, 5}, {10, 20}}, {{0, 7}, {10, 10}}, {{1, 5}, {10, 10}}, {{1, 6}, {90, 1}}};
  for (const auto& [who, sizes] : all) one.add(who, sizes);
  for (std::size_t i = all.size(); i-- > 0;) other.add(all[i].first, all[i].second);
  const std::vector<double> overheads = {0, 2};
  const LeavingTest test(drawn(2, 2), 0.01, 0);
  for (Entrants* entrants : {&one, &other}) {
    EXPECT_EQ(entrants->who(entrants->leader(test, overheads)), (Entrant{0, 7}));
    EXPECT_EQ(entrants->leader(test, std::vector<double>{3, 1}), entrants == &one ? 2u : 1u);
    EXPECT_EQ(entrants->shrink_to(3, test, overheads), 1u);
    EXPECT_EQ(entrants->shrink_to(3, test, overheads), 0u);
    entrants->sort();
    EXPECT_EQ(entrants->who(0), (Entrant{0, 5}));
    EXPECT_EQ(entrants->who(2), (Entrant{1, 5}));
    entrants->extend(Sizes{1, 2, 3}, 1);
    EXPECT_EQ(entrants->chunks(), 3u);
    EXPECT_EQ(Sizes(entrants->sizes(1).begin(), entrants->sizes(1).end()), (Sizes{10, 10, 2}));
  }
  EXPECT_EQ(one.bytes(), other.bytes());
  const Entrants back = Entrants::from(one.bytes(), 2, 100);
  EXPECT_EQ(back.bytes(), one.bytes());
  // Of all chunks, only the leader is left; its equals leave for a margin above 0.
  back.bytes();
  one.drop(LeavingTest(drawn(3, 3), 0.01, 0.001), overheads);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one.who(0), (Entrant{0, 7}));
}

TEST(Entrants, RefuseDamage) {
  Entrants entrants(1);
  entrants.add({0, 1}, Sizes{3});
  const std::vector<std::uint8_t> bytes = entrants.bytes();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(Entrants::from(std::span(bytes).first(length), 1, 2), Error);
  }
  EXPECT_EQ(Entrants::from(bytes, 1, 2).bytes(), bytes);
  // Those of another race would be looked up beyond this one's preludes or pipelines.
  EXPECT_THROW(Entrants::from(bytes, 0, 2), Error);
  EXPECT_THROW(Entrants::from(bytes, 1, 1), Error);
}

}  // namespace
}  // namespace fpsynth::search
