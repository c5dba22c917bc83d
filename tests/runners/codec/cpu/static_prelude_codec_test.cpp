// The codec of generated projects with a prelude. generated_test.cpp tests it as it is generated.

#include "runners/codec/cpu/static_prelude_codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "components/preludes/registry.hpp"
#include "components/registry.hpp"
#include "components/teams/simd/native.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/cpu/static_side_codec.hpp"
#include "runners/codec/cpu/steps/divided.hpp"
#include "runners/codec/cpu/steps/excepted.hpp"
#include "runners/codec/cpu/steps/lagged.hpp"
#include "runners/codec/cpu/steps/matched.hpp"
#include "runners/codec/cpu/steps/permuted.hpp"
#include "runners/codec/cpu/steps/predicted.hpp"
#include "runners/codec/cpu/steps/ranked.hpp"
#include "runners/codec/cpu/steps/step_driver.hpp"
#include "runners/codec/format/key_coding.hpp"
#include "runners/codec/format/rest_coding.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec {
namespace {

using namespace components;
using teams::NativeTeam;

template <class W>
using LnvZe = StaticPipeline<W, 1, Use<LnvSub, 1>, Use<Ze>>;

using Divided =
    StaticPreludeCodec<LnvZe<std::uint64_t>, NativeTeam, StaticStep<preludes::Gcd, 128>>;
using Matched = StaticPreludeCodec<LnvZe<std::uint32_t>, NativeTeam, StaticStep<preludes::Match>,
                                   StaticStep<preludes::LagSub, 7>>;
using Turned = StaticPreludeCodec<LnvZe<std::uint32_t>, NativeTeam, StaticStep<preludes::Rev, 1>>;
using Predicted = StaticPreludeCodec<LnvZe<std::uint32_t>, NativeTeam, StaticStep<preludes::Dec, 2>,
                                     StaticStep<preludes::Lpc, 256>>;
using Permuted =
    StaticPreludeCodec<LnvZe<std::uint32_t>, NativeTeam, StaticStep<preludes::Dim, 3>,
                       StaticStep<preludes::LagSub, 1>, StaticStep<preludes::Dim, 306>>;
using Lagged =
    StaticPreludeCodec<LnvZe<std::uint64_t>, NativeTeam, StaticStep<preludes::LagXor, 18200>,
                       StaticStep<preludes::LagSub, 3>>;
using Mapped = StaticPreludeCodec<LnvZe<std::uint32_t>, NativeTeam, StaticStep<preludes::Ord>,
                                  StaticStep<preludes::LagSub, 70000>>;
using Ranked = StaticPreludeCodec<LnvZe<std::uint64_t>, NativeTeam, StaticStep<preludes::Dict>,
                                  StaticStep<preludes::LagSub, 5>>;
using Excepted = StaticPreludeCodec<LnvZe<std::uint32_t>, NativeTeam, StaticStep<preludes::Dec, 2>,
                                    StaticStep<preludes::Dict>, StaticStep<preludes::LagXor, 9>>;

using Selected =
    StaticPreludeCodec<LnvZe<std::uint64_t>, NativeTeam, StaticStep<preludes::Rat, 256, 7, 100>,
                       StaticStep<preludes::LagSub, 3>, StaticStep<preludes::LagSub, 2>,
                       StaticStep<preludes::LagSub, 1>, StaticStep<preludes::Ord>>;

template <class Codec>
Bytes compress(const Bytes& original, int threads) {
  Bytes out(Codec::bound(original.size()));
  std::size_t written = 0;
  EXPECT_EQ(
      Codec::compress(original.data(), original.size(), out.data(), out.size(), written, threads),
      Status::Ok);
  out.resize(written);
  return out;
}

/// Of a copy of just the container's bytes, so that a sanitizer sees what is read beside it.
template <class Codec>
Status decompress(std::span<const std::byte> container, Bytes& original, int threads) {
  const Bytes exact(container.begin(), container.end());
  std::size_t size = 0, written = 0;
  const Status status = Codec::original_size(exact.data(), exact.size(), size);
  if (status != Status::Ok) return status;
  original.assign(size, std::byte{0x55});
  return Codec::decompress(exact.data(), exact.size(), original.data(), size, written, threads);
}

/// Decimals of two digits with other values, of `words` words, and a tail.
template <class W>
Bytes decimals(std::size_t words) {
  using Float = std::conditional_t<sizeof(W) == 8, double, float>;
  std::mt19937 random(7);
  Bytes bytes;
  for (std::size_t i = 0; i < words; ++i) {
    Float value = Float(double(int(random() % 2001) - 1000) / 100);
    if (random() % 50 == 0) value = i % 2 ? Float(1) / Float(3) : -Float(0);
    const auto word = std::bit_cast<std::array<std::byte, sizeof value>>(value);
    bytes.insert(bytes.end(), word.begin(), word.end());
  }
  bytes.insert(bytes.end(), {std::byte{1}, std::byte{2}, std::byte{3}});
  return bytes;
}

template <class Codec>
void expect_the_librarys_bytes(const std::string& method) {
  using W = typename Codec::Word;
  for (const std::size_t words : {0, 1, 2, 9, 1024, 18201, 300000}) {
    for (const Bytes& original : {decimals<W>(words), signal(words * sizeof(W), sizeof(W)),
                                  bytes_of_words(with_copies<W>(words))}) {
      const Bytes expected = codec::compress(original, synth::parse_method(method), sizeof(W));
      EXPECT_LE(expected.size(), Codec::bound(original.size()));
      for (const int threads : {1, 2, 4, 0}) {
        SCOPED_TRACE(std::to_string(words) + " words, " + std::to_string(threads) + " threads");
        EXPECT_TRUE(compress<Codec>(original, threads) == expected);
        Bytes back;
        EXPECT_EQ(decompress<Codec>(expected, back, threads), Status::Ok);
        EXPECT_TRUE(back == original);
      }
    }
  }
}

TEST(StaticPreludeCodec, TheLibrarysBytesOnAnyNumberOfThreads) {
  expect_the_librarys_bytes<Lagged>("LAGx:18200 LAGs:3 / LNV1s | ZE");
  expect_the_librarys_bytes<Permuted>("DIM:3 LAGs:1 DIM:306 / LNV1s | ZE");
  expect_the_librarys_bytes<Divided>("GCD:128 / LNV1s | ZE");
  expect_the_librarys_bytes<Matched>("MATCH LAGs:7 / LNV1s | ZE");
  expect_the_librarys_bytes<Turned>("REV:1 / LNV1s | ZE");
  expect_the_librarys_bytes<Predicted>("DEC:2 LPC:256 / LNV1s | ZE");
  expect_the_librarys_bytes<Mapped>("ORD LAGs:70000 / LNV1s | ZE");
  expect_the_librarys_bytes<Ranked>("DICT LAGs:5 / LNV1s | ZE");
  expect_the_librarys_bytes<Excepted>("DEC:2 DICT LAGx:9 / LNV1s | ZE");
  expect_the_librarys_bytes<Selected>("RAT:256:7:100 LAGs:3 LAGs:2 LAGs:1 ORD / LNV1s | ZE");
}

TEST(StaticPreludeCodec, TheBoundIsEnoughForTheWorstAndNoneForMoreThanMemory) {
  // All distinct, and no decimals: side data as long as the original.
  const Bytes worst = noise(100000);
  compress<Ranked>(worst, 1);
  compress<Excepted>(worst, 1);
  compress<Selected>(worst, 1);
  compress<Predicted>(worst, 1);
  // As many copies as possible, and nothing else to be seen in their numbers.
  std::vector<std::uint32_t> shortest = with_copies<std::uint32_t>(1000);
  std::mt19937 random(1);
  while (shortest.size() < 100000) {
    for (std::size_t from = random() % 900, i = 0; i < 32; ++i) {
      shortest.push_back(shortest[from + i]);
    }
  }
  compress<Matched>(bytes_of_words(shortest), 1);
  shortest.resize(1000);
  while (shortest.size() < 100000) {
    for (std::size_t from = random() % 900 + 10, i = 0; i < 8; ++i) {
      shortest.push_back(shortest[from - i]);
    }
  }
  compress<Turned>(bytes_of_words(shortest), 1);
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX / 2}) {
    EXPECT_EQ(Ranked::bound(bytes), 0u);
    EXPECT_EQ(Excepted::bound(bytes), 0u);
    EXPECT_EQ(Selected::bound(bytes), 0u);
  }
  EXPECT_EQ(Lagged::bound(SIZE_MAX), 0u);
  EXPECT_EQ(Matched::bound(SIZE_MAX), 0u);
  EXPECT_EQ(Turned::bound(SIZE_MAX), 0u);
  EXPECT_EQ(Predicted::bound(SIZE_MAX), 0u);
}

