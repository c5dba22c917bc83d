// Files of sections: every part of an input with a method of its own.

#include "runners/codec/codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "runners/codec/compact.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/format/description.hpp"
#include "runners/codec/format/sections.hpp"
#include "runners/codec/inspect.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::codec {
namespace {

using tests::contains;

Section section(std::uint64_t words, const char* method, std::size_t chunk_words = 1024) {
  return {words, synth::parse_method(method), chunk_words};
}

/// Three sections with and without preludes, none of whole chunks, in chunks of several lengths.
std::vector<Section> sample_sections() {
  return {section(1500, "LNV1s BIT | ZE"), section(1, "RLE"),
          section(5003, "DICT LAGs:3 / LNV1s | ZE", 2048)};
}

std::uint64_t words_of(std::span<const Section> sections) {
  std::uint64_t sum = 0;
  for (const Section& one : sections) sum += one.words;
  return sum;
}

Bytes sample_original(std::size_t word_bytes, std::size_t tail = 3) {
  return signal(words_of(sample_sections()) * word_bytes + tail, word_bytes);
}

Bytes sample_container(std::size_t word_bytes = 8) {
  return compress_sections(sample_original(word_bytes), sample_sections(), word_bytes);
}

/// The file with `change` made to its index, and the right checksum.
Bytes resealed(Bytes file, const std::function<void(std::byte*)>& change) {
  const std::size_t sum = sections_front_bytes(SectionedFile(file, "x").sections().size()) - 8;
  change(file.data());
  store(&file[sum], ContentHash::of(std::span(file).first(sum)));
  return file;
}

TEST(Sections, AreRestoredWhateverTheyAre) {
  const std::vector<std::vector<Section>> all = {
      sample_sections(),
      {section(1024, "LNV1s | ZE"), section(2048, "BIT RLE")},
      {section(1, "ZE"), section(1, "RLE"), section(1, "ORD / ZE")},
      std::vector<Section>(kMostSections, section(7, "LAGs:2 / LNV1s | ZE"))};
  for (const std::vector<Section>& sections : all) {
    for (const std::size_t word_bytes : {8u, 4u}) {
      for (const std::size_t tail : {0u, 3u}) {
        const Bytes original = signal(words_of(sections) * word_bytes + tail, word_bytes);
        Bytes files[2];
        for (const int threads : {1, 3}) {
          CodecOptions options;
          options.threads = threads;
          const Bytes file = compress_sections(original, sections, word_bytes, options);
          files[threads / 2] = file;
          ASSERT_TRUE(has_sections(file));
          EXPECT_EQ(decompress(file, options), original);
          MemorySink sink;
          EXPECT_EQ(decompress(file, "x", sink, options), original.size());
          EXPECT_EQ(sink.bytes(), original);
          Bytes into(original.size());
          decompress_into(file, into, options);
          EXPECT_EQ(into, original);
          EXPECT_NO_THROW(check_beginning(
              std::span(file).first(std::min<std::size_t>(file.size(), Input::kChecked)), "x"));
        }
        EXPECT_EQ(files[0], files[1]);
      }
    }
  }
}

/// Version 7: columns of a table, which a prelude makes sections.
TEST(Sections, BehindAPreludeAreRestored) {
  const synth::Prelude turn = synth::parse_prelude("DIM:4");
  std::vector<Section> sections = {section(1001, "LNV1s BIT | ZE"), section(1001, "DEC:2 / RLE"),
                                   section(1000, "DICT / ZE"), section(1000, "LAGs:1 / | ZE")};
  for (const std::size_t word_bytes : {8u, 4u}) {
    const Bytes original = signal(4002 * word_bytes + 3, word_bytes);
    const Bytes file = compress_sections(original, sections, word_bytes, {}, turn);
    ASSERT_TRUE(is_turned(file));
    EXPECT_EQ(PreludeArchive(file, "x").prelude(), turn);
    EXPECT_EQ(compacted(compress_sections(transform(original, turn, word_bytes).bytes, sections,
                                          word_bytes)),
              compacted(Bytes(PreludeArchive(file, "x").inner().begin(),
                              PreludeArchive(file, "x").inner().end())));
    for (const Bytes& either : {file, compacted(file)}) {
      EXPECT_EQ(decompress(either), original);
      MemorySink sink;
      EXPECT_EQ(decompress(either, "x", sink), original.size());
      EXPECT_EQ(sink.bytes(), original);
      Bytes into(original.size());
      decompress_into(either, into);
      EXPECT_EQ(into, original);
      const Inspection found = inspect(either, "x");
      EXPECT_EQ(found.sections.size(), 4u);
      EXPECT_EQ(found.overhead_bytes + found.payload_bytes, either.size());
      EXPECT_EQ(found.method(), "DIM:4 / {LNV1s BIT | ZE; DEC:2 / RLE; DICT / ZE; LAGs:1 / | ZE}");
      for (std::size_t at = 0; at < either.size(); at += 1 + either.size() / 200) {
        Bytes bad = either;
        bad[at] ^= std::byte{0x10};
        EXPECT_THROW(decompress(bad), Error) << at;
        EXPECT_THROW(decompress(std::span(either).first(at)), Error) << at;
      }
    }
    EXPECT_LT(compacted(file).size(), file.size());
    Bytes other = file;  // a prelude in front of sections is no prelude in front of a container
    other[kVersionAt] = std::byte{kPreludeVersion};
    EXPECT_TRUE(contains(message(other), "not possible here"));
    other = compress(original, synth::parse_method("DIM:4 / ZE"), word_bytes);
    other[kVersionAt] = std::byte{kTurnedVersion};
    EXPECT_TRUE(contains(message(other), "no sections behind its prelude"));
    // Sections of sections could go on for as long as the file.
    const Bytes first =
        compress(signal(8 * word_bytes, word_bytes), synth::parse_method("ZE"), word_bytes);
    const auto entry = [](const Bytes& own) {
      const Header header = original_header(own, "x");
      return SectionEntry{header.original_bytes, own.size(), header.checksum};
    };
    other = front_of(std::array{entry(first), entry(file)}, word_bytes);
    other.insert(other.end(), first.begin(), first.end());
    other.insert(other.end(), file.begin(), file.end());
    EXPECT_TRUE(contains(message(other), "it has sections within a section"));
  }
}

TEST(Sections, OfOneAreAContainerWithoutAnIndex) {
  for (const std::size_t size : {0u, 5u, 8000u}) {
    const Bytes original = signal(size, 8);
    const auto one = section(size / 8, "LNV1s | ZE", 2048);
    CodecOptions options;
    options.chunk_words = 2048;
    EXPECT_EQ(compress_sections(original, std::span(&one, 1), 8),
              compress(original, one.method, 8, options));
  }
}

TEST(Sections, HoldTheContainersOfTheirParts) {
  const Bytes original = sample_original(8);
  const std::vector<Section> sections = sample_sections();
  const Bytes file = compress_sections(original, sections, 8);
  std::size_t at = sections_front_bytes(3), from = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t end = i == 2 ? original.size() : from + 8 * sections[i].words;
    CodecOptions options;
    options.chunk_words = sections[i].chunk_words;
    const Bytes alone =
        compress(std::span(original).subspan(from, end - from), sections[i].method, 8, options);
    ASSERT_LE(at + alone.size(), file.size());
    EXPECT_TRUE(std::ranges::equal(std::span(file).subspan(at, alone.size()), alone)) << i;
    at += alone.size();
    from = end;
  }
  EXPECT_EQ(at, file.size());

