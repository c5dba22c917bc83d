// Files of sections: every part of an input with a method of its own.

#include "runners/codec/codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "runners/codec/compact.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/format/description.hpp"
#include "runners/codec/inspect.hpp"
#include "runners/codec/prelude_files.hpp"
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

/// A file of containers of so many bytes together.
Bytes file_of(std::span<const Bytes> containers, std::uint64_t bytes, std::size_t word_bytes) {
  std::vector<std::uint64_t> checksums;
  Bytes behind;
  for (const Bytes& one : containers) {
    if (has_version(one.data(), one.size(), kVersion)) {
      checksums.push_back(parse_header(one, "x").checksum);
    }
    behind.insert(behind.end(), one.begin(), one.end());
  }
  Bytes file = front_of({}, {}, word_bytes, bytes, sections_checksum(checksums), containers.size());
  file.insert(file.end(), behind.begin(), behind.end());
  return file;
}

TEST(Sections, AreRestoredWhateverTheyAre) {
  const std::vector<std::vector<Section>> all = {
      sample_sections(),
      {section(1024, "LNV1s | ZE"), section(2048, "BIT RLE")},
      {section(1, "ZE"), section(1, "RLE"), section(1, "ORD / ZE")},
      std::vector<Section>(kMostSections, section(7, "LAGs:2 / LNV1s | ZE"))};
  for (const std::vector<Section>& sections : all) {
    for (const std::size_t word_bytes : {8u, 4u, 2u, 1u}) {
      for (const std::size_t tail : {std::size_t{0}, std::min<std::size_t>(3, word_bytes - 1)}) {
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

/// Columns of a table, which a prelude makes sections.
TEST(Sections, BehindAPreludeAreRestored) {
  const synth::Prelude turn = synth::parse_prelude("DIM:4");
  std::vector<Section> sections = {section(1001, "LNV1s BIT | ZE"), section(1001, "DEC:2 / RLE"),
                                   section(1000, "DICT / ZE"), section(1000, "LAGs:1 / | ZE")};
  for (const std::size_t word_bytes : {8u, 4u, 2u, 1u}) {
    const std::string second = word_bytes < 4 ? "ORD" : "DEC:2";
    sections[1].method.prelude = synth::parse_prelude(second);
    const std::size_t tail = std::min<std::size_t>(3, word_bytes - 1);
    const Bytes original = signal(4002 * word_bytes + tail, word_bytes);
    const Bytes file = compress_sections(original, sections, word_bytes, {}, turn);
    ASSERT_TRUE(has_sections(file) && has_prelude(file));
    const PreludeArchive archive(file, "x");
    EXPECT_EQ(archive.prelude(), turn);
    const Bytes columns =
        compress_sections(transform(original, turn, word_bytes).bytes, sections, word_bytes);
    EXPECT_TRUE(std::ranges::equal(archive.inner(), PreludeArchive(columns, "x").inner()));
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
      EXPECT_EQ(found.overhead_bytes() + found.payload_bytes(), either.size());
      EXPECT_EQ(found.method(),
                "DIM:4 / {LNV1s BIT | ZE; " + second + " / RLE; DICT / ZE; LAGs:1 / | ZE}");
      for (std::size_t at = 0; at < either.size(); at += 1 + either.size() / 200) {
        Bytes bad = either;
        bad[at] ^= std::byte{0x10};
        if (word_bytes > 1) {
          EXPECT_THROW(decompress(bad), Error) << at;
        } else {  // of bytes, another cut changes nothing
          try {
            EXPECT_EQ(decompress(bad), original) << at;
          } catch (const Error&) {
          }
        }
        EXPECT_THROW(decompress(std::span(either).first(at)), Error) << at;
      }
    }
    EXPECT_LT(compacted(file).size(), file.size());
    Bytes other = file;  // a prelude in front of sections is no prelude in front of a container
    other[kVersionAt] = std::byte{kPreludeVersion};
    EXPECT_TRUE(contains(message(other), "impossible value"));
    other[kSectionsAt] = std::byte{0};
    EXPECT_TRUE(contains(message(other), "its prelude is of"));
    other = compress(original, synth::parse_method("DIM:4 / ZE"), word_bytes);
    other[kVersionAt] = std::byte{kSectionsVersion};
    EXPECT_TRUE(contains(message(other), "impossible value"));
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
  std::size_t at = prelude_header_bytes(0), from = 0;
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
  EXPECT_EQ(found.index_bytes, prelude_header_bytes(0));
  EXPECT_EQ(found.tail_bytes, 3u);
  EXPECT_EQ(found.index_bytes + found.prelude.bytes + found.header_bytes + found.tail_bytes,
            found.overhead_bytes());
  EXPECT_EQ(found.overhead_bytes() + found.payload_bytes(), file.size());
  EXPECT_EQ(found.frames_bytes + found.blocks_bytes, found.payload_bytes());
  EXPECT_EQ(found.chunks(), 2u + 1 + 3);
  EXPECT_EQ(found.method(), "LNV1s BIT | ZE; RLE; DICT LAGs:3 / LNV1s | ZE");
}

/// Every byte of the header as FORMAT.md places it.
TEST(Sections, BytesOfTheHeaderAreThoseOfTheFormat) {
  const Bytes front = front_of({}, {}, 4, 0x0102030405060708, 9, 3);
  constexpr std::uint8_t kExpected[] = {'F', 'P', 'S', 'Y', 5, 4, 0, 3,  //
                                        8,   7,   6,   5,   4, 3, 2, 1, 9, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_TRUE(std::ranges::equal(front, std::as_bytes(std::span(kExpected))));
  constexpr std::uint8_t kChecksums[] = {2, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(sections_checksum(std::vector<std::uint64_t>{0x102, 3}),
            ContentHash::of(std::as_bytes(std::span(kChecksums))));
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
  EXPECT_EQ(found.overhead_bytes() + found.payload_bytes(), file.size());
}

TEST(Sections, NoByteCanBeForgedOrCutOffUnnoticed) {
  const std::vector<Section> sections = {section(40, "LNV1s | ZE"), section(50, "LAGs:3 / RLE")};
  const Bytes original = signal(90 * 8 + 2, 8);
  const Bytes good = compress_sections(original, sections, 8);
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
      Bytes bad = good;
      bad[at] ^= std::byte(flip);
      if (at < prelude_header_bytes(0)) {
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

TEST(Sections, HostileValuesAreErrorsThatNameTheFile) {
  const Bytes good = sample_container();
  struct Case {
    std::size_t at, bytes;
    std::uint64_t value;
    const char* says;
  };
  for (const Case& forged :
       {Case{5, 1, 3, "impossible value"}, Case{5, 1, 4, "section 1: its container is of"},
        Case{6, 1, 6, "impossible value"}, Case{7, 1, 0, "impossible value"},
        Case{7, 1, 1, "impossible value"}, Case{7, 1, 129, "impossible value"},
        Case{7, 1, 2, "section 2: its container is of 8 bytes"},
        Case{7, 1, 4, "section 3: its container is of"}, Case{8, 8, 0, "section 1: its container"},
        Case{8, 8, UINT64_MAX - 7, "section 3: its container is of"},
        Case{8, 8, 12000, "section 2: its container is of 8 bytes in words of 8, of 0"},
        Case{16, 8, 5, "its sections have checksum"}}) {
    Bytes bad = good;
    for (std::size_t i = 0; i < forged.bytes; ++i) {
      bad[forged.at + i] = std::byte(forged.value >> (8 * i));
    }
    const std::string said = message(bad);
    EXPECT_TRUE(said.starts_with("some.fps: ")) << said;
    EXPECT_TRUE(contains(said, forged.says));
  }
}

/// Sections that change places have the right sizes, and the wrong checksum.
TEST(Sections, DoNotChangePlaces) {
  const std::vector<Section> sections = {section(100, "| RLE"), section(100, "| RLE")};
  Bytes original(1600, std::byte{1});
  std::fill(original.begin() + 800, original.end(), std::byte{2});
  Bytes bad = compress_sections(original, sections, 8);
  const auto front = std::ptrdiff_t(prelude_header_bytes(0));
  std::rotate(bad.begin() + front, bad.begin() + (std::ssize(bad) + front) / 2, bad.end());
  EXPECT_TRUE(contains(message(bad), "some.fps: its sections have checksum"));
}

TEST(Sections, HoldContainersOfWholeWordsAlone) {
  const auto container = [](std::size_t bytes, const char* method = "ZE") {
    return compress(signal(bytes, 8), synth::parse_method(method), 8);
  };
  const Bytes two = file_of(std::array{container(8), container(16)}, 24, 8);
  EXPECT_EQ(decompress(two).size(), 24u);
  const auto refusal = [](const Bytes& first, const Bytes& second, std::uint64_t bytes) {
    return message(file_of(std::array{first, second}, bytes, 8));
  };
  EXPECT_TRUE(contains(refusal(container(12), container(16), 28), "its container is of 12 bytes"));
  EXPECT_TRUE(contains(refusal(container(0), container(16), 16), "its container is of 0 bytes"));
  EXPECT_TRUE(contains(refusal(container(8), container(0), 8), "its container is of 0 bytes"));
  // Sections of sections could go on for as long as the file.
  const Bytes turned =
      compress_sections(signal(16, 8), std::vector<Section>{section(1, "ZE"), section(1, "ZE")}, 8,
                        {}, synth::parse_prelude("DIM:2"));
  for (const Bytes& sections : {two, turned}) {
    EXPECT_TRUE(contains(refusal(container(8), sections, 32), "it has sections within a section"));
    EXPECT_TRUE(contains(refusal(sections, container(8), 32), "it has sections within a section"));
  }
  Bytes described = front_of(Description{}, 8);
  const Bytes one = container(8), compact = compacted(container(16));
  described.insert(described.end(), one.begin(), one.end());
  EXPECT_TRUE(contains(refusal(described, one, 16), "not possible here"));
  EXPECT_TRUE(contains(refusal(one, compact, 24), "not possible here"));
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
