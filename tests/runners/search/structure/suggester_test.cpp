// Suggestions where many lags are as good.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "components/preludes/registry.hpp"
#include "runners/search/structure/structure.hpp"
#include "tests/runners/search/structure/support.hpp"

namespace fpsynth::search {
namespace {

/// Rows of 48 columns, each of which is a walk of its own size and pace.
std::vector<float> walks() {
  constexpr std::size_t kColumns = 48;
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::vector<double> at(kColumns), pace(kColumns);
  for (std::size_t c = 0; c < kColumns; ++c) {
    pace[c] = std::exp2(double(random() % 12) - 20);
    at[c] = std::exp2(double(random() % 9));
  }
  std::vector<float> values;
  for (std::size_t row = 0; row < 1500; ++row) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      at[c] *= 1 + pace[c] * normal(random);
      values.push_back(float(at[c]));
    }
  }
  return values;
}

TEST(Suggester, FewCandidatesHaveColumnsAndNoneTheSameRowsSeveralTimes) {
  std::vector<std::uint32_t> words;
  for (const float value : walks()) words.push_back(std::bit_cast<std::uint32_t>(value));
  const Structure found = find_structure(input_of(words));
  std::size_t with_columns = 0;
  std::string suggestions;
  for (const PreludeCandidate& candidate : found.candidates) {
    const auto& steps = candidate.prelude.steps;
    const auto columns = std::ranges::find(steps, preludes::Dim::wire, &synth::PreludeStep::kind);
    suggestions += to_string(candidate.prelude) + "\n";
    if (columns == steps.end()) continue;
    ++with_columns;
    EXPECT_EQ(columns->parameter, 48u) << to_string(candidate.prelude);
  }
  EXPECT_GT(with_columns, 0u) << suggestions;
  EXPECT_LE(with_columns, 3u) << suggestions;
  EXPECT_LT(with_columns, found.candidates.size()) << suggestions;
}

/// Planes of 40 rows of 48 columns. What a cell holds is its own; what it gains from plane to plane
/// is much like what the cell a row before gains.
std::vector<double> planes_that_gain_alike() {
  constexpr std::size_t kRows = 40, kColumns = 48;
  std::mt19937_64 random(12);
  std::normal_distribution<double> normal;
  std::vector<double> at(kRows * kColumns), values;
  for (double& cell : at) cell = 1000 + 100 * normal(random);
  for (std::size_t plane = 0; plane < 40; ++plane) {
    for (std::size_t x = 0; x < kColumns; ++x) {
      const double gain = normal(random);
      for (std::size_t y = 0; y < kRows; ++y) {
        at[y * kColumns + x] += gain * (1 + 0.01 * double(y)) + 1e-3 * normal(random);
      }
    }
    values.insert(values.end(), at.begin(), at.end());
  }
  return values;
}

TEST(Suggester, RowsAreFoundInDifferencesOfPlanes) {
  std::vector<std::uint64_t> words;
  for (const double value : planes_that_gain_alike()) {
    words.push_back(std::bit_cast<std::uint64_t>(value));
  }
  const Structure found = find_structure(input_of(words));
  ASSERT_FALSE(found.lags.empty());
  EXPECT_EQ(found.lags.front().lag, 1920u);
  EXPECT_EQ(found.lags.front().behind, 0u);
  const auto row = std::ranges::find(found.lags, 48u, &LagFinding::lag);
  ASSERT_NE(row, found.lags.end());
  EXPECT_EQ(row->behind, 1920u);
  EXPECT_GT(row->correlation, 0.8);
  ASSERT_FALSE(found.candidates.empty());
  EXPECT_EQ(to_string(found.candidates.front().prelude), "LAGs:48 LAGs:1920");
}

/// Noise through a resonance, as of speech, which differences alone do not take out.
TEST(Suggester, PredictionIsFoundWhereWordsFollowFromSeveral) {
  std::mt19937_64 random(13);
  std::normal_distribution<double> normal;
  std::vector<std::uint32_t> words;
  double before = 0, earlier = 0;
  for (std::size_t i = 0; i < 40'000; ++i) {
    const double now = 0.9 * before - 0.95 * earlier + 20 * normal(random);
    words.push_back(std::uint32_t(std::int32_t(now)));
    earlier = before, before = now;
  }
  const Structure found = find_structure(input_of(words, synth::ValueKind::Signed));
  ASSERT_FALSE(found.candidates.empty());
  EXPECT_EQ(found.candidates.front().prelude.steps.back().kind, preludes::Lpc::wire)
      << to_string(found.candidates.front().prelude);
  // There is nothing to predict in noise.
  for (const PreludeCandidate& candidate :
       find_structure(input_of(noise<std::uint32_t>(40'000))).candidates) {
    EXPECT_NE(candidate.prelude.steps.back().kind, preludes::Lpc::wire);
  }
}

}  // namespace
}  // namespace fpsynth::search
