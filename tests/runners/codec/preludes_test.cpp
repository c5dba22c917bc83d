#include "runners/codec/codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "runners/codec/cpu/prelude_table.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec {
namespace {

template <class W>
using FloatOf = std::conditional_t<sizeof(W) == 8, double, float>;

template <class W>
std::vector<W> words_of(const Bytes& bytes) {
  std::vector<W> words(bytes.size() / sizeof(W));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(W));
  return words;
}

// Obvious code for every step, from the page that defines them.

template <class W>
W ordered(W word) {
  const W sign = W{1} << (8 * sizeof(W) - 1);
  return word & sign ? ~word : word | sign;
}

template <class W>
struct Expected {
  std::vector<W> words, values;
  std::vector<std::uint64_t> positions;
  std::vector<std::uint8_t> selectors;
};

/// Literals, zeros, and the numbers of the copies.
template <class W>
Expected<W> without_copies(const std::vector<W>& in) {
  Expected<W> result;
  std::vector<W>& literals = result.words;
  std::vector<std::uint32_t> before, up_to, sources;
  std::uint32_t copied = 0;
  int bits = 10;
  while (bits < 20 && double(in.size()) >= std::pow(2.0, bits + 5)) ++bits;
  std::vector<std::size_t> table(std::size_t{1} << bits);
  std::size_t behind_copy = 0;
  for (std::size_t i = 0; i < in.size();) {
    if (i + 3 <= in.size()) {
      std::uint64_t h = in[i] * 0x9e3779b97f4a7c15u + in[i + 1] * 0xc2b2ae3d27d4eb4fu +
                        in[i + 2] * 0x165667b19e3779f9u;
      h = (h ^ h / (1ull << 32)) * 0xd6e8feb86659fd93u;
      if (h / (1ull << 59) == 7) {
        std::size_t& slot = table[h % (1ull << 59) / (1ull << (59 - bits))];
        const std::size_t source = slot, count = literals.size();
        std::size_t f = 0, b = 0;
        while (source + f < count && i + f < in.size() && literals[source + f] == in[i + f]) ++f;
        while (b < source && b < count - behind_copy && source + f <= count - (b + 1) &&
               literals[source - b - 1] == literals[count - b - 1]) {
          ++b;
        }
        if (source < count && f + b >= 32) {
          literals.resize(count - b);
          before.push_back(std::uint32_t(literals.size()));
          sources.push_back(copied - std::uint32_t(source - b));
          up_to.push_back(copied += std::uint32_t(f + b));
          behind_copy = literals.size();
          i += f;
          continue;
        }
        slot = count;
      }
    }
    literals.push_back(in[i++]);
  }
  literals.resize(in.size());
  for (const std::vector<std::uint32_t>& list : {before, up_to, sources}) {
    for (const std::uint32_t number : list) {
      for (int byte = 0; byte < 4; ++byte) {
        result.selectors.push_back(std::uint8_t(number >> (8 * byte)));
      }
    }
  }
  return result;
}

/// The integer for a word at a scale; false if it is an exception.
template <class W>
bool integer_of(W word, double scale, bool keep, W& integer) {
  const double most = sizeof(W) == 8 ? std::pow(2.0, 51) - 1 : std::pow(2.0, 31) - 1;
  const double nearest = std::nearbyint(double(std::bit_cast<FloatOf<W>>(word)) * scale);
  const bool inside = std::abs(nearest) <= most;
  const bool exact = inside && std::bit_cast<W>(FloatOf<W>((nearest + 0.0) / scale)) == word;
  integer = exact || (keep && inside) ? W(std::int64_t(nearest)) : W{0};
  return exact;
}

double number_of(std::uint64_t divisor) {
  return divisor > std::uint64_t{1} << 53 ? std::bit_cast<double>(divisor) : double(divisor);
}
/// The bits that an exception of RAT costs; 0 for other words.
template <class W>
double cost_of(W word, double scale) {
  W integer;
  if (integer_of(word, scale, true, integer)) return 0;
  const double most = sizeof(W) == 8 ? std::pow(2.0, 51) - 1 : std::pow(2.0, 31) - 1;
  const double nearest = std::nearbyint(double(std::bit_cast<FloatOf<W>>(word)) * scale);
  const auto near = std::bit_cast<W>(FloatOf<W>((nearest + 0.0) / scale));
  const auto rest = std::int64_t(std::make_signed_t<W>(word - near));
  if (!(std::abs(nearest) <= most) || rest < -4096 || rest > 4095) return 8 * sizeof(W) + 16;
  return rest < -16 || rest > 15 ? 14 : 6;
}

