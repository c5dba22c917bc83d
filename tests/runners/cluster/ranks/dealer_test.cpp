// The dealer gives each chunk to one rank, in whole rounds, and more chunks to faster ranks.

#include "runners/cluster/ranks/dealer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace fpsynth::cluster {
namespace {

using results::ChunkRange;

void add(Dealer& dealer, std::size_t task, std::vector<ChunkRange> ranges, double cost = 1) {
  dealer.add(task, ranges, cost);
}

TEST(Dealer, DealsEveryChunkOnceInOrderAcrossTasks) {
  Dealer dealer(3);
  add(dealer, 0, {{0, 10}, {20, 1000}});
  add(dealer, 1, {{5, 6}}, 0.5);
  add(dealer, 2, {{7, 7}});  // nothing
  std::vector<Piece> expected = {{0, {0, 10}}, {0, {20, 1000}}, {1, {5, 6}, 0.5}};
  std::size_t turn = 0;
  for (const Piece& range : expected) {
    std::uint64_t next = range.chunks.begin;
    while (next < range.chunks.end) {
      EXPECT_TRUE(dealer.has(range.task));
      const std::size_t rank = turn++ % 3;
      const auto piece = dealer.next(rank);
      ASSERT_TRUE(piece);
      EXPECT_EQ(piece->task, range.task);
      EXPECT_EQ(piece->cost, range.cost);
      ASSERT_EQ(piece->chunks.begin, next);
      ASSERT_GT(piece->chunks.end, next);
      ASSERT_LE(piece->chunks.end, range.chunks.end);
      next = piece->chunks.end;
      dealer.walked(rank, *piece, double(piece->size()));
    }
  }
  for (std::size_t task = 0; task < 3; ++task) EXPECT_FALSE(dealer.has(task));
  for (std::size_t rank = 0; rank < 3; ++rank) EXPECT_FALSE(dealer.next(rank));
  EXPECT_EQ(dealer.left(), 0);
}

TEST(Dealer, GivesLittleUntilItKnowsASpeedThenMoreThenLess) {
  Dealer dealer(2);
  add(dealer, 0, {{0, 1000}});
  const auto first = dealer.next(0), other = dealer.next(1);
  ASSERT_TRUE(first && other);
  EXPECT_EQ(first->size(), 2u);
  EXPECT_EQ(other->size(), 2u);
  dealer.walked(0, *first, 0.02);
  dealer.walked(1, *other, 0.02);
  std::uint64_t before = 1000, dealt = 4;
  for (int turn = 0; const auto piece = dealer.next(turn % 2); ++turn) {
    EXPECT_LE(piece->size(), before);
    if (turn == 0) {
      EXPECT_EQ(piece->size(), 996u / 2 / 2);  // half of its share
    }
    before = piece->size();
    dealt += piece->size();
    dealer.walked(turn % 2, *piece, 0.01 * double(piece->size()));
  }
  EXPECT_EQ(before, 1u);
  EXPECT_EQ(dealt, 1000u);
}

TEST(Dealer, GivesAFasterRankMore) {
  Dealer dealer(2);
  add(dealer, 0, {{0, 100000}});
  const auto slow = dealer.next(0), fast = dealer.next(1);
  dealer.walked(0, *slow, 0.2);
  dealer.walked(1, *fast, 0.02);
  EXPECT_NEAR(double(dealer.next(1)->size()), 10 * double(dealer.next(0)->size()), 5000);
}

TEST(Dealer, TakesARankOfUnknownSpeedForOneLikeTheOthers) {
  Dealer dealer(3);
  dealer.set_at_once(2, 4);
  add(dealer, 0, {{0, 1000}});
  const auto first = dealer.next(0);
  dealer.walked(0, *first, 0.02);
  EXPECT_EQ(dealer.next(2)->size(), 8u);
  EXPECT_EQ(dealer.next(1)->size(), 2u);
  // Of 988, one of six: half of it.
  EXPECT_EQ(dealer.next(0)->size(), 82u);
}

TEST(Dealer, DealsWholeRoundsOfWhatARankWalksAtOnce) {
  Dealer dealer(2);
  dealer.set_at_once(0, 16);
  dealer.set_at_once(1, 5);
  add(dealer, 0, {{0, 1003}});
  std::uint64_t dealt = 0;
  for (int turn = 0; dealt < 1003; ++turn) {
    const auto piece = dealer.next(turn % 2);
    ASSERT_TRUE(piece);
    dealt += piece->size();
    if (dealt < 1003) {
      EXPECT_EQ(piece->size() % (turn % 2 == 0 ? 16 : 5), 0u);
    }
    dealer.walked(turn % 2, *piece, double(piece->size()));
  }
}

TEST(Dealer, KeepsPiecesToTheTimeThatItIsToldAlsoOfCostlyTasks) {
  Dealer dealer(1, 10);
  add(dealer, 0, {{0, 2}});
  add(dealer, 1, {{0, 1000000}}, 4);
  const auto first = dealer.next(0);
  dealer.walked(0, *first, 1);  // a chunk of cost 1 takes a second if this was one
  const double speed = double(first->size());
  while (dealer.has(0)) dealer.next(0);
  EXPECT_EQ(double(dealer.next(0)->size()), std::floor(10 * speed / 4));
}

TEST(Dealer, TellsWhatIsLeft) {
  Dealer dealer(1);
  EXPECT_EQ(dealer.left(), 0);
  EXPECT_FALSE(dealer.next(0));
  add(dealer, 0, {{0, 10}}, 2);
  EXPECT_EQ(dealer.left(), 20);
  const auto piece = dealer.next(0);
  EXPECT_EQ(dealer.left(), 20 - 2 * double(piece->size()));
}

}  // namespace
}  // namespace fpsynth::cluster
