#include "runners/search/structure/structure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "components/preludes/match.hpp"
#include "tests/runners/search/structure/support.hpp"

namespace fpsynth::search {
namespace {

template <class W>
class Copies : public ::testing::Test {};
using WordTypes = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Copies, WordTypes);

bool takes_copies(const PreludeCandidate& candidate) {
  return candidate.prelude.steps.front().kind == preludes::Match::wire;
}

TYPED_TEST(Copies, CopiesAreTakenOutWhereThereAreMany) {
  using W = TypeParam;
  constexpr std::size_t kRow = 700;
  const auto found_for = [&](std::size_t different) {
    const std::vector<W> rows = noise<W>(100 * kRow);
    std::mt19937_64 random(9);
    std::vector<W> words;
    for (std::size_t row = 0; row < 100; ++row) {
      const std::size_t from = kRow * (row < different ? row : random() % different);
      words.insert(words.end(), &rows[from], &rows[from] + kRow);
    }
    return find_structure(input_of(words, synth::ValueKind::Unsigned));
  };
  const Structure found = found_for(40);
  EXPECT_TRUE(takes_copies(found.candidates.at(0)));
  EXPECT_NEAR(found.candidates.front().score, 2.5, 0.2);
  EXPECT_LE(std::ranges::count_if(found.candidates, takes_copies), 8);
  for (const std::size_t different : {99, 100}) {
    const Structure none = found_for(different);
    EXPECT_EQ(std::ranges::count_if(none.candidates, takes_copies), 0);
  }
}

/// Outlines of areas, of which every second one ends with a border of the one before it.
TYPED_TEST(Copies, SharedBordersAreTakenOut) {
  using W = TypeParam;
  constexpr std::size_t kPoints = 200, kShared = 80;
  const std::vector<W> points = noise<W>(100 * 2 * kPoints);
  std::vector<W> words;
  for (std::size_t area = 0; area < 100; ++area) {
    const W* const outline = &points[2 * kPoints * area];
    const std::size_t own = area % 2 == 0 ? kPoints : kPoints - kShared;
    words.insert(words.end(), outline, outline + 2 * own);
    for (std::size_t point = own; point < kPoints; ++point) {
      const W* const shared = outline - 2 * (point - own + 1);
      words.insert(words.end(), shared, shared + 2);
    }
  }
  const Structure found = find_structure(input_of(words, synth::ValueKind::Unsigned));
  EXPECT_EQ(to_string(found.candidates.at(0).prelude.steps.front()), "REV:2");
  EXPECT_NEAR(found.candidates.front().score, 1.25, 0.05);
}

}  // namespace
}  // namespace fpsynth::search
