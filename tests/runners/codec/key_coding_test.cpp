// Keys as files hold them: every pattern comes back, decimals and fixed-point numbers in few bytes,
// and of damaged side data nothing but an error or keys.

#include "runners/codec/format/key_coding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>

#include "components/registry.hpp"
#include "components/teams/serial.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/cpu/static_side_codec.hpp"
#include "runners/codec/cpu/steps/ranked.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec {
namespace {

using Words = ::testing::Types<std::uint64_t, std::uint32_t>;

template <class W>
class KeyCoding : public ::testing::Test {
 protected:
  using Float = std::conditional_t<sizeof(W) == 8, double, float>;
  using Coding = SideCoding<preludes::Shape::Ranked, W>;
  using Lists = StaticLists<teams::SerialTeam>;

  /// The keys of values, as DICT has them.
  template <class Value>
  static std::vector<W> keys_of(std::size_t count, const Value& value) {
    std::vector<W> keys(count);
    for (std::size_t i = 0; i < count; ++i) {
      keys[i] = preludes::Dict::key(std::bit_cast<W>(Float(value(i))));
    }
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
  }
  static std::vector<W> decimals(std::size_t count) {
    return keys_of(count, [](std::size_t i) { return (double(i * i % 9973) - 5000) / 100; });
  }

  static std::vector<W> noise(std::size_t count) {
    std::mt19937_64 random(1);
    std::vector<W> keys(count);
    for (W& key : keys) key = W(random());
    std::ranges::sort(keys);
    return keys;
  }

