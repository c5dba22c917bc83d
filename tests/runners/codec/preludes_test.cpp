#include "runners/codec/codec.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "runners/codec/cpu/prelude_table.hpp"
#include "tests/runners/codec/expected_preludes.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec {
namespace {

using namespace reference;

/// Inputs on which steps could go wrong, of `n` words.
template <class W>
std::vector<std::vector<W>> adversaries(std::size_t n) {
  using Float = FloatOf<W>;
  using Limits = std::numeric_limits<Float>;
  const auto bits = [](Float value) { return std::bit_cast<W>(value); };
  const std::vector<W> special = {bits(Float(0)),
                                  bits(-Float(0)),
                                  bits(Limits::infinity()),
                                  bits(-Limits::infinity()),
                                  bits(Limits::quiet_NaN()),
                                  W(bits(Limits::quiet_NaN()) | 12345),
                                  W(bits(Limits::infinity()) | 1),
                                  W(~W{0}),
                                  bits(Limits::denorm_min()),
                                  bits(-Limits::denorm_min()),
                                  bits(Limits::max()),
                                  bits(Limits::lowest()),
                                  bits(Limits::min()),
                                  bits(Float(1)),
                                  bits(Float(-1)),
                                  bits(Float(2147483647.0)),
                                  bits(Float(2147483648.0)),
                                  bits(Float(-2147483648.0)),
                                  bits(Float(2251799813685247.0)),
                                  bits(Float(2251799813685248.0)),
                                  bits(Float(0.1)),
                                  bits(Float(0.5)),
                                  bits(Float(1.5)),
                                  bits(Float(2.5)),
                                  bits(Float(-0.5))};
  std::mt19937_64 random(n + sizeof(W));
  std::vector<std::vector<W>> all;
  const auto add = [&](auto word) {
    std::vector<W> words(n);
    for (std::size_t i = 0; i < n; ++i) words[i] = word(i);
    all.push_back(std::move(words));
  };
  add([](std::size_t) { return W(0x40490fdb); });                        // all equal
  add([](std::size_t i) { return W(i * W(0x9e3779b97f4a7c15u) + 1); });  // all distinct
  add([](std::size_t i) { return W(W(i) << (8 * sizeof(W) - 12)); });    // every exponent
  add([&](std::size_t i) { return special[i % special.size()]; });
  add([&](std::size_t) { return W(random()); });
  add([&](std::size_t i) {  // decimals, with what is none among them
    return i % 97 == 5 ? special[i % special.size()]
                       : bits(Float(double(int(random() % 20001) - 10000) / 100));
  });
  add([&](std::size_t i) {  // fractions with other denominators from block to block
    const double denominators[] = {24400, 7, 100, 32768, 1e5};
    const double value = double(int(random() % 4001) - 2000) / denominators[i / 300 % 5];
    return random() % 50 == 0 ? special[random() % special.size()] : bits(Float(value));
  });
  add([&](std::size_t i) {  // fractions that are last places off, and numbers of few digits
    const double value = double(int(random() % 4001) - 2000);
    if (i % 700 < 20) return special[2 + i / 700 % 6];
    if (i / 300 % 2 == 0) return W(bits(Float(value / 100)) + random() % (i % 5 == 0 ? 40 : 3) - 1);
    return bits(
        Float(std::stod(std::to_string(int(value)) + "e" + std::to_string(int(i % 50) - 25))));
  });
  add([&](std::size_t i) {  // multiples of 12 2^k, of the least integer and of nothing in blocks
    const W factors[] = {W(W{1} << (8 * sizeof(W) - 1)), 0, 1, W{12} << random() % 8,
                         W(random() | 1)};
    const std::size_t block = i / 128 % 7;
    return W(block < 5 ? W(random() % 9) * factors[block] : W(-W(random() % 1000)) * W{6});
  });
  all.push_back(with_copies<W>(n));
  all.push_back(with_turned_copies<W>(n));
  add([&](std::size_t i) {  // waves and noise, with a shift that does not fit and with great words
    const double wave = 20000 * std::sin(double(i) / 7) + 3000 * std::sin(double(i) / 3.3);
    const W word = W(std::int64_t(wave) + std::int64_t(random() % 9));
    return i / 500 % 3 == 0 ? word : i / 500 % 3 == 1 ? W(word << 11) : W(word * W{0x10001});
  });
  const std::vector<W> noise = all[4];
  add([&](std::size_t i) {  // runs of equal words, and what repeats at once
    const std::size_t part = i / 1000 % 4, at = i % 1000;
    return part == 0 ? W{7} : part == 1 ? noise[at % 40] : noise[part == 2 ? at % 33 : at];
  });
  return all;
}

std::vector<std::uint64_t> parameters(const synth::PreludeTraits& traits, std::size_t word_bytes,
                                      std::size_t n) {
  if (!traits.parametric) return {0};
  const auto [least, most, powers_of_two] = traits.range(word_bytes);
  if (most <= 16) return {least, least + 1, least + 2, most};
  if (powers_of_two) return {least, most};
  std::set<std::uint64_t> lags = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 63, 64, 65, 1000, 2500, most};
  if (n > 1) lags.insert({n / 2, n / 2 + 1, n - 1, n, n + 1});
  std::erase_if(lags, [least = least](std::uint64_t lag) { return lag < least; });
  return {lags.begin(), lags.end()};
}

