#include "runners/search/structure/structure.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "components/preludes/rat.hpp"
#include "tests/runners/data/real_data.hpp"
#include "tests/runners/search/structure/support.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::search {
namespace {

using synth::parse_prelude;
using synth::Prelude;

template <class W>
class Structures : public ::testing::Test {};
using WordTypes = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Structures, WordTypes);

bool suggests(const Structure& structure, const std::string& prelude) {
  return std::ranges::find(structure.candidates, parse_prelude(prelude),
                           &PreludeCandidate::prelude) != structure.candidates.end();
}

bool has_lag(const Structure& structure, std::uint64_t lag) {
  return std::ranges::find(structure.lags, lag, &LagFinding::lag) != structure.lags.end();
}

std::string suggestions(const Structure& structure) {
  std::string text;
  for (const PreludeCandidate& candidate : structure.candidates) {
    text += to_string(candidate.prelude) + "\n";
  }
  return text;
}

/// Checks the promises that every answer keeps.
void check(const Structure& structure, std::size_t word_bytes, std::size_t most) {
  EXPECT_LE(structure.candidates.size(), most);
  std::set<Prelude> seen;
  for (const PreludeCandidate& candidate : structure.candidates) {
    const std::string text = to_string(candidate.prelude);
    EXPECT_FALSE(candidate.prelude.empty());
    EXPECT_EQ(synth::defect(candidate.prelude, word_bytes), "") << text;
    EXPECT_TRUE(seen.insert(candidate.prelude).second) << text << " is there twice";
    EXPECT_FALSE(candidate.reason.empty()) << text;
    EXPECT_GT(candidate.bits, 0) << text;
    EXPECT_NEAR(candidate.score, structure.bits / candidate.bits, 1e-9) << text;
    for (const synth::PreludeStep& step : candidate.prelude.steps) {
      if (synth::prelude_traits(step.kind).shape == preludes::Shape::Lagged) {
        EXPECT_LT(step.parameter, structure.words) << text;
      }
    }
  }
}

TYPED_TEST(Structures, SuggestsSecondDifferencesWhereEachPlaceOfAPeriodChangesEvenly) {
  using W = TypeParam;
  constexpr std::size_t kPeriod = 462;
  const std::vector<W> first = noise<W>(kPeriod), slopes = noise<W>(kPeriod);
  std::vector<W> words;
  constexpr unsigned kBits = 8 * sizeof(W);
  for (W time = 0; time < 100; ++time) {
    for (std::size_t i = 0; i < kPeriod; ++i) {
      // Alike in sign and exponent; a slope of a third of the bits.
      words.push_back((W{0x3f} << (kBits - 8)) + (first[i] >> (kBits / 4)) +
                      time * (slopes[i] >> (kBits * 2 / 3)));
    }
  }
  const Structure found = find_structure(input_of(words));
  check(found, sizeof(W), 32);
  ASSERT_FALSE(found.candidates.empty());
  EXPECT_EQ(to_string(found.candidates.front().prelude), "LAGs:462 LAGs:462") << suggestions(found);
}

bool has_fractions(const PreludeCandidate& candidate) {
  return candidate.prelude.steps.front().kind == preludes::Rat::wire;
}

TYPED_TEST(Structures, FractionsWithSeveralDenominatorsAreFound) {
  using W = TypeParam;
  std::mt19937_64 random(3);
  const double denominators[] = {100, 24400, 32768, 1576};
  std::vector<W> words;
  for (std::size_t i = 0; i < 60000; ++i) {
    double value = (20000 - double(random() % 40000)) / denominators[i / 1500 % 4];
    if (i % 700 == 0) value = 1e30;
    words.push_back(std::bit_cast<W>(static_cast<ValueOf<W>>(value)));
  }
  const Structure found = find_structure(input_of(words));
  check(found, sizeof(W), 32);
  ASSERT_FALSE(found.candidates.empty());
  ASSERT_TRUE(has_fractions(found.candidates.front())) << suggestions(found);
  // Where two meet, others may do for both.
  const preludes::Divisors& divisors = found.candidates.front().prelude.steps.front().divisors;
  for (const double denominator : denominators) {
    const auto* const end = divisors.of + divisors.count;
    EXPECT_NE(std::find(divisors.of, end, std::uint64_t(denominator)), end) << suggestions(found);
  }
}