  const Inspection found = inspect(file, "x");
  EXPECT_EQ(found.version, 5);
  EXPECT_EQ(found.header.original_bytes, original.size());
  EXPECT_EQ(found.index_bytes, sections_front_bytes(3));
  EXPECT_EQ(found.tail_bytes, 3u);
  EXPECT_EQ(found.index_bytes + found.prelude.bytes + found.header_bytes + found.tail_bytes,
            found.overhead_bytes);
  EXPECT_EQ(found.overhead_bytes + found.payload_bytes, file.size());
  EXPECT_EQ(found.frames_bytes + found.blocks_bytes, found.payload_bytes);
  EXPECT_EQ(found.chunks(), 2u + 1 + 3);
  EXPECT_EQ(found.method(), "LNV1s BIT | ZE; RLE; DICT LAGs:3 / LNV1s | ZE");
}

/// Every byte of the index as FORMAT.md places it.
TEST(Sections, BytesOfTheIndexAreThoseOfTheFormat) {
  const Bytes front =
      front_of(std::vector<SectionEntry>{{0x0102030405060708, 9, 10}, {11, 12, 13}}, 4);
  constexpr std::uint8_t kExpected[] = {
      'F', 'P', 'S', 'Y', 5, 4, 2, 0,                                                    //
      8,   7,   6,   5,   4, 3, 2, 1, 9,  0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0,  //
      11,  0,   0,   0,   0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 13, 0, 0, 0, 0, 0, 0, 0};
  const auto expected = std::as_bytes(std::span(kExpected));
  ASSERT_EQ(front.size(), expected.size() + 8);
  EXPECT_TRUE(std::ranges::equal(std::span(front).first(expected.size()), expected));
  EXPECT_EQ(load<std::uint64_t>(&front[expected.size()]), ContentHash::of(expected));
}

