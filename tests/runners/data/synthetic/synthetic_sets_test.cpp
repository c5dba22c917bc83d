#include "runners/data/synthetic/synthetic_sets.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runners/data/fpc/fpc.hpp"
#include "runners/data/statistics.hpp"
#include "runners/data/synthetic/common.hpp"
#include "synth/common/error.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::data {
namespace {

TEST(MadeSets, TheSameToTheBit) {
  const std::map<std::string_view, std::uint64_t> checksums = {
      {"msg_adi", 0xf3bbd1702755a9e7},    {"msg_heat", 0x14edc65f61a7131d},
      {"msg_hydro", 0xa036f94cbec3e4f3},  {"msg_shallow", 0xb71a2d27bdce8cae},
      {"msg_sweep", 0x9b95c1ab46d490bd},  {"num_control", 0x6b6ff40ddfa8757f},
      {"num_lorenz", 0xeb411e2b33879497}, {"num_nbody", 0x6dad291800a4fae5},
      {"num_pinch", 0x2cac83167e67c250},  {"obs_residual", 0xcfc413c3ed925099},
      {"obs_sensor", 0x84c0ffd3ad32678e}, {"obs_track", 0xc903af87408ad755},
      {"obs_transit", 0x22d75f431db2130b}};
  ASSERT_EQ(synthetic_sets().size(), checksums.size());
  for (const SyntheticSet& set : synthetic_sets()) {
    const Input input = make_input(set);
    EXPECT_EQ(input.bytes().size(), kSyntheticBytes);
    EXPECT_EQ(input.name(), set.name);
    ASSERT_TRUE(checksums.contains(set.name)) << set.name;
    EXPECT_EQ(XXH3_64bits(input.bytes().data(), input.bytes().size()), checksums.at(set.name))
        << set.name;
  }
}

TEST(MadeSets, FamiliesOfThePapers) {
  std::map<std::string_view, int> kinds;
  std::set<std::string_view> names;
  for (const SyntheticSet& set : synthetic_sets()) {
    ++kinds[set.kind];
    EXPECT_TRUE(names.insert(set.name).second) << set.name;
    EXPECT_TRUE(set.name.starts_with(set.kind)) << set.name;
    EXPECT_GE(set.dimensionality, 1u);
    EXPECT_FALSE(set.description.empty());
    EXPECT_EQ(synthetic_set(set.name).make, set.make);
  }
  EXPECT_EQ(kinds, (std::map<std::string_view, int>{{"msg", 5}, {"num", 4}, {"obs", 4}}));
}

TEST(MadeSets, SmallerIsAPrefix) {
  for (const SyntheticSet& set : synthetic_sets()) {
    const std::vector<double> big = set.make(5000);
    ASSERT_EQ(big.size(), 5000u) << set.name;
    for (const std::size_t values : {1, 2, 1023}) {
      EXPECT_EQ(set.make(values), std::vector<double>(big.begin(), big.begin() + values))
          << set.name << " " << values;
    }
  }
}

TEST(MadeSets, FiniteAndNeitherTrivialNorAllHard) {
  int hard = 0, easy = 0;
  for (const SyntheticSet& set : synthetic_sets()) {
    const Input input = make_input(set);
    for (const double value : set.make(kSyntheticBytes / 8)) {
      ASSERT_TRUE(std::isfinite(value)) << set.name;
    }
    const Statistics found = statistics_of(input.bytes(), Precision::Double);
    EXPECT_GT(found.unique, 100u) << set.name;
    EXPECT_GT(found.entropy_bits, 5) << set.name;
    const double ratio = static_cast<double>(input.bytes().size()) /
                         static_cast<double>(encode_fpc(input.bytes(), 16).size());
    EXPECT_GT(ratio, 1) << set.name;
    EXPECT_LT(ratio, 3) << set.name;
    hard += ratio < 1.15;
    easy += ratio > 1.4;
  }
  EXPECT_GE(hard, 2);
  EXPECT_GE(easy, 3);
}

TEST(MadeSets, LONG_StableWhenLonger) {
  // Solvers and recurrences must not drift off or settle to a constant.
  for (const SyntheticSet& set : synthetic_sets()) {
    const std::vector<double> values = set.make(std::size_t{1} << 20);
    std::set<double> end;
    for (std::size_t i = values.size() - 4096; i < values.size(); ++i) {
      ASSERT_TRUE(std::isfinite(values[i])) << set.name;
      end.insert(values[i]);
    }
    EXPECT_GT(end.size(), 30u) << set.name;
  }
}

TEST(MadeSets, RefusesSizesAndNames) {
  const SyntheticSet& set = synthetic_sets()[0];
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{12}, kMaxSyntheticBytes + 8}) {
    EXPECT_THROW(make_input(set, bytes), UsageError) << bytes;
  }
  EXPECT_TRUE(tests::contains(tests::message_of([] { synthetic_set("msg_bt"); }), "msg_heat"));
}

TEST(MadeCommon, ReferenceSequences) {
  // splitmix64 and xoshiro256** from their published definitions, seed 0.
  synthetic::Random random(0);
  EXPECT_EQ(random.bits(), 0x99ec5f36cb75f2b4u);
  EXPECT_EQ(random.bits(), 0xbf6e1f784956452au);
}

TEST(MadeCommon, AnglesAgreeWithLibm) {
  for (double x : {0.0, 1e-9, 0.3, 1.0, 2.5, 1e6, -0.7}) {
    EXPECT_NEAR(synthetic::arctan(x), std::atan(x), 1e-14) << x;
    EXPECT_NEAR(synthetic::arctan2(x, -1.5), std::atan2(x, -1.5), 1e-14) << x;
  }
  EXPECT_EQ(synthetic::arctan2(0, 0), 0);
  synthetic::Rotor rotor(0.25);
  for (int i = 0; i < 100000; ++i) rotor.step();
  EXPECT_NEAR(rotor.cos * rotor.cos + rotor.sin * rotor.sin, 1, 1e-15);
  EXPECT_NEAR(rotor.cos, std::cos(100000 * 2 * std::atan(0.25)), 1e-9);
}

}  // namespace
}  // namespace fpsynth::data
