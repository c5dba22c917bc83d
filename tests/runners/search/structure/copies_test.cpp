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

}  // namespace
}  // namespace fpsynth::search