TEST(Sections, StandBehindADescription) {
  Description description;
  description.kind = ValueKind::Signed;
  description.shape = {2, 3252};
  Bytes file = front_of(description, 4);
  const Bytes original = sample_original(4, 0);
  const Bytes sections = compress_sections(original, sample_sections(), 4);
  file.insert(file.end(), sections.begin(), sections.end());
  EXPECT_EQ(decompress(file), original);
  const Inspection found = inspect(file, "x");
  EXPECT_EQ(found.version, 4);
  EXPECT_EQ(found.sections.size(), 3u);
  EXPECT_EQ(found.overhead_bytes + found.payload_bytes, file.size());
}

TEST(Sections, NoByteCanBeForgedOrCutOffUnnoticed) {
  const std::vector<Section> sections = {section(40, "LNV1s | ZE"), section(50, "LAGs:3 / RLE")};
  const Bytes original = signal(90 * 8 + 2, 8);
  const Bytes good = compress_sections(original, sections, 8);
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
      Bytes bad = good;
      bad[at] ^= std::byte(flip);
      if (at < sections_front_bytes(2)) {
        EXPECT_THROW(decompress(bad), Error) << at;
        EXPECT_THROW(inspect(bad, "x"), Error) << at;
        continue;
      }
      try {
        EXPECT_EQ(decompress(bad), original) << at;
      } catch (const Error&) {
      }
    }
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(decompress(std::span(good).first(size)), Error) << size;
  }
  Bytes longer = good;
  longer.push_back(std::byte{0});
  EXPECT_THROW(decompress(longer), Error);
}

/// Forged values with a checksum that fits them.
TEST(Sections, HostileValuesAreErrorsThatNameTheFile) {
  const Bytes good = sample_container();
  constexpr std::uint64_t kHuge = UINT64_MAX - 7;
  struct Case {
    std::size_t at, bytes;
    std::uint64_t value;
    const char* says;
  };
  for (const Case& forged :
       {Case{5, 1, 2, "word size 2"}, Case{5, 1, 4, "section 1: its container is of"},
        Case{7, 1, 9, "at byte 7 the number 9"}, Case{8, 8, 0, "section 1 the original's size 0"},
        Case{8, 8, 1501, "section 1 the original's size 1501"},
        Case{8, 8, 1504, "section 1: its container is of 12000 bytes"},
        Case{8, 8, kHuge, "more than 2^64 bytes"}, Case{16, 8, kHuge, "more than 2^64 bytes"},
        Case{16, 8, 1, "its index and its sections have"},
        Case{24, 8, 5, "section 1: its container is of"}}) {
    const std::string said = message(resealed(good, [&](std::byte* at) {
      for (std::size_t i = 0; i < forged.bytes; ++i) {
        at[forged.at + i] = std::byte(forged.value >> (8 * i));
      }
    }));
    EXPECT_TRUE(said.starts_with("some.fps: ")) << said;
    EXPECT_TRUE(contains(said, forged.says));
  }
  for (const unsigned count : {0u, 1u, 129u, 255u}) {
    Bytes bad = good;
    bad[6] = std::byte(count);
    EXPECT_TRUE(contains(message(bad), "number of sections"));
  }
  for (const unsigned count : {2u, 4u, 128u}) {
    Bytes bad = good;
    bad[6] = std::byte(count);
    EXPECT_NE(message(bad), "no error");
  }
}

