// The container's checksum on the host. gpu/content_hash_test.cpp compares devices' with it.

#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/cpu/parallel.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec {
namespace {

/// As FORMAT.md defines it.
std::uint64_t checksum_of(std::span<const std::byte> content) {
  Bytes list;
  for (std::size_t at = 0; at < content.size(); at += 65536) {
    const std::size_t size = std::min<std::size_t>(65536, content.size() - at);
    const std::uint64_t hash = XXH3_64bits(&content[at], size);
    for (int i = 0; i < 8; ++i) list.push_back(static_cast<std::byte>(hash >> (8 * i)));
  }
  return XXH3_64bits(list.data(), list.size());
}

/// Around one segment, and around many.
const std::size_t kSizes[] = {0,     1,      7,      8,      240,       241,       65535, 65536,
                              65537, 131071, 131072, 131073, 8 * 65536, 9 * 65536, 700001};

TEST(ContentHash, IsThatOfTheDocument) {
  const Bytes data = noise(700001);
  for (const std::size_t size : kSizes) {
    const std::span content = std::span(data).first(size);
    EXPECT_EQ(ContentHash::of(content), checksum_of(content)) << size << " bytes";
  }
}

TEST(ContentHash, TheFastestXxh3GivesTheSame) {
  const Bytes data = noise(70000);
  for (const std::size_t size : {0, 1, 16, 240, 241, 1025, 65535, 65536, 70000}) {
    EXPECT_EQ(fastest_xxh3(std::span(data).first(size)), XXH3_64bits(data.data(), size)) << size;
  }
}

TEST(ContentHash, NeverChanges) {
  Bytes data(200000);
  std::uint32_t state = 1;
  for (std::byte& byte : data) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::byte>(state >> 24);
  }
  const auto hash = [&](std::size_t size) { return ContentHash::of(std::span(data).first(size)); };
  EXPECT_EQ(hash(0), 0x2d06800538d394c2u);
  EXPECT_EQ(hash(100), 0xd9778ca632fb544cu);
  EXPECT_EQ(hash(65536), 0x170cb462e13bb03du);
  EXPECT_EQ(hash(65537), 0x7be3cac2d70b8aeeu);
  EXPECT_EQ(hash(200000), 0xc8e6db5872969972u);
}

TEST(ContentHash, TakesPiecesOfAnyLengthHashedBeforeOrNot) {
  const Bytes data = noise(700001);
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    const std::size_t most = std::size_t{1} << (8 + random() % 13);
    ContentHash hash;
    std::span<const std::byte> left = data;
    while (!left.empty()) {
      std::size_t size = std::min<std::size_t>(left.size(), 1 + random() % most);
      // Some pieces begin or end with a segment.
      if (random() % 4 == 0)
        size = std::min(left.size(), kSegmentBytes - hash.bytes() % kSegmentBytes);
      const std::span piece = left.first(size);
      const std::uint64_t at = hash.bytes();
      ASSERT_EQ(at, data.size() - left.size());
      if (random() % 3 > 0) {
        SegmentHashes hashes;
        hashes.compute(at, piece);
        hash.update(piece, hashes);
      } else {
        hash.update(piece);
      }
      left = left.subspan(size);
      if (random() % 16 == 0) {
        ASSERT_EQ(hash.digest(), checksum_of(std::span(data).first(hash.bytes())));
      }
    }
    ASSERT_EQ(hash.digest(), checksum_of(data));
  }
}

TEST(ContentHash, TellsSwappedSegmentsApart) {
  Bytes data(3 * kSegmentBytes), swapped(3 * kSegmentBytes);
  data[0] = swapped[kSegmentBytes] = std::byte{1};
  EXPECT_NE(ContentHash::of(data), ContentHash::of(swapped));
  EXPECT_NE(ContentHash::of(data), ContentHash::of(std::span(data).first(2 * kSegmentBytes)));
}

}  // namespace
}  // namespace fpsynth::codec