  static Bytes encode(std::vector<W> keys) {
    SideData<W> side;
    side.values = keys.data();
    side.count = keys.size();
    Bytes out(Coding::bound(keys.size()));
    Lists lists{1, out.data(), out.size()};
    std::size_t written = 0;
    EXPECT_EQ(Coding::encode(lists, side, written), Status::Ok);
    out.resize(written);
    return out;
  }
  static Status decode(const Bytes& coded, std::size_t most, std::vector<W>& keys) {
    const Bytes exact(coded.begin(), coded.end());
    Lists lists{1, nullptr, 0, exact.data()};
    SideMemory<W> side;
    const Status status = Coding::decode(lists, exact.size(), most, side.data);
    if (status == Status::Ok) keys.assign(side.data.values, side.data.values + side.data.count);
    return status;
  }
  /// True if they are ranks of differences.
  static bool differences(const Bytes& coded) { return coded[0] < std::byte{16}; }
  static Bytes alone(const std::vector<W>& keys) {
    return codec::compress(bytes_of_words(keys), synth::parse_method("LNV1s BIT | ZE RLE"),
                           sizeof(W));
  }
};
TYPED_TEST_SUITE(KeyCoding, Words);

TYPED_TEST(KeyCoding, EveryPatternComesBackAndTheLibraryWritesTheSame) {
  using W = TypeParam;
  using F = typename TestFixture::Float;
  using Limits = std::numeric_limits<F>;
  std::vector<std::vector<W>> lists = {{}, {W(7)}};
  const auto add = [&](std::size_t count, auto value) {
    lists.push_back(TestFixture::keys_of(count, value));
  };
  for (const std::size_t count : {1, 127, 128, 129, 191, 192, 193, 5000}) {
    add(count, [](std::size_t i) { return double(i) / 10 - 30; });
  }
  for (const double scale : {1., 1000., 1e13, 8., 0x1p40, 24400., 1e-3}) {
    add(700, [=](std::size_t i) { return (double(i * 7 % 991) - 200) / scale; });
  }
  add(900, [](std::size_t i) { return std::ldexp(1.0 + double(i % 3), int(i / 3) - 150); });
  add(900, [](std::size_t i) { return std::sin(double(i)); });
  // Decimals between other values, so that blocks differ.
  add(2000, [](std::size_t i) { return i < 1500 ? double(i) / 100 : 20 + std::sqrt(double(i)); });
  const F odd[] = {-F(0),
                   Limits::infinity(),
                   -Limits::infinity(),
                   Limits::quiet_NaN(),
                   Limits::denorm_min(),
                   -Limits::max(),
                   Limits::min()};
  add(400, [&](std::size_t i) { return i < std::size(odd) ? odd[i] : F(double(i) / 10); });
  lists.push_back(TestFixture::noise(600));
  for (const std::vector<W>& keys : lists) {
    SCOPED_TRACE(std::to_string(keys.size()) + " keys from " +
                 std::to_string(keys.empty() ? W{0} : keys.front()));
    const Bytes coded = TestFixture::encode(keys);
    EXPECT_LE(coded.size(), TestFixture::alone(keys).size());
    std::vector<W> back;
    ASSERT_EQ(TestFixture::decode(coded, keys.size(), back), Status::Ok);
    EXPECT_EQ(back, keys);
    // Earlier files hold the keys alone.
    ASSERT_EQ(TestFixture::decode(TestFixture::alone(keys), keys.size(), back), Status::Ok);
    EXPECT_EQ(back, keys);
    std::vector<W> words;
    for (const W key : keys) words.push_back(preludes::Dict::word(key));
    const Transformed transformed =
        transform(bytes_of_words(words), synth::parse_prelude("DICT"), sizeof(W));
    EXPECT_EQ(transformed.side[0], coded);
  }
}

TYPED_TEST(KeyCoding, DecimalsAndFixedPointTakeFewBytes) {
  const auto expect_less = [](const std::vector<TypeParam>& keys, std::size_t times) {
    const Bytes coded = TestFixture::encode(keys);
    EXPECT_LT(times * coded.size(), TestFixture::alone(keys).size());
    EXPECT_EQ(coded[0], std::byte{1});  // one divisor
  };
  expect_less(TestFixture::keys_of(3000, [](std::size_t i) { return (double(i * 7) - 999) / 100; }),
              4);
  expect_less(TestFixture::keys_of(3000, [](std::size_t i) { return double(i * 3) / 32768; }), 2);
}

/// Pairs of keys that are a last place apart, and far from the next pair; of noise, a bit is less.
TYPED_TEST(KeyCoding, GapsOfTwoKindsTakeFewBytes) {
  std::vector<TypeParam> pairs = TestFixture::noise(3000);
  for (std::size_t i = 1; i < pairs.size(); i += 2) pairs[i] = pairs[i - 1] + 1;
  for (const auto& [keys, percent] :
       {std::pair(pairs, 75), std::pair(TestFixture::noise(3000), 99)}) {
    const Bytes coded = TestFixture::encode(keys);
    EXPECT_EQ(coded[0], std::byte{16});
    EXPECT_LT(100 * coded.size(), percent * TestFixture::alone(keys).size());
    std::vector<TypeParam> back;
    ASSERT_EQ(TestFixture::decode(coded, keys.size(), back), Status::Ok);
    EXPECT_EQ(back, keys);
  }
}

TYPED_TEST(KeyCoding, DamageIsAnErrorOrGivesAsManyKeysAtMost) {
  for (const bool ranks : {true, false}) {
    const std::vector<TypeParam> keys =
        ranks ? TestFixture::decimals(260) : TestFixture::noise(260);
    const Bytes coded = TestFixture::encode(keys);
    ASSERT_EQ(TestFixture::differences(coded), ranks);
    ASSERT_NE(coded[0], std::byte{'F'});
    std::vector<TypeParam> back;
    for (std::size_t size = 0; size < coded.size(); ++size) {
      EXPECT_NE(TestFixture::decode(Bytes(coded.begin(), coded.begin() + std::ptrdiff_t(size)),
                                    keys.size(), back),
                Status::Ok);
    }
    for (std::size_t bit = 0; bit < 8 * coded.size(); ++bit) {
      Bytes flipped = coded;
      flipped[bit / 8] ^= std::byte(1 << bit % 8);
      // Divisors have no checksum of their own: the file's is of what they make of the words.
      if (TestFixture::decode(flipped, keys.size(), back) == Status::Ok) {
        EXPECT_LE(back.size(), keys.size());
        EXPECT_GE(bit, 64u);
      }
    }
    // One key more than there are words.
    EXPECT_EQ(TestFixture::decode(coded, keys.size() - 1, back), Status::Damaged);
  }
}

/// The library says the same of such side data as the codecs of generated projects.
TYPED_TEST(KeyCoding, TheLibraryRefusesTheSameDamage) {
  using W = TypeParam;
  const std::vector<W> keys = TestFixture::decimals(200);
  const Bytes coded = TestFixture::encode(keys);
  Bytes ranks(keys.size() * sizeof(W));
  const synth::Prelude dict = synth::parse_prelude("DICT");
  for (std::size_t at = 0; at < coded.size(); at += 3) {
    Bytes damaged = coded;
    damaged[at] ^= std::byte{0x21};
    std::vector<W> back;
    const Status expected = TestFixture::decode(damaged, keys.size(), back);
    const std::vector<std::span<const std::byte>> side = {damaged};
    try {
      restore(ranks, dict, sizeof(W), side, "words");
      EXPECT_EQ(expected, Status::Ok) << at;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("words: ")) << error.what();
      if (expected == Status::Ok) {
        EXPECT_NE(std::ranges::adjacent_find(back, std::greater_equal()), back.end()) << at;
      }
    }
    std::ranges::fill(ranks, std::byte{0});
  }
}

}  // namespace
}  // namespace fpsynth::codec
