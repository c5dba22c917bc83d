#include "runners/data/statistics.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "runners/data/input.hpp"
#include "tests/runners/data/real_data.hpp"

namespace fpsynth::data {
namespace {

using synth::Precision;

template <typename Values>
Statistics statistics(const Values& values, Precision precision = Precision::Double) {
  return statistics_of(std::as_bytes(std::span(values)), precision);
}

TEST(Statistics, KnownDistribution) {
  const Statistics found = statistics(std::array{1.0, 3.0, 2.0, 1.0});
  EXPECT_EQ(found.bytes, 32u);
  EXPECT_EQ(found.values, 4u);
  EXPECT_EQ(found.tail, 0u);
  EXPECT_EQ(found.unique, 3u);
  EXPECT_DOUBLE_EQ(found.unique_percent, 75);
  EXPECT_DOUBLE_EQ(found.entropy_bits, 1.5);
  EXPECT_DOUBLE_EQ(found.randomness_percent, 100 * 1.5 / std::log2(3));
}

TEST(Statistics, AllDifferent) {
  std::vector<std::uint32_t> values(1024);
  for (std::uint32_t i = 0; i < 1024; ++i) values[i] = i * 2654435761u;
  const Statistics found = statistics(values, Precision::Single);
  EXPECT_EQ(found.unique, 1024u);
  EXPECT_DOUBLE_EQ(found.entropy_bits, 10);
  EXPECT_DOUBLE_EQ(found.randomness_percent, 100);
}

TEST(Statistics, OneValueOrNone) {
  const Statistics constant = statistics(std::vector<double>(100, 2.5));
  EXPECT_EQ(constant.unique, 1u);
  EXPECT_EQ(constant.entropy_bits, 0);
  EXPECT_EQ(constant.randomness_percent, 0);
  const Statistics none = statistics(std::array<char, 5>{});
  EXPECT_EQ(none.values, 0u);
  EXPECT_EQ(none.tail, 5u);
  EXPECT_EQ(none.unique_percent, 0);
}

TEST(Statistics, ToldApartByBits) {
  const double nan = std::nan("");
  const Statistics found = statistics(std::array{0.0, -0.0, nan, nan});
  EXPECT_EQ(found.unique, 3u);
}

TEST(Statistics, TailIsNoValue) {
  const std::array<char, 19> bytes{};
  EXPECT_EQ(statistics(bytes).values, 2u);
  EXPECT_EQ(statistics(bytes).tail, 3u);
  EXPECT_EQ(statistics(bytes, Precision::Single).values, 4u);
  EXPECT_EQ(statistics(bytes).bytes, 19u);
}

TEST(Statistics, LONG_RealFileGivesTableOne) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  const Input input = open_input(path);
  EXPECT_EQ(input.name(), "num_plasma");
  const Statistics found = statistics_of(input.bytes(), Precision::Double);
  EXPECT_EQ(found.values, 4'386'200u);
  EXPECT_NEAR(found.unique_percent, 0.3, 0.05);
  EXPECT_NEAR(found.entropy_bits, 13.65, 0.005);
  EXPECT_NEAR(found.randomness_percent, 99.4, 0.05);
  EXPECT_NEAR(static_cast<double>(found.bytes) / (1 << 20), 33.5, 0.05);
  EXPECT_EQ(statistics_of(input.in(Precision::Single).bytes(), Precision::Single).values,
            4'386'200u);
}

}  // namespace
}  // namespace fpsynth::data