TEST(StaticPreludeCodec, EveryCapacityThatIsTooSmallIsAnError) {
  const Bytes original = decimals<std::uint32_t>(300);
  const Bytes container = compress<Excepted>(original, 1);
  for (std::size_t capacity = 0; capacity < container.size(); ++capacity) {
    Bytes out(capacity);
    std::byte none{};
    std::size_t written = 1;
    EXPECT_EQ(Excepted::compress(original.data(), original.size(), capacity ? out.data() : &none,
                                 capacity, written, 1),
              Status::TooSmall);
    EXPECT_EQ(written, 0u);
  }
  Bytes out(container.size());
  std::size_t written = 0;
  EXPECT_EQ(
      Excepted::compress(original.data(), original.size(), out.data(), out.size(), written, 1),
      Status::Ok);
  EXPECT_TRUE(out == container);
  EXPECT_EQ(Excepted::decompress(container.data(), container.size(), out.data(),
                                 original.size() - 1, written, 1),
            Status::TooSmall);
  EXPECT_EQ(Excepted::compress(nullptr, 8, out.data(), out.size(), written, 1), Status::BadCall);
  EXPECT_EQ(Excepted::decompress(nullptr, 8, out.data(), out.size(), written, 1), Status::BadCall);
}

template <class Codec>
void expect_damage_to_be_found(const Bytes& original) {
  const Bytes container = compress<Codec>(original, 1);
  Bytes back;
  for (std::size_t size = 0; size < container.size(); ++size) {
    EXPECT_NE(decompress<Codec>(std::span(container).first(size), back, 1), Status::Ok) << size;
  }
  for (std::size_t bit = 0; bit < 8 * container.size(); ++bit) {
    Bytes flipped = container;
    flipped[bit / 8] ^= std::byte(1 << bit % 8);
    // An error, or nothing that matters.
    if (decompress<Codec>(flipped, back, 1) == Status::Ok) {
      EXPECT_TRUE(back == original) << "bit " << bit;
    }
  }
  Bytes longer = container;
  longer.push_back(std::byte{0});
  EXPECT_EQ(decompress<Codec>(longer, back, 1), Status::Damaged);
}

