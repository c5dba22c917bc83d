#include "runners/codec/format/description.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/inspect.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::codec {
namespace {

using tests::contains;

constexpr std::size_t kWords = 6 * 7 * 50;

Description sample() {
  Description description;
  description.kind = ValueKind::Float;
  description.origin = Origin::Variable;
  description.big_endian = true;
  description.shape = {6, 7, 50};
  description.name = "wind/\xc3\xbc";
  const auto head = bytes_of("three heads");
  description.head.assign(head.begin(), head.end());
  return description;
}

Bytes behind(const Description& description, const Bytes& container, std::size_t word_bytes) {
  Bytes file = front_of(description, word_bytes);
  file.insert(file.end(), container.begin(), container.end());
  return file;
}

Bytes sample_file(const std::string& method = "LNV1s | ZE", std::size_t word_bytes = 8) {
  const Bytes words = signal(kWords * word_bytes, word_bytes);
  return behind(sample(), compress(words, synth::parse_method(method), word_bytes), word_bytes);
}

/// The file with `change` made to its description, and the right checksum.
Bytes resealed(Bytes file, std::size_t front, const std::function<void(std::byte*)>& change) {
  change(file.data());
  store(&file[front - 8], ContentHash::of(std::span(file).first(front - 8)));
  return file;
}

std::string refusal(std::span<const std::byte> file) {
  return tests::message_of([&] { DescribedFile(file, "some.fps"); });
}

TEST(Description, KeepsEverythingBesideAContainerOfEveryVersion) {
  for (const char* method : {"LNV1s | ZE", "DICT LAGs:3 / LNV1s | ZE"}) {
    for (const std::size_t word_bytes : {8u, 4u, 2u}) {
      const Bytes file = sample_file(method, word_bytes);
      ASSERT_TRUE(is_described(file));
      const DescribedFile described(file, "x");
      EXPECT_EQ(described.description(), sample());
      EXPECT_EQ(described.type(), type_of(described.description(), word_bytes));
      EXPECT_EQ(synth::word_bytes(described.type()), word_bytes);
      EXPECT_EQ(described.tail_bytes(), 0u);
      EXPECT_EQ(has_prelude(described.inner()), method[0] == 'D');

      const Bytes words = signal(kWords * word_bytes, word_bytes);
      EXPECT_EQ(decompress(file), words);
      MemorySink sink;
      EXPECT_EQ(decompress(file, "x", sink), words.size());
      EXPECT_EQ(sink.bytes(), words);
      Bytes into(words.size());
      decompress_into(file, into);
      EXPECT_EQ(into, words);

      const Inspection found = inspect(file, "x"), inner = inspect(described.inner(), "x");
      EXPECT_EQ(found.version, 4);
      EXPECT_EQ(found.description, sample());
      EXPECT_EQ(found.description_bytes, file.size() - described.inner().size());
      EXPECT_EQ(found.overhead_bytes(), inner.overhead_bytes() + found.description_bytes);
      EXPECT_EQ(found.overhead_bytes() + found.payload_bytes(), file.size());
      EXPECT_EQ(found.header.checksum, inner.header.checksum);
      EXPECT_LT(found.ratio(), inner.ratio());
    }
  }
}

TEST(Description, OneValueNoValueAndATailOfRawWordsAreKept) {
  for (const std::vector<std::uint64_t>& shape :
       {std::vector<std::uint64_t>{}, {0}, {3, 0, std::uint64_t(1) << 63}, {2, 1, 1}}) {
    Description description;
    description.shape = shape;
    const std::size_t words = shape.empty() ? 1 : shape.size() == 3 && shape[0] == 2 ? 2 : 0;
    const Bytes values = signal(8 * words + 3, 8);
    const Bytes file = behind(description, compress(values, synth::parse_pipeline("ZE"), 8), 8);
    const DescribedFile described(file, "x");
    EXPECT_EQ(described.description().shape, shape);
    EXPECT_EQ(described.tail_bytes(), 3u);
    EXPECT_EQ(decompress(file), values);
    description.origin = Origin::Npy;
    EXPECT_TRUE(
        contains(refusal(behind(description, compress(values, synth::parse_pipeline("ZE"), 8), 8)),
                 "3 bytes behind its last value"));
  }
}

/// Every byte as FORMAT.md places it.
TEST(Description, BytesAreThoseOfTheFormat) {
  Description description;
  description.kind = ValueKind::Unsigned;
  description.origin = Origin::Npy;
  description.big_endian = description.fortran_order = true;
  description.shape = {2, 0x0102030405060708};
  description.name = "ab";
  description.head = {std::byte{9}, std::byte{8}, std::byte{7}};
  const Bytes front = front_of(description, 4);
  constexpr std::uint8_t kExpected[] = {
      'F', 'P', 'S', 'Y', 4, 4, 2, 3, 1, 2, 2, 0, 3, 0, 0, 0,  // fields
      2,   0,   0,   0,   0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1,  // extents
      'a', 'b', 9,   8,   7};                                  // name and head
  const auto expected = std::as_bytes(std::span(kExpected));
  ASSERT_EQ(front.size(), expected.size() + 8);
  EXPECT_TRUE(std::ranges::equal(std::span(front).first(expected.size()), expected));
  EXPECT_EQ(load<std::uint64_t>(&front[expected.size()]), ContentHash::of(expected));
}

TEST(Description, NoByteCanBeForgedUnnoticed) {
  const Bytes good = sample_file();
  const std::size_t front = DescribedFile(good, "x").front_bytes();
  for (std::size_t at = 0; at < front; ++at) {
    for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
      Bytes bad = good;
      bad[at] ^= std::byte(flip);
      EXPECT_THROW(decompress(bad), Error) << at;
      EXPECT_THROW(inspect(bad, "x"), Error) << at;
    }
  }
  for (std::size_t size = 0; size < front + 40; ++size) {
    EXPECT_THROW(decompress(std::span(good).first(size)), Error) << size;
  }
}