double ten(int power) { return std::stod("1e" + std::to_string(power)); }
double over(double x, int power) {
  power = std::clamp(power, -22, 22);
  return power < 0 ? x * ten(-power) : x / ten(power);
}
int power_of(double x) {
  int power = -22;
  while (power < 22 && x >= ten(power + 1)) ++power;
  return power;
}
/// The value of SIG that a word stands for, and the word for a value, which may stand for another.
template <class W>
W insignificant(W word, int digits) {
  const W sign = word & W{1} << (8 * sizeof(W) - 1);
  double value = 0;
  if (digits == 0) {
    const double size = std::abs(double(std::bit_cast<FloatOf<W>>(word)));
    const float most = std::numeric_limits<float>::max(), single = float(size < most ? size : most);
    value = single;
    for (int d = 9; d >= 6; --d) {
      const int unit = power_of(single) - d + 1;
      const double decimal = over(std::nearbyint(over(single, unit)), -unit);
      if (float(decimal) == single) value = decimal;
    }
  } else {
    const W span = W(1) << int(std::floor(std::log2(9 * ten(digits - 1))) + 1);
    const W size = sign ? W(-word) : word;
    if (size < span) return 0;
    const int power = int(std::min<W>(size / span, 45)) - 23;
    value = over(double(size % span) + ten(digits - 1), digits - 1 - power);
  }
  return sign | std::bit_cast<W>(FloatOf<W>(value));
}
template <class W>
W significant(W word, int digits) {
  const W sign = word & W{1} << (8 * sizeof(W) - 1);
  const double size = std::abs(double(std::bit_cast<FloatOf<W>>(word)));
  if (digits == 0) {
    const float most = std::numeric_limits<float>::max();
    return sign | std::bit_cast<W>(FloatOf<W>(float(size < most ? size : most)));
  }
  const int power = power_of(size);
  const double number = std::nearbyint(over(size, power - digits + 1));
  if (size == 0 || !(number < 1e16)) return 0;
  const W span = W(1) << int(std::floor(std::log2(9 * ten(digits - 1))) + 1);
  const W integer = W(power + 23) * span + W(std::int64_t(number - ten(digits - 1)));
  return sign ? W(-integer) : integer;
}

/// The selector of in[begin..end).
template <class W>
std::size_t selector_of(const std::vector<W>& in, std::size_t begin, std::size_t end,
                        const preludes::Divisors& divisors) {
  std::size_t selector = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t j = 1; j <= divisors.count; ++j) {
    const double divisor = number_of(divisors.of[j - 1]);
    double exceptions = 0;
    for (std::size_t i = begin; i < end; ++i) exceptions += cost_of(in[i], divisor);
    const double words = double(end - begin);
    const double cost = words * std::max(0.0, std::floor(std::log2(divisor)) + 1) + exceptions;
    if (exceptions > words * double(sizeof(W) + 2) || cost >= least) continue;
    least = cost;
    selector = j;
  }
  return selector;
}

template <class W>
Expected<W> expected(const synth::PreludeStep& step, const std::vector<W>& in) {
  Expected<W> result;
  const std::string name(synth::prelude_traits(step.kind).name);
  if (name == "MATCH") return without_copies(in);
  if (name == "LAG") {
    const bool subtract = synth::prelude_traits(step.kind).suffix == "s";
    for (std::size_t i = 0; i < in.size(); ++i) {
      const W before = i >= step.parameter ? in[i - step.parameter] : W{0};
      result.words.push_back(subtract ? W(in[i] - before) : W(in[i] ^ before));
    }
  } else if (name == "ORD") {
    for (const W word : in) result.words.push_back(ordered(word));
  } else if (name == "DIM") {
    for (std::size_t c = 0; c < std::min<std::size_t>(step.parameter, in.size()); ++c) {
      for (std::size_t i = c; i < in.size(); i += step.parameter) result.words.push_back(in[i]);
    }
  } else if (name == "GCD") {
    for (std::size_t begin = 0; begin < in.size(); begin += step.parameter) {
      const std::size_t end = std::min<std::size_t>(begin + step.parameter, in.size());
      const auto negative = [](W word) { return (word >> (8 * sizeof(W) - 1)) != 0; };
      const auto magnitude = [&](W word) { return negative(word) ? W(-word) : word; };
      W divisor = 0;
      for (std::size_t i = begin; i < end; ++i) divisor = std::gcd(divisor, magnitude(in[i]));
      if (divisor == 0) divisor = 1;
      result.values.push_back(divisor);
      for (std::size_t i = begin; i < end; ++i) {
        const W quotient = W(magnitude(in[i]) / divisor);
        result.words.push_back(negative(in[i]) ? W(-quotient) : quotient);
      }
    }
  } else if (name == "DICT") {
    std::set<W> keys;
    for (const W word : in) keys.insert(ordered(word));
    result.values.assign(keys.begin(), keys.end());
    std::map<W, W> rank;
    for (const W key : keys) rank.emplace(key, W(rank.size()));
    for (const W word : in) result.words.push_back(rank.at(ordered(word)));
  } else {
    const bool rat = name == "RAT";
    W far = 0;
    double scale = std::pow(10.0, double(step.parameter));
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (rat && i % step.parameter == 0) {
        const std::size_t end = std::min<std::size_t>(i + step.parameter, in.size());
        result.selectors.push_back(std::uint8_t(selector_of(in, i, end, step.divisors)));
        const std::size_t selector = result.selectors.back();
        scale = selector == 0 ? 0 : number_of(step.divisors.of[selector - 1]);
      }
      if (scale == 0) {
        result.words.push_back(W(ordered(in[i]) ^ W{1} << (8 * sizeof(W) - 1)));
        continue;
      }
      result.words.emplace_back();
      W& word = result.words.back();
      if (name == "SIG") {
        word = significant(in[i], int(step.parameter));
        if (insignificant(word, int(step.parameter)) == in[i]) continue;
        word = 0;
      } else if (integer_of(in[i], scale, rat, word)) {
        continue;
      }
      result.values.push_back(in[i]);
      result.positions.push_back(i);
      if (!rat) continue;
      const double integer = double(std::make_signed_t<W>(word));
      W& rest = result.values.back();
      rest -= std::bit_cast<W>(FloatOf<W>(integer / scale));
      const bool near = W(rest + 4096) < 8192;
      if (in[i] == far) rest = 0;
      if (!near) far = in[i];
    }
    while (result.selectors.size() % 4 != 0) result.selectors.push_back(0);
  }
  return result;
}

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
  if (most < 16) return {least, least + 1, least + 2, most};
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
}

}  // namespace
}  // namespace fpsynth::codec