TEST(StaticPreludeCodec, EveryTruncationAndBitFlipIsAnErrorOrRight) {
  expect_damage_to_be_found<Lagged>(signal(403, 8));
  expect_damage_to_be_found<Mapped>(signal(403, 4));
  expect_damage_to_be_found<Ranked>(decimals<std::uint64_t>(100));
  expect_damage_to_be_found<Excepted>(decimals<std::uint32_t>(200));
  expect_damage_to_be_found<Ranked>(decimals<std::uint64_t>(160));  // keys as differences
  expect_damage_to_be_found<Selected>(decimals<std::uint64_t>(100));
  expect_damage_to_be_found<Divided>(decimals<std::uint64_t>(100));
  expect_damage_to_be_found<Predicted>(signal(1200, 4));
  expect_damage_to_be_found<Matched>(bytes_of_words(with_copies<std::uint32_t>(600)));
  expect_damage_to_be_found<Turned>(bytes_of_words(with_turned_copies<std::uint32_t>(600)));
}

/// A codec's divisors are those with which it compresses: a file has its own.
TEST(StaticPreludeCodec, OtherDivisorsAreDecoded) {
  const Bytes original = decimals<std::uint64_t>(700);
  Bytes back;
  EXPECT_EQ(
      decompress<Selected>(
          codec::compress(
              original,
              synth::parse_method("RAT:256:10:1000 LAGs:3 LAGs:2 LAGs:1 ORD / LNV1s | ZE"), 8),
          back, 1),
      Status::Ok);
  EXPECT_TRUE(back == original);
}