/// Forged values with a checksum that fits them.
TEST(Description, HostileValuesAreErrorsThatNameTheFile) {
  const Bytes good = sample_file();
  const std::size_t front = DescribedFile(good, "x").front_bytes();
  struct Case {
    std::size_t at;
    std::uint64_t value;
    std::size_t bytes;
    const char* says;
  };
  constexpr std::uint64_t kHuge = UINT64_MAX;
  for (const Case& forged :
       {Case{5, 3, 1, "word size 3"}, Case{5, 4, 1, "other values than its container's"},
        Case{6, 3, 1, "type 3"}, Case{7, 4, 1, "orders 4"}, Case{8, 3, 1, "origin 3"},
        Case{9, 65, 1, "number of extents 65"}, Case{16, 7, 8, "other values than"},
        Case{16, 0, 8, "other values than"}, Case{16, kHuge, 8, "other values than"},
        // 6 times 2^64 / 6 + 1, and so on: products that wrap around.
        Case{16, (std::uint64_t{1} << 63) + 6, 8, "other values than"}}) {
    const std::string said = refusal(resealed(good, front, [&](std::byte* at) {
      for (std::size_t i = 0; i < forged.bytes; ++i) {
        at[forged.at + i] = std::byte(forged.value >> (8 * i));
      }
    }));
    EXPECT_TRUE(said.starts_with("some.fps: ")) << said;
    EXPECT_TRUE(contains(said, forged.says));
  }
  // Lengths that lead behind the end of the file, or to where no checksum is.
  for (const auto& [at, bytes] : {std::pair{9, 1}, std::pair{10, 2}, std::pair{12, 4}}) {
    for (const std::uint64_t add : {std::uint64_t{1}, std::uint64_t{40}, kHuge}) {
      Bytes bad = good;
      for (int i = 0; i < bytes; ++i) {
        auto& byte = bad[std::size_t(at + i)];
        byte = add == kHuge ? std::byte(at == 9 ? 64u : 255u)
                            : std::byte(unsigned(byte) + unsigned(i == 0 ? add : 0));
      }
      EXPECT_NE(refusal(bad), "no error") << at << " + " << add;
    }
  }
  // A description of a description.
  const Bytes twice = behind(sample(), good, 8);
  EXPECT_TRUE(contains(refusal(twice), "begins with a description"));
  EXPECT_THROW(decompress(twice), Error);
}

TEST(Description, WhatHasNoPlaceIsNotWritten) {
  Description description;
  description.shape.assign(65, 1);
  EXPECT_THROW(front_of(description, 8), Error);
  description.shape.assign(64, 1);
  EXPECT_NO_THROW(front_of(description, 8));
  description.name.assign(65536, 'x');
  EXPECT_THROW(front_of(description, 8), Error);
}

TEST(Description, BeginningsAreCheckedBeforeTheRestIsRead) {
  Description description = sample();
  description.head.assign(10000, std::byte{1});
  const Bytes front = front_of(description, 8);
  EXPECT_NO_THROW(check_beginning(std::span(front).first(4096), "x"));
  EXPECT_THROW(check_beginning(std::span(front).first(12), "x"), Error);
  EXPECT_THROW(parse_header(front, "x"), Error);
}

TEST(Description, SeedsOfTheFuzzerAreDescribed) {
  for (const char* seed : {"described-npy.single.fps", "described-prelude.double.fps"}) {
    const std::string text =
        tests::read_bytes(tests::source_file("tests/fuzz/seeds/container") / seed);
    EXPECT_TRUE(is_described(bytes_of(text))) << seed;
    EXPECT_EQ(decompress(bytes_of(text)).size(),
              inspect(bytes_of(text), seed).header.original_bytes);
  }
}

}  // namespace
}  // namespace fpsynth::codec