/// The candidates for values of random numbers.
template <class W, class Value>
Structure found_in(Value value) {
  std::mt19937_64 random(5);
  std::vector<W> words;
  for (std::size_t i = 0; i < 30000; ++i) {
    words.push_back(std::bit_cast<W>(static_cast<ValueOf<W>>(value(double(random() % 900000)))));
  }
  return find_structure(input_of(words));
}

TYPED_TEST(Structures, ConvertedDecimalsAndSignificantDigitsAreFound) {
  using W = TypeParam;
  using Value = ValueOf<W>;
  constexpr bool kDouble = sizeof(W) == 8;
  const Value degree = Value(3.14159265358979323846 / 180);
  for (const Value back : {Value(1), degree}) {  // to radians, and to degrees again
    const Structure turned = found_in<W>([&](double x) {
      return Value(Value(Value(kDouble ? x / 100 : std::fmod(x, 4000)) * degree) / back);
    });
    const auto fractions = std::ranges::find_if(turned.candidates, has_fractions);
    ASSERT_NE(fractions, turned.candidates.end()) << suggestions(turned);
    EXPECT_LT(fractions->bits, kDouble ? 25 : 16) << suggestions(turned);
  }
  const auto spread = [](double x) { return std::exp(x / 3e4 - 12); };
  const Structure digits =
      found_in<W>([&](double x) { return std::stod(fmt::format("{:.5g}", spread(x))); });
  EXPECT_EQ(to_string(digits.candidates.front().prelude.steps.front()), "SIG:5")
      << suggestions(digits);
  if (!kDouble) return;
  const Structure singles =
      found_in<W>([&](double x) { return std::stod(fmt::format("{}", float(spread(x)))); });
  EXPECT_EQ(to_string(singles.candidates.front().prelude.steps.front()), "SIG:0")
      << suggestions(singles);
}

TYPED_TEST(Structures, FractionsAreNotSuggestedForOtherValues) {
  using W = TypeParam;
  for (const std::vector<W>& words : {noise<W>(20000), grid<W>(1, 300, 101)}) {
    const Structure found = find_structure(input_of(words));
    EXPECT_TRUE(std::ranges::none_of(found.candidates, has_fractions)) << suggestions(found);
  }
  for (const std::size_t words : {0, 1, 2, 7, 127, 129}) {
    check(find_structure(input_of(std::vector<W>(words, W{5}))), sizeof(W), 32);
  }
}

/// Repeats noise of these periods.
template <class W>
void expect_periods(const std::vector<std::size_t>& periods) {
  for (const std::size_t period : periods) {
    const std::vector<W> once = noise<W>(period);
    std::vector<W> words;
    while (words.size() < 4 * period + 5000) words.insert(words.end(), once.begin(), once.end());
    const Structure found = find_structure(input_of(words));
    check(found, sizeof(W), 32);
    ASSERT_FALSE(found.lags.empty()) << period;
    EXPECT_EQ(found.lags.front().lag, period);
    EXPECT_EQ(found.lags.front().equal_share, 1);
    EXPECT_GT(found.lags.front().repeat_share, 0.7) << period;
    EXPECT_TRUE(suggests(found, "LAGs:" + std::to_string(period)));
    EXPECT_TRUE(suggests(found, "LAGx:" + std::to_string(period)));
    EXPECT_GT(found.candidates.front().score, 3.5) << suggestions(found);
    // No multiple of it says more.
    EXPECT_FALSE(has_lag(found, 2 * period));
  }
}

TYPED_TEST(Structures, WhatRepeatsIsFound) { expect_periods<TypeParam>({37, 1823}); }
TYPED_TEST(Structures, LONG_WhatRepeatsIsFoundWhateverItsPeriod) {
  expect_periods<TypeParam>({18200, 70001});
}

TYPED_TEST(Structures, ALagMayBeLongerThanHalfTheInput) {
  using W = TypeParam;
  std::vector<W> words = noise<W>(30000);
  std::copy(words.begin(), words.begin() + 10000, words.begin() + 20000);
  const Structure found = find_structure(input_of(words));
  ASSERT_FALSE(found.lags.empty());
  EXPECT_EQ(found.lags.front().lag, 20000u);
  EXPECT_TRUE(suggests(found, "LAGx:20000")) << suggestions(found);
  // The words before it stay, so it gains a third at most.
  EXPECT_LT(found.candidates.front().score, 1.6);
}