TEST(StaticPreludeCodec, ContainersOfOthersAreToldApart) {
  const Bytes original = signal(8000, 8);
  const auto status = [&](const std::string& method, std::size_t word_bytes = 8) {
    Bytes back;
    return decompress<Lagged>(codec::compress(original, synth::parse_method(method), word_bytes),
                              back, 1);
  };
  EXPECT_EQ(status("LAGx:18200 LAGs:3 / LNV1s | ZE"), Status::Ok);
  for (const char* other : {"LAGx:18201 LAGs:3 / LNV1s | ZE", "LAGs:18200 LAGs:3 / LNV1s | ZE",
                            "LAGx:18200 / LNV1s | ZE", "LAGx:18200 LAGs:3 ORD / LNV1s | ZE",
                            "LAGx:18200 LAGs:3 / LNV2s | ZE", "LNV1s | ZE"}) {
    EXPECT_EQ(status(other), Status::OtherCodec) << other;
  }
  EXPECT_EQ(status("LAGx:18200 LAGs:3 / LNV1s | ZE", 4), Status::OtherCodec);
  Bytes container = compress<Lagged>(original, 1), back;
  container[kVersionAt] = std::byte{1};
  EXPECT_EQ(decompress<Lagged>(container, back, 1), Status::OldVersion);
  for (const std::uint8_t version : {kDescribedVersion, kSectionsVersion}) {
    container[kVersionAt] = std::byte{version};
    EXPECT_EQ(decompress<Lagged>(container, back, 1), Status::Described);
  }
  EXPECT_EQ(decompress<Lagged>(original, back, 1), Status::NotOurs);
  container[kVersionAt] = std::byte{kPreludeVersion};
  container[Lagged::Header::kChecksumAt] ^= std::byte{1};
  EXPECT_EQ(decompress<Lagged>(container, back, 1), Status::WrongSum);
}

/// Side data that claim more than the words could have, in a container that is otherwise right.
TEST(StaticPreludeCodec, SideDataOfMoreValuesThanWordsAreRefused) {
  const Bytes original = signal(8 * 100, 8), larger = signal(8 * 200, 8);
  const Bytes container = compress<Ranked>(original, 1), other = compress<Ranked>(larger, 1);
  PreludeFields fields, others;
  ASSERT_EQ(Ranked::Header::read(container.data(), container.size(), fields), Status::Ok);
  ASSERT_EQ(Ranked::Header::read(other.data(), other.size(), others), Status::Ok);
  const auto side = std::span(other).subspan(Ranked::Header::kBytes, others.step[0].side_bytes);
  const auto inner =
      std::span(container).subspan(Ranked::Header::kBytes + fields.step[0].side_bytes);
  fields.step[0].side_bytes = others.step[0].side_bytes;
  Bytes forged(Ranked::Header::kBytes);
  store_prelude_header(fields, forged.data());
  forged.insert(forged.end(), side.begin(), side.end());
  forged.insert(forged.end(), inner.begin(), inner.end());
  Bytes back;
  const std::vector<std::byte> keys = codec::decompress(side);
  ASSERT_GT(keys.size(), original.size());
  EXPECT_EQ(decompress<Ranked>(forged, back, 1), Status::Damaged);
}

}  // namespace
}  // namespace fpsynth::codec