/// Steps of a kind with all the numbers that could go wrong.
std::vector<synth::PreludeStep> steps_of(std::uint8_t kind, std::size_t word_bytes, std::size_t n) {
  std::vector<preludes::Divisors> divisors = {{}};
  if (synth::prelude_traits(kind).shape == preludes::Shape::Selected) {
    divisors = {
        preludes::Divisors(100), preludes::Divisors(7, 100, 24400, 32768, 100000),
        preludes::Divisors(1, preludes::Divisors::kWhole, std::bit_cast<std::uint64_t>(0.03),
                           std::bit_cast<std::uint64_t>(5729.5779513082325),
                           preludes::Divisors::kGreatest)};
    divisors.emplace_back();
    while (divisors.back().count < preludes::kMostDivisors) {
      divisors.back().add(10 * divisors.back().count + 10);
    }
  }
  std::vector<synth::PreludeStep> steps;
  for (const std::uint64_t parameter : parameters(synth::prelude_traits(kind), word_bytes, n)) {
    for (const preludes::Divisors& each : divisors) steps.push_back({kind, parameter, each});
  }
  return steps;
}

std::vector<const PreludeTable*> tables() {
  std::vector<const PreludeTable*> result;
  for (const components::StageTable* stages : components::simd_stages()) {
    result.push_back(&preludes_beside(*stages));
  }
  return result;
}

template <class W>
class PreludeSteps : public ::testing::Test {};
using Words = ::testing::Types<std::uint64_t, std::uint32_t>;
TYPED_TEST_SUITE(PreludeSteps, Words);