TYPED_TEST(Structures, RowsAreFoundWithoutAShape) {
  using W = TypeParam;
  const Structure found = find_structure(input_of(grid<W>(1, 300, 101)));
  check(found, sizeof(W), 32);
  ASSERT_FALSE(found.lags.empty());
  EXPECT_EQ(found.lags.front().lag, 101u);
  EXPECT_FALSE(found.lags.front().from_shape);
  EXPECT_GT(found.lags.front().correlation, 0.9);
  EXPECT_TRUE(suggests(found, "LAGs:101")) << suggestions(found);
  EXPECT_TRUE(found.shape.empty());
}

TYPED_TEST(Structures, LONG_PlanesBeyondWhatIsComparedAreFoundByTheirRows) {
  using W = TypeParam;
  const Structure found = find_structure(input_of(grid<W>(7, 300, 301)));
  EXPECT_TRUE(suggests(found, "LAGs:90300")) << suggestions(found);
  EXPECT_TRUE(has_lag(found, 90300));
}

TYPED_TEST(Structures, StridesOfTheShapeAreLags) {
  using W = TypeParam;
  const data::Input input = input_of(grid<W>(5, 60, 70)).shaped({5, 60, 70});
  const Structure found = find_structure(input);
  check(found, sizeof(W), 32);
  EXPECT_EQ(found.shape, (std::vector<std::uint64_t>{5, 60, 70}));
  for (const std::uint64_t stride : {70u, 4200u}) {
    const auto lag = std::ranges::find(found.lags, stride, &LagFinding::lag);
    ASSERT_NE(lag, found.lags.end()) << stride;
    EXPECT_TRUE(lag->from_shape);
  }
  EXPECT_TRUE(suggests(found, "LAGs:70 LAGs:4200")) << suggestions(found);
  EXPECT_TRUE(suggests(found, "LAGs:1 LAGs:4200")) << suggestions(found);
  // The options' shape is taken instead of the input's.
  const Structure other = find_structure(input, {.shape = {300, 70}});
  EXPECT_EQ(other.shape, (std::vector<std::uint64_t>{300, 70}));
}

TYPED_TEST(Structures, ShapesThatAreNotTheInputsDoNoHarm) {
  using W = TypeParam;
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const std::vector<std::uint64_t>& shape : {std::vector<std::uint64_t>{},
                                                  {0},
                                                  {1},
                                                  {7, 0, 3},
                                                  {1, 1, 1},
                                                  {most, most, most},
                                                  {2, 1, 500, 1},
                                                  {5, 100000}}) {
    const data::Input input = input_of(noise<W>(1000));
    check(find_structure(input, {.shape = shape}), sizeof(W), 32);
  }
}

TYPED_TEST(Structures, DecimalsWithExceptions) {
  using W = TypeParam;
  std::mt19937_64 random(3);
  std::vector<W> words;
  for (std::size_t i = 0; i < 20000; ++i) {
    const double decimal = double(int(random() % 20001) - 10000) / 100;
    words.push_back(std::bit_cast<W>(static_cast<ValueOf<W>>(decimal)));
  }
  for (std::size_t i = 0; i < words.size(); i += 100) {
    words[i] = std::bit_cast<W>(std::numeric_limits<ValueOf<W>>::quiet_NaN());
  }
  const Structure found = find_structure(input_of(words));
  check(found, sizeof(W), 32);
  ASSERT_EQ(found.decimals.size(), 3u);
  EXPECT_EQ(found.decimals.back().digits, 2u);
  EXPECT_NEAR(found.decimals.back().share, 0.99, 0.005);
  EXPECT_NEAR(found.decimals.back().bits, 12.3, 0.3);
  EXPECT_LT(found.decimals[1].share, 0.2);
  EXPECT_TRUE(suggests(found, "DEC:2")) << suggestions(found);
  EXPECT_GT(found.sign_changes, 0.4);
}

