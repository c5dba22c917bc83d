// The places where an input's statistics change.

#include "runners/search/structure/cuts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <span>
#include <vector>

namespace fpsynth::search {
namespace {

template <class T>
data::Input input_as(const std::vector<T>& values, synth::ValueType type) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::ranges::copy(std::as_bytes(std::span(values)), bytes.begin());
  return {"parts", std::move(bytes), type};
}

/// Appends `count` values.
template <class T>
void append(std::vector<T>& values, std::size_t count, const std::function<double()>& value) {
  for (std::size_t i = 0; i < count; ++i) values.push_back(T(value()));
}

std::vector<std::uint64_t> sorted(std::vector<std::uint64_t> cuts) {
  std::ranges::sort(cuts);
  return cuts;
}

TEST(Cuts, AreWhereVariablesMeet) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<float> values;
  double walk = 0;
  append(values, 143043, [&] { return 4 + normal(random); });
  append(values, 100000, [&] { return 0.01 * normal(random); });
  append(values, 200017, [&] { return 300 + (walk += 0.001 * normal(random)); });
  const auto cuts = find_cuts(input_as(values, {synth::Precision::Single}));
  ASSERT_EQ(cuts.size(), 2u);
  const auto found = sorted(cuts);
  EXPECT_NEAR(double(found[0]), 143043, 8);
  EXPECT_NEAR(double(found[1]), 243043, 8);
  // The same values as doubles, and rounded to integers.
  EXPECT_EQ(find_cuts(input_as(std::vector<double>(values.begin(), values.end()), {})).size(), 2u);
  std::vector<std::int64_t> integers;
  for (const float value : values) integers.push_back(std::llround(1e4 * double(value)));
  const synth::ValueType type(synth::Precision::Double, synth::ValueKind::Signed);
  const auto whole = sorted(find_cuts(input_as(integers, type)));
  ASSERT_EQ(whole.size(), 2u);
  EXPECT_NEAR(double(whole[1]), 243043, 8);
}

TEST(Cuts, AreNowhereInWhatIsAlike) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> noise, mixed, wave;
  append(noise, 400000, [&] { return normal(random); });
  // Variables that take turns, value by value and row by row.
  std::size_t count = 0;
  append(mixed, 400000, [&] { return (count++ / 500 % 3 + 1) * 1000 + normal(random); });
  count = 0;
  append(wave, 400000, [&] { return std::sin(double(count++) / 997) + 2; });
  for (const auto& values : {noise, mixed, wave})
    EXPECT_TRUE(find_cuts(input_as(values, {})).empty());
}

TEST(Cuts, LeaveSectionsOfALengthAndANumber) {
  std::vector<double> values;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<std::uint64_t> ends;
  for (int part = 0; part < 20; ++part) {
    append(values, 20000 + 1000 * part, [&] { return std::pow(10, part % 5) * normal(random); });
    ends.push_back(values.size());
  }
  CutOptions options;
  options.shortest = 10000;
  options.sections = 4;
  std::vector<std::uint64_t> found = sorted(find_cuts(input_as(values, {}), options));
  ASSERT_EQ(found.size(), 3u);
  options.sections = 30;
  found = sorted(find_cuts(input_as(values, {}), options));
  // Pieces in which two parts meet may leave one more.
  EXPECT_LE(found.size(), 20u) << ::testing::PrintToString(found);
  ends.pop_back();
  for (const std::uint64_t end : ends) {
    const auto is_near = [&](std::uint64_t at) { return at + 16 > end && at < end + 16; };
    EXPECT_TRUE(std::ranges::any_of(found, is_near)) << end << ::testing::PrintToString(found);
  }
  options.shortest = 50000;
  found = sorted(find_cuts(input_as(values, {}), options));
  found.insert(found.begin(), 0);
  found.push_back(values.size());
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_GE(found[i], found[i - 1] + 50000);
  options.shortest = values.size() / 2 + 1;
  EXPECT_TRUE(find_cuts(input_as(values, {}), options).empty());
  EXPECT_TRUE(find_cuts(input_as(std::vector<double>(), {})).empty());
}

}  // namespace
}  // namespace fpsynth::search
