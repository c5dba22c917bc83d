// Suggestions where many lags are as good.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "components/preludes/registry.hpp"
#include "runners/data/structure/structure.hpp"
#include "tests/runners/data/structure/support.hpp"

namespace fpsynth::data {
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

}  // namespace
}  // namespace fpsynth::data