TYPED_TEST(Structures, IntegersHaveNoDecimalsAndNoOrderOfFloats) {
  using W = TypeParam;
  std::mt19937_64 random(3);
  constexpr W kStep = 1000003;
  std::vector<W> words;  // of both signs
  for (std::size_t i = 0; i < 20000; ++i)
    words.push_back(kStep * (static_cast<W>(random() % 64) - 32));
  const data::Input floats = input_of(words);
  const Structure as_floats = find_structure(floats);
  EXPECT_TRUE(suggests(as_floats, "ORD")) << suggestions(as_floats);
  for (const auto kind : {synth::ValueKind::Signed, synth::ValueKind::Unsigned}) {
    const Structure found =
        find_structure(data::Input::borrowed("test", floats.bytes(), {kPrecisionOf<W>, kind}));
    check(found, sizeof(W), 32);
    EXPECT_EQ(found.type, synth::ValueType(kPrecisionOf<W>, kind));
    EXPECT_TRUE(found.decimals.empty());
    EXPECT_TRUE(suggests(found, "DICT")) << suggestions(found);
    const std::string all = suggestions(found);
    EXPECT_FALSE(tests::contains(all, "ORD") || tests::contains(all, "DEC")) << all;
  }
}

TYPED_TEST(Structures, AFillValueAmongDecimalsCostsLittle) {
  using W = TypeParam;
  std::mt19937_64 random(6);
  std::vector<W> words;
  for (std::size_t i = 0; i < 30000; ++i) {
    const double decimal = double(random() % 100000) / 1000;
    const double value = i / 500 % 2 == 0 ? decimal : -1e34;
    words.push_back(std::bit_cast<W>(static_cast<ValueOf<W>>(value)));
  }
  const Structure found = find_structure(input_of(words));
  check(found, sizeof(W), 32);
  EXPECT_NEAR(found.decimals.back().share, 0.5, 0.05);
  EXPECT_TRUE(suggests(found, "DEC:3")) << suggestions(found);
  const auto dec =
      std::ranges::find(found.candidates, parse_prelude("DEC:3"), &PreludeCandidate::prelude);
  ASSERT_NE(dec, found.candidates.end());
  // Half of the words are integers of 17 bits.
  EXPECT_GT(dec->bits, 8);
  EXPECT_LT(dec->bits, 12);
}

TYPED_TEST(Structures, DistinctValues) {
  using W = TypeParam;
  const std::vector<W> values = noise<W>(600);
  std::mt19937_64 random(4);
  std::vector<W> words;
  for (std::size_t i = 0; i < 40000; ++i) words.push_back(values[random() % values.size()]);
  const Structure found = find_structure(input_of(words));
  check(found, sizeof(W), 32);
  EXPECT_TRUE(found.distinct.all);
  EXPECT_EQ(found.distinct.count, 600u);
  EXPECT_EQ(found.distinct.of, 40000u);
  ASSERT_FALSE(found.candidates.empty());
  const synth::PreludeStep dict = parse_prelude("DICT").steps.front();
  EXPECT_EQ(found.candidates.front().prelude.steps.front(), dict);
  EXPECT_TRUE(suggests(found, "DICT"));
  // Ranks below 600 have 10 bits.
  EXPECT_GT(found.candidates.front().bits, 9);
  EXPECT_LT(found.candidates.front().bits, 14);
}

TYPED_TEST(Structures, NoiseSuggestsNothingThatGains) {
  using W = TypeParam;
  const Structure found = find_structure(input_of(noise<W>(30000)));
  check(found, sizeof(W), 32);
  EXPECT_FALSE(found.distinct.all);
  EXPECT_GT(found.bits, 8 * sizeof(W));
  EXPECT_TRUE(found.lags.empty());
  for (const PreludeCandidate& candidate : found.candidates) {
    const std::string text = to_string(candidate.prelude);
    EXPECT_TRUE(text == "ORD" || text == "LAGs:1" || text == "ORD LAGs:1") << text;
    EXPECT_LT(candidate.score, 1.01);
  }
}

