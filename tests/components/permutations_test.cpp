// The order in which lanes of a thread block move words when dimensions are grouped.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "components/teams/block_permutations.hpp"

namespace fpsynth::teams {
namespace {

template <class W>
class DiagonalOrders : public ::testing::Test {};
using Words = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(DiagonalOrders, Words);

constexpr std::uint32_t kPowers[] = {2, 4, 8, 16, 32, 64};

TYPED_TEST(DiagonalOrders, MoveEveryWordOnceToItsPlace) {
  for (const std::uint32_t k : kPowers) {
    for (const std::uint32_t n : {1u, 2u, 31u, 64u, 77u, 1000u, 1023u, 1024u, 5001u}) {
      const DiagonalOrder<TypeParam> order(n, k);
      const DimensionOrder expected(n, k);
      std::vector<int> moved(n);
      for (std::uint32_t i = 0; i < 32 * k; ++i) {
        auto move = order.of(i / 32, i % 32, order.ahead(i % 32));
        for (; move.from < n; move = order.next(move)) {
          ++moved[move.from];
          ASSERT_EQ(move.to, expected.of(move.from)) << k << " of " << n;
        }
      }
      ASSERT_EQ(moved, std::vector<int>(n, 1)) << k << " of " << n;
    }
  }
}

/// Cycles that shared memory, which has 32 banks of four bytes, takes for words at these indices:
/// half a warp at a time for 8-byte words.
std::size_t cycles(const std::vector<std::uint32_t>& indices, std::size_t word_bytes) {
  const std::size_t together = word_bytes == 8 ? 16 : 32;
  std::size_t sum = 0;
  for (std::size_t begin = 0; begin < indices.size(); begin += together) {
    std::map<std::size_t, std::set<std::size_t>> rows_of_bank;
    for (std::size_t i = begin; i < std::min(begin + together, indices.size()); ++i) {
      for (std::size_t byte = 0; byte < word_bytes; byte += 4) {
        const std::size_t at = (indices[i] * word_bytes + byte) / 4;
        rows_of_bank[at % 32].insert(at / 32);
      }
    }
    std::size_t most = 0;
    for (const auto& [bank, rows] : rows_of_bank) most = std::max(most, rows.size());
    sum += most;
  }
  return sum;
}

TYPED_TEST(DiagonalOrders, HaveNoBankConflictsInAChunk) {
  constexpr std::uint32_t n = 8192 / sizeof(TypeParam);
  constexpr std::size_t kLeast = sizeof(TypeParam) == 8 ? 2 : 1;
  for (const std::uint32_t k : kPowers) {
    if (k == 64 && sizeof(TypeParam) < 4) continue;  // two in a write
    const DiagonalOrder<TypeParam> order(n, k);
    for (std::uint32_t turn = 0; turn < k; ++turn) {
      for (std::uint32_t row = 0; row < n / k; row += 32) {
        std::vector<std::uint32_t> from, to;
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          auto move = order.of(turn, lane, order.ahead(lane));
          for (std::uint32_t r = 0; r < row; r += 32) move = order.next(move);
          from.push_back(move.from);
          to.push_back(move.to);
        }
        ASSERT_EQ(cycles(from, sizeof(TypeParam)), kLeast) << k << ", turn " << turn;
        ASSERT_EQ(cycles(to, sizeof(TypeParam)), kLeast) << k << ", turn " << turn;
      }
    }
  }
}

}  // namespace
}  // namespace fpsynth::teams