TYPED_TEST(PreludeSteps, GiveWhatThePageDefinesAndComeBack) {
  using W = TypeParam;
  for (const std::size_t n : {0, 1, 2, 31, 1023, 1025, 4099, 70001}) {
    for (const std::vector<W>& in : adversaries<W>(n)) {
      for (const synth::PreludeTraits& traits : synth::prelude_kinds()) {
        const std::uint8_t kind = traits.wire;
        for (const synth::PreludeStep& step : steps_of(kind, sizeof(W), n)) {
          const std::uint64_t parameter = step.parameter;
          const Expected<W> right = expected(step, in);
          for (const PreludeTable* table : tables()) {
            for (const int threads : {1, 3}) {
              if (n < 70001 && threads > 1) continue;  // would be one thread
              SCOPED_TRACE(synth::to_string(step) + " on " + std::to_string(n) + " words");
              std::vector<W> words(n);
              SideMemory<W> side;
              side.data.divisors = step.divisors;
              const auto* const from = reinterpret_cast<const std::byte*>(in.data());
              auto* const to = reinterpret_cast<std::byte*>(words.data());
              ASSERT_EQ(table->of<W>().forward(kind, from, to, n, parameter, threads, side.data),
                        Status::Ok);
              ASSERT_EQ(words, right.words);
              ASSERT_EQ(std::vector<W>(side.data.values, side.data.values + side.data.count),
                        right.values);
              const auto* const selectors =
                  reinterpret_cast<const std::uint8_t*>(side.data.selectors);
              ASSERT_EQ(
                  std::vector<std::uint8_t>(selectors, selectors + 4 * side.data.selector_words),
                  right.selectors);
              if (!right.positions.empty()) {
                ASSERT_EQ(std::vector<std::uint64_t>(side.data.positions,
                                                     side.data.positions + side.data.count),
                          right.positions);
              }
              ASSERT_EQ(table->of<W>().backward(kind, to, n, parameter, threads, side.data),
                        Status::Ok);
              ASSERT_EQ(words, in);
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(PreludeSteps, RefuseForgedSideData) {
  using W = TypeParam;
  const PreludeTable& table = preludes_beside(components::default_stages());
  const auto backward = [&](const char* text, std::vector<W> words, std::vector<W> values,
                            std::vector<std::uint64_t> positions,
                            std::vector<std::uint32_t> selectors = {}) {
    const synth::PreludeStep step = synth::parse_prelude(text).steps[0];
    const SideData<W> side{values.data(), positions.data(), values.size(),
                           step.divisors, selectors.data(), selectors.size()};
    return table.of<W>().backward(step.kind, reinterpret_cast<std::byte*>(words.data()),
                                  words.size(), step.parameter, 1, side);
  };
  EXPECT_EQ(backward("DICT", {0, 1, 1}, {5, 6}, {}), Status::Ok);
  EXPECT_EQ(backward("DICT", {0, 2, 1}, {5, 6}, {}), Status::Damaged);  // no such rank
  EXPECT_EQ(backward("DICT", {0, W(-1), 1}, {5, 6}, {}), Status::Damaged);
  EXPECT_EQ(backward("DICT", {0, 1, 1}, {6, 5}, {}), Status::Damaged);  // not ascending
  EXPECT_EQ(backward("DICT", {0, 1, 1}, {5, 5}, {}), Status::Damaged);
  EXPECT_EQ(backward("DICT", {0}, {}, {}), Status::Damaged);
  EXPECT_EQ(backward("DICT", {}, {1}, {}), Status::Damaged);
  EXPECT_EQ(backward("DEC:1", {0, 1, 1}, {5, 6}, {0, 2}), Status::Ok);
  EXPECT_EQ(backward("DEC:1", {0, 1, 1}, {5, 6}, {0, 3}), Status::Damaged);  // behind the end
  EXPECT_EQ(backward("DEC:1", {0, 1, 1}, {5, 6}, {1, 1}), Status::Damaged);
  EXPECT_EQ(backward("DEC:1", {0, 1, 1}, {5, 6}, {2, 1}), Status::Damaged);
  EXPECT_EQ(backward("GCD:128", {0, 1, W(-1)}, {0}, {}), Status::Ok);
  EXPECT_EQ(backward("GCD:128", {0, 1, 1}, {}, {}), Status::Damaged);
  EXPECT_EQ(backward("GCD:128", {0, 1, 1}, {2, 2}, {}), Status::Damaged);
  EXPECT_EQ(backward("GCD:128", {}, {2}, {}), Status::Damaged);
  EXPECT_EQ(backward("RAT:128:3:5", {0, 1, 1}, {5, 6}, {0, 2}, {2}), Status::Ok);
  EXPECT_EQ(backward("RAT:128:3:5", {0, 1, 1}, {5, 6}, {0, 3}, {2}), Status::Damaged);
  EXPECT_EQ(backward("RAT:128:3:5", {0, 1, 1}, {}, {}, {}), Status::Damaged);   // no selector
  EXPECT_EQ(backward("RAT:128:3:5", {0, 1, 1}, {}, {}, {3}), Status::Damaged);  // no divisor
  EXPECT_EQ(backward("RAT:128:3:5", {0, 1, 1}, {}, {}, {0x3000000}), Status::Damaged);
  EXPECT_EQ(backward("RAT:128:3:5", {0, 1, 1}, {}, {}, {0, 0}), Status::Damaged);  // two
  EXPECT_EQ(backward("RAT:128:3:5", {}, {}, {}, {0}), Status::Damaged);
  EXPECT_EQ(backward("RAT:128:3:5", {}, {}, {}), Status::Ok);
  const std::vector<std::uint32_t> most = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 15};
  std::vector<std::uint32_t> beyond = most, two = most;
  beyond.back() = 16;
  two.insert(two.end(), most.begin(), most.end());
  EXPECT_EQ(backward("LPC:256", std::vector<W>(256, W(-1)), {}, {}, most), Status::Ok);
  EXPECT_EQ(backward("LPC:256", std::vector<W>(257, W(-1)), {}, {}, two), Status::Ok);
  EXPECT_EQ(backward("LPC:256", std::vector<W>(257), {}, {}, most), Status::Damaged);
  EXPECT_EQ(backward("LPC:256", std::vector<W>(256), {}, {}, two), Status::Damaged);
  EXPECT_EQ(backward("LPC:256", std::vector<W>(256), {}, {}, beyond), Status::Damaged);
  EXPECT_EQ(backward("LPC:256", std::vector<W>(256), {}, {}), Status::Damaged);
  EXPECT_EQ(backward("LPC:256", {}, {}, {}, most), Status::Damaged);
  EXPECT_EQ(backward("LPC:256", {}, {}, {}), Status::Ok);
}

}  // namespace
}  // namespace fpsynth::codec