TYPED_TEST(Structures, AsManyCandidatesAsAreWanted) {
  using W = TypeParam;
  const data::Input input = input_of(grid<W>(5, 60, 70)).shaped({5, 60, 70});
  const Structure all = find_structure(input, {.candidates = 1000});
  ASSERT_GT(all.candidates.size(), 3u);
  for (const std::size_t most : {0u, 1u, 3u}) {
    const Structure some = find_structure(input, {.candidates = most});
    check(some, sizeof(W), most);
    ASSERT_EQ(some.candidates.size(), most);
    for (std::size_t i = 0; i < most; ++i) {
      EXPECT_EQ(some.candidates[i].prelude, all.candidates[i].prelude);
    }
  }
}

TYPED_TEST(Structures, TheAnswerIsTheSameAgain) {
  using W = TypeParam;
  const data::Input input = input_of(grid<W>(2, 100, 101));
  const Structure first = find_structure(input), second = find_structure(input);
  ASSERT_EQ(first.candidates.size(), second.candidates.size());
  for (std::size_t i = 0; i < first.candidates.size(); ++i) {
    EXPECT_EQ(first.candidates[i].prelude, second.candidates[i].prelude);
    EXPECT_EQ(first.candidates[i].bits, second.candidates[i].bits);
    EXPECT_EQ(first.candidates[i].reason, second.candidates[i].reason);
  }
}

TYPED_TEST(Structures, SmallAndMonotonousInputs) {
  using W = TypeParam;
  for (std::size_t words = 0; words <= 40; ++words) {
    const Structure found = find_structure(input_of(noise<W>(words)));
    EXPECT_EQ(found.words, words);
    check(found, sizeof(W), 32);
    if (words < 2) {
      EXPECT_TRUE(found.distinct.all);
      EXPECT_EQ(found.distinct.count, words);
    }
  }
  for (const std::size_t words : {511u, 512u, 513u, 1023u, 1024u, 1025u, 5000u}) {
    check(find_structure(input_of(noise<W>(words))), sizeof(W), 32);
    const Structure zeros = find_structure(input_of(std::vector<W>(words)));
    check(zeros, sizeof(W), 32);
    EXPECT_EQ(zeros.distinct.count, 1u);
    EXPECT_LT(zeros.bits, 2);
  }
}

TYPED_TEST(Structures, TailsAndWordsThatAreNotAligned) {
  using W = TypeParam;
  const std::vector<W> words = grid<W>(1, 50, 60);
  std::vector<std::byte> bytes(words.size() * sizeof(W) + 4);
  std::memcpy(bytes.data() + 1, words.data(), words.size() * sizeof(W));
  const Structure apart =
      find_structure(data::Input::borrowed("test", std::span(bytes).subspan(1), kPrecisionOf<W>));
  const Structure whole = find_structure(input_of(words));
  EXPECT_EQ(apart.words, words.size());
  EXPECT_EQ(apart.bits, whole.bits);
  EXPECT_EQ(suggestions(apart), suggestions(whole));
}

TEST(Structure, LONG_RealPlasmaRepeats) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  for (const synth::Precision precision : {synth::Precision::Double, synth::Precision::Single}) {
    const Structure found = find_structure(data::open_input(path).in(precision));
    ASSERT_FALSE(found.lags.empty());
    EXPECT_EQ(found.lags.front().lag, 18200u);
    EXPECT_GT(found.lags.front().repeat_share, 0.9);
    EXPECT_GT(found.lags.front().equal_share, 0.9);
    EXPECT_TRUE(suggests(found, "LAGx:18200")) << suggestions(found);
    EXPECT_GT(found.candidates.front().score, 20);
  }
}

TEST(Structure, LONG_RealElevationsHaveRows) {
  FPSYNTH_REAL_FILE(path, "corpus/geo_trinidad.f32");
  const Structure found = find_structure(data::open_input(path));
  ASSERT_FALSE(found.lags.empty());
  EXPECT_EQ(found.lags.front().lag, 2401u);
  EXPECT_TRUE(found.distinct.all);
  ASSERT_FALSE(found.candidates.empty());
  const synth::PreludeStep dict = parse_prelude("DICT").steps.front();
  EXPECT_EQ(found.candidates.front().prelude.steps.front(), dict) << suggestions(found);
  EXPECT_TRUE(suggests(found, "DICT LAGs:2401")) << suggestions(found);
}

}  // namespace
}  // namespace fpsynth::search