/// Sections that change places have the right sizes, and the wrong checksums.
TEST(Sections, DoNotChangePlaces) {
  const std::vector<Section> sections = {section(100, "| RLE"), section(100, "| RLE")};
  Bytes original(1600, std::byte{1});
  std::fill(original.begin() + 800, original.end(), std::byte{2});
  const Bytes file = compress_sections(original, sections, 8);
  const std::size_t front = sections_front_bytes(2), half = (file.size() - front) / 2;
  ASSERT_EQ(SectionedFile(file, "x").sections()[0].container.size(), half);
  Bytes bad = file;
  std::rotate(bad.begin() + std::ptrdiff_t(front), bad.begin() + std::ptrdiff_t(front + half),
              bad.end());
  EXPECT_TRUE(contains(message(bad), "some.fps: section 1: its container is of 800 bytes"));
}

TEST(Sections, HoldNoOthersAndNoDescriptions) {
  for (const bool described : {false, true}) {
    Bytes inner = described ? front_of(Description{}, 8) : sample_container();
    const Bytes container = compress(signal(8, 8), synth::parse_method("ZE"), 8);
    if (described) inner.insert(inner.end(), container.begin(), container.end());
    const std::vector<SectionEntry> entries = {{8, inner.size(), 0}, {8, container.size(), 0}};
    Bytes file = front_of(entries, 8);
    file.insert(file.end(), inner.begin(), inner.end());
    file.insert(file.end(), container.begin(), container.end());
    EXPECT_TRUE(contains(message(file), "not possible here"));
  }
  EXPECT_THROW(parse_header(sample_container(), "x"), Error);
}

TEST(Sections, ThatAreNotTheInputsAreErrors) {
  const Bytes original = signal(8 * 100, 8);
  for (const std::vector<Section>& sections : {std::vector<Section>{},
                                               {section(99, "ZE")},
                                               {section(101, "ZE")},
                                               {section(50, "ZE"), section(49, "ZE")},
                                               {section(50, "ZE"), section(51, "ZE")},
                                               {section(100, "ZE"), section(0, "ZE")},
                                               std::vector<Section>(129, section(1, "ZE"))}) {
    EXPECT_THROW(compress_sections(original, sections, 8), Error);
  }
}

TEST(Sections, AreRefusedOverTheLimitAndForAnotherSize) {
  const Bytes file = sample_container(), original = sample_original(8);
  CodecOptions options;
  options.limit = original.size() - 1;
  EXPECT_THROW(decompress(file, options), Error);
  options.limit = original.size();
  EXPECT_EQ(decompress(file, options), original);
  Bytes into(original.size() - 1);
  EXPECT_THROW(decompress_into(file, into), Error);
}

TEST(Sections, SeedsOfTheFuzzerHaveThem) {
  for (const char* seed : {"sections.double.fps", "sections.single.fps"}) {
    const std::string text =
        tests::read_bytes(tests::source_file("tests/fuzz/seeds/container") / seed);
    EXPECT_TRUE(has_sections(bytes_of(text))) << seed;
    EXPECT_EQ(decompress(bytes_of(text)).size(),
              inspect(bytes_of(text), seed).header.original_bytes);
  }
}

}  // namespace
}  // namespace fpsynth::codec
