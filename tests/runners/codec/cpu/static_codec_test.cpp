// The codec of generated projects on several threads. generated_test.cpp tests it on one thread,
// with all components.

#include "runners/codec/cpu/static_codec.hpp"

#include <gtest/gtest.h>

#include <string>

#include "components/registry.hpp"
#include "components/teams/simd/native.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec {
namespace {

using namespace components;
using Words =
    StaticCodec<StaticPipeline<std::uint64_t, 4, Use<LnvSub, 6>, Use<Bit>, Use<LnvSub, 1>, Use<Ze>>,
                teams::NativeTeam>;
using Singles =
    StaticCodec<StaticPipeline<std::uint32_t, 1, Use<LnvSub, 1>, Use<Rle>>, teams::NativeTeam>;

/// Enough for four threads; the end fills neither a slice nor a word.
constexpr std::size_t kBytes = (std::size_t{9} << 20) + 12345;

template <class Codec>
Bytes compress(const Bytes& original, int threads, std::size_t capacity) {
  Bytes out(capacity);
  std::size_t written = 0;
  EXPECT_EQ(
      Codec::compress(original.data(), original.size(), out.data(), capacity, written, threads),
      Status::Ok);
  out.resize(written);
  return out;
}

template <class Codec>
Status decompress(const Bytes& container, Bytes& original, int threads) {
  std::size_t written = 0;
  return Codec::decompress(container.data(), container.size(), original.data(), original.size(),
                           written, threads);
}

template <class Codec>
void expect_the_librarys_bytes(const std::string& pipeline, std::size_t word_bytes) {
  const Bytes original = signal(kBytes, word_bytes);
  const Bytes expected = codec::compress(original, synth::parse_pipeline(pipeline), word_bytes);
  for (const int threads : {1, 2, 4, 0}) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    for (const std::size_t capacity : {Codec::bound(kBytes), expected.size()}) {
      EXPECT_TRUE(compress<Codec>(original, threads, capacity) == expected);
    }
    Bytes back(kBytes);
    EXPECT_EQ(decompress<Codec>(expected, back, threads), Status::Ok);
    EXPECT_TRUE(back == original);
  }
}

TEST(StaticCodec, TheLibrarysBytesOnAnyNumberOfThreads) {
  expect_the_librarys_bytes<Words>("LNV6s BIT LNV1s ZE", 8);
  expect_the_librarys_bytes<Singles>("LNV1s | RLE", 4);
}

TEST(StaticCodec, TooSmallAndDamagedOnAnyNumberOfThreads) {
  const Bytes original = signal(kBytes, 8);
  const Bytes container = compress<Words>(original, 1, Words::bound(kBytes));
  Bytes damaged = container, back(kBytes);
  damaged[container.size() - 1] ^= std::byte{1};
  for (const int threads : {1, 2, 4}) {
    Bytes out(container.size() - 1);
    std::size_t written = 1;
    EXPECT_EQ(Words::compress(original.data(), kBytes, out.data(), out.size(), written, threads),
              Status::TooSmall);
    EXPECT_EQ(written, 0u);
    EXPECT_NE(decompress<Words>(damaged, back, threads), Status::Ok);
    damaged.pop_back();
    EXPECT_EQ(decompress<Words>(damaged, back, threads), Status::Damaged);
    damaged = container;
    damaged[container.size() - 1] ^= std::byte{1};
    Bytes other = container;
    other[Words::Container::kChecksumAt] ^= std::byte{1};
    EXPECT_EQ(decompress<Words>(other, back, threads), Status::WrongSum);
    other[kVersionAt] = std::byte{1};
    EXPECT_EQ(decompress<Words>(other, back, threads), Status::OldVersion);
    for (const std::uint8_t version : {kDescribedVersion, kSectionsVersion}) {
      other[kVersionAt] = std::byte{version};
      EXPECT_EQ(decompress<Words>(other, back, threads), Status::Described);
    }
  }
}

}  // namespace
}  // namespace fpsynth::codec
