// RRE, ZEC, REC, CLOG and RLP on every team: examples worked by hand, refusals of the decoders, and
// worst cases. The rest is in stages_test.cpp, as for all components.

#include <cstring>
#include <random>

#include "components/shrunk_bitmap.hpp"
#include "tests/components/cuda_stages.hpp"
#include "tests/components/support.hpp"

namespace fpsynth::components_tests {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(std::byte(value));
  return bytes;
}

class Reducers : public Stages {
 protected:
  Bytes encoded(const char* name, std::size_t word_bytes, const Bytes& input) {
    return encode(table(), *synth::parse_component(name), word_bytes, input).bytes;
  }
  /// True if the decoder takes a block for the encoding of `words` words.
  bool takes(const char* name, std::size_t word_bytes, const Bytes& block, std::size_t words) {
    const synth::Component component = *synth::parse_component(name);
    const Extent extent{std::uint32_t(block.size() / word_bytes), 0};
    ScratchBuffer scratch(std::max<std::size_t>(words, extent.words));
    poison(scratch.view());
    const components::Scratch view = scratch_for_decoder(component, scratch);
    Block in(block), out(words * word_bytes);
    const bool good = table()
                          .at(component.family, word_bytes)
                          .decode(in.data(), extent, out.data(), words, 0, view);
    EXPECT_TRUE(out.front_is_intact());
    return good;
  }
  /// The same with one byte replaced, which must be refused where the block is taken.
  void expect_refused(const char* name, std::size_t word_bytes, Bytes block, std::size_t words,
                      std::size_t at, int value) {
    EXPECT_TRUE(takes(name, word_bytes, block, words)) << name;
    block.at(at) = std::byte(value);
    EXPECT_FALSE(takes(name, word_bytes, block, words)) << name << ", byte " << at;
  }
};
INSTANTIATE_TEST_SUITE_P(AllTeams, Reducers, ::testing::ValuesIn(host_teams()), team_name);
INSTANTIATE_TEST_SUITE_P(GPU_, Reducers, ::testing::Values(Team{"cuda", components::cuda_stages}),
                         team_name);

TEST_P(Reducers, RreKeepsWhatDiffers) {
  const Bytes input = bytes_of({7, 7, 7, 0, 0, 5, 5, 5, 5, 6});
  const Bytes block = bytes_of({0b00101001, 0b10, 7, 0, 5, 6});
  EXPECT_EQ(encoded("RRE", 1, input), block);
  expect_refused("RRE", 1, block, 10, 1, 0b110);       // a bit past the block
  expect_refused("RRE", 1, block, 10, 0, 0b00101010);  // the first word repeats none
  expect_refused("RRE", 1, block, 10, 0, 0b00101011);  // more bits than words
  EXPECT_FALSE(takes("RRE", 1, bytes_of({1}), 10));    // no room for the bitmap
}

/// 80 bytes: a bitmap of ten bytes, of which one level is made, of two bytes.
TEST_P(Reducers, ShrunkBitmapsLeaveOutWhatRepeats) {
  Bytes input(80, std::byte{9});
  input[79] = std::byte{0};
  Bytes zec = bytes_of({0b00000001, 0b10, 0xff, 0x7f});
  zec.insert(zec.end(), 79, std::byte{9});
  EXPECT_EQ(encoded("ZEC", 1, input), zec);
  expect_refused("ZEC", 1, zec, 80, 1, 0b110);  // a bit past the second level
  expect_refused("ZEC", 1, zec, 80, 0, 0b11);   // more bytes than there are words
  expect_refused("ZEC", 1, zec, 80, 3, 0x3f);   // fewer bits than words
  const Bytes rec = bytes_of({0b00000011, 0b10, 0x01, 0x00, 0x80, 9, 0});
  EXPECT_EQ(encoded("REC", 1, input), rec);
  expect_refused("REC", 1, rec, 80, 2, 0x02);  // the first word repeats none
  EXPECT_FALSE(takes("REC", 1, bytes_of({0b11}), 80));

  // On words, zeros follow the bitmap; and bits past the block are in level 0.
  Bytes words(4 * 77, std::byte{0});
  words[0] = std::byte{3};
  const Bytes block = bytes_of({0b11, 0, 1, 0, 3, 0, 0, 0});
  EXPECT_EQ(encoded("ZEC", 4, words), block);
  EXPECT_EQ(encoded("REC", 4, words), bytes_of({0b11, 0, 3, 0, 3, 0, 0, 0, 0, 0, 0, 0}));
  const Bytes three = bytes_of({0b01, 0, 1, 0, 3, 0, 0, 0});  // every byte is 1: ten words
  EXPECT_FALSE(takes("ZEC", 4, three, 77));
  // Level 0 ends with 0x3f where 77 words have 5 bits in the last byte.
  const Bytes last = bytes_of({0, 0b10, 0x3f, 0});
  EXPECT_FALSE(takes("ZEC", 4, last, 77));
  const Bytes none = bytes_of({0, 0, 0, 0});
  EXPECT_TRUE(takes("ZEC", 4, none, 77));
  expect_refused("ZEC", 4, none, 77, 2, 1);  // not zero between bitmap and words
}

TEST(ShrunkBitmap, HasUpToThreeLevels) {
  using components::ShrunkBitmap;
  EXPECT_EQ(ShrunkBitmap::bound<std::uint8_t>(56), 7u);      // no level
  EXPECT_EQ(ShrunkBitmap::bound<std::uint8_t>(57), 8u + 1);  // one
  EXPECT_EQ(ShrunkBitmap::bound<std::uint8_t>(1024), 128u + 16 + 2);
  EXPECT_EQ(ShrunkBitmap::bound<std::uint8_t>(8192), 1024u + 128 + 16 + 2);
  EXPECT_EQ(ShrunkBitmap::bound<std::uint8_t>(32768), 4096u + 512 + 64 + 8);
  EXPECT_EQ(ShrunkBitmap::bound<std::uint64_t>(1024), (128u + 16 + 2 + 7) / 8);
}

TEST_P(Reducers, ClogWritesPlanes) {
  const Bytes input = bytes_of({5, 3, 0});
  const Bytes block = bytes_of({3, 0b10000000, 0b01000000, 0b11000000});
  EXPECT_EQ(encoded("CLOG", 1, input), block);
  expect_refused("CLOG", 1, block, 3, 0, 9);           // more bits than a byte has
  expect_refused("CLOG", 1, block, 3, 0, 2);           // fewer planes than there are
  expect_refused("CLOG", 1, block, 3, 3, 0b11010000);  // a bit past the last word

  // Nine words of 32 bits: planes of two bytes, and zeros after the header and the planes.
  Bytes words(4 * 9, std::byte{0});
  words[0] = words[4 * 8] = std::byte{1};
  const Bytes nine = bytes_of({1, 0, 0, 0, 0x80, 0x80, 0, 0});
  EXPECT_EQ(encoded("CLOG", 4, words), nine);
  expect_refused("CLOG", 4, nine, 9, 1, 1);
  expect_refused("CLOG", 4, nine, 9, 6, 1);
  expect_refused("CLOG", 4, nine, 9, 4, 0x81);
  expect_refused("CLOG", 4, nine, 9, 0, 33);
  Bytes longer = nine;
  longer.resize(12);
  EXPECT_FALSE(takes("CLOG", 4, longer, 9));
  EXPECT_FALSE(takes("CLOG", 4, bytes_of({0, 0, 0, 0}), 129));

  // A whole group of words: the last planes of the tile after BIT.
  Bytes tile(4 * 32);
  for (std::size_t i = 0; i < 32; ++i) tile[4 * i] = std::byte(i * 37);
  const Bytes transposed = encoded("BIT", 4, tile);
  const Bytes group = encoded("CLOG", 4, tile);
  ASSERT_EQ(group.size(), 4u + 4 * 8);
  EXPECT_TRUE(std::equal(group.begin() + 4, group.end(), transposed.end() - 4 * 8));
}

TEST_P(Reducers, RlpWritesCountsAndCopies) {
  Bytes input(600, std::byte{7});
  input.back() = std::byte{9};
  const Bytes block = bytes_of({255, 255, 599 - 2 * 256 - 1, 0, 7, 7, 7, 9});
  EXPECT_EQ(encoded("RLP", 1, input), block);
  expect_refused("RLP", 1, block, 600, 3, 1);    // longer than the block
  expect_refused("RLP", 1, block, 600, 0, 254);  // shorter
  EXPECT_FALSE(takes("RLP", 1, bytes_of({0, 1, 2}), 1));
  EXPECT_FALSE(takes("RLP", 1, bytes_of({0, 0, 0, 1, 2, 3}), 2));
  EXPECT_FALSE(takes("RLP", 1, {}, 1));

  // Words hold longer counts, also such as are more than all words that there can be.
  Bytes words(8 * 300, std::byte{3});
  words[8 * 299] = std::byte{4};
  Bytes two(8 * 4, std::byte{3});
  std::ranges::fill_n(two.begin(), 16, std::byte{0});
  two[0] = std::byte(298 % 256), two[1] = std::byte{1};
  two[24] = std::byte{4};
  EXPECT_EQ(encoded("RLP", 8, words), two);
  expect_refused("RLP", 8, two, 300, 7, 0x80);
  expect_refused("RLP", 8, two, 300, 4, 1);
  std::ranges::fill_n(two.begin(), 8, std::byte{0xff});
  EXPECT_FALSE(takes("RLP", 8, two, 300));
}

/// The highest word has a symbol of its own where it is frequent, and words of one bin and no parts
/// have one together. States begin at 2^16 and the first raw bits.
TEST_P(Reducers, BinsWritesCodesAndRawBits) {
  const auto words_of = [](std::initializer_list<int> cycle, std::size_t count) {
    Bytes words(4 * count, std::byte{0});
    for (std::size_t i = 0; i < count; ++i) {
      words[4 * i] = std::byte(*(cycle.begin() + i % cycle.size()));
    }
    return words;
  };
  const auto append = [](Bytes& block, int times, std::initializer_list<int> values) {
    for (int k = 0; k < times; ++k) std::ranges::copy(bytes_of(values), std::back_inserter(block));
  };
  // Map 1, the special word 5, no code but that of classes, of which there is only 15.
  const Bytes alone = bytes_of({0x31, 0x81, 0, 0, 0, 0, 5, 0, 0, 0, 15, 0});
  EXPECT_EQ(encoded("BINS", 4, words_of({5}, 40)), alone);
  expect_refused("BINS", 4, alone, 40, 0, 0);      // stored, but of another length
  expect_refused("BINS", 4, alone, 40, 0, 0x35);   // no map
  expect_refused("BINS", 4, alone, 40, 0, 0x11);   // sixteen states
  expect_refused("BINS", 4, alone, 40, 0, 0xb1);   // a word that is not needed
  expect_refused("BINS", 4, alone, 40, 1, 0x87);   // seven parts
  expect_refused("BINS", 4, alone, 40, 1, 0xc8);   // nine codes
  expect_refused("BINS", 4, alone, 40, 2, 33);     // more bits than a word has
  expect_refused("BINS", 4, alone, 40, 4, 1);      // a base above the highest bin
  expect_refused("BINS", 4, alone, 40, 10, 14);    // a class without a code
  expect_refused("BINS", 4, alone, 40, 10, 16);    // no class
  expect_refused("BINS", 4, alone, 40, 11, 0x80);  // two symbols, and no shares
  EXPECT_FALSE(takes("BINS", 4, {alone.begin(), alone.end() - 4}, 40));

  // Special words and others, of symbol 4, with half of 256 values each: the number of 128 is 24,
  // and 63 stands for the rest. Each state gets four symbols, none gives a number. Three parts of
  // bin 3.
  Bytes two =
      bytes_of({1, 0x8b, 3, 0, 3, 0, 7, 0, 0, 0, 14, 1, 0, 0, 2, 0x3f, 0, 0, 24, 0, 0, 0, 0, 0});
  append(two, 4, {0x80, 7, 0x10, 0, 0, 0, 0x10, 0});
  EXPECT_EQ(encoded("BINS", 4, words_of({4, 7}, 32)), two);
  expect_refused("BINS", 4, two, 32, 10, 15);    // no class of words
  expect_refused("BINS", 4, two, 32, 10, 13);    // a class without a code
  expect_refused("BINS", 4, two, 32, 20, 1);     // more numbers than symbols
  expect_refused("BINS", 4, two, 32, 22, 1);     // zeros that are none
  expect_refused("BINS", 4, two, 32, 14, 0x42);  // 512 values
  expect_refused("BINS", 4, two, 32, 14, 0x3e);  // more symbols than there is place for
  expect_refused("BINS", 4, two, 32, 15, 0x3e);  // a greater share than there are values
  expect_refused("BINS", 4, two, 32, 15, 24);    // nothing that has the rest
  expect_refused("BINS", 4, two, 32, 17, 0xfc);  // two that have it
  expect_refused("BINS", 4, two, 32, 16, 6);     // nothing left for it
  expect_refused("BINS", 4, two, 32, 18, 25);    // shares of which the states were not made
  expect_refused("BINS", 4, two, 32, 0, 0x31);   // no states, but two symbols
  expect_refused("BINS", 4, two, 32, 26, 0);     // a state that is too small
  expect_refused("BINS", 4, two, 32, 27, 1);     // or too great
  EXPECT_FALSE(takes("BINS", 4, {two.begin(), two.end() - 4}, 32));

  // The three lowest bits of all words are 0. Of bin 10, behind a bit that is 0, eight are raw.
  Bytes words(4 * 96), raw = bytes_of({0x39, 9, 10, 0, 10, 0, 3, 14, 1, 0, 2, 0});
  const auto byte_of = [](int i) { return (8 * i + i / 32) % 256; };
  for (int i = 0; i < 96; ++i) {
    const int word = (0x200 + byte_of(i)) << 3;
    words[4 * i] = std::byte(word), words[4 * i + 1] = std::byte(word >> 8);
  }
  for (int i = 0; i < 96; ++i) append(raw, 1, {byte_of(i)});
  EXPECT_EQ(encoded("BINS", 4, words), raw);
  expect_refused("BINS", 4, raw, 96, 1, 11);  // two bits less raw
  expect_refused("BINS", 4, raw, 96, 4, 9);   // a bit less
  expect_refused("BINS", 4, raw, 96, 6, 32);  // no bit left
  expect_refused("BINS", 4, raw, 96, 7, 15);  // no class of words
  expect_refused("BINS", 4, raw, 96, 10, 3);  // another symbol, of fewer bits
  EXPECT_FALSE(takes("BINS", 4, {raw.begin(), raw.end() - 4}, 96));

  // Nothing but zeros has no code; a block that does not shrink is stored behind a word of zeros.
  EXPECT_EQ(encoded("BINS", 4, words_of({0}, 50)), bytes_of({0x32, 1, 0, 0, 0, 0, 15, 0}));
  EXPECT_EQ(encoded("BINS", 4, words_of({9}, 1)), bytes_of({0, 0, 0, 0, 9, 0, 0, 0}));
}

/// Floats between 1 and 1.5 have 22 raw bits and no code, and one more if not all have the same
/// sign; doubles that are floats have no more.
TEST_P(Reducers, BinsLeavesOutSignsAndZeros) {
  const auto size_of = [&]<class Float>(Float, bool negative, bool positive) {
    std::mt19937 random(3);
    Bytes input(1024 * sizeof(Float));
    for (std::size_t i = 0; i < 1024; ++i) {
      const float value = 1 + float(random() % (1 << 22)) / float(1 << 23);
      const bool minus = negative && (!positive || random() % 2 == 0);
      const Float stored = Float(minus ? -value : value);
      std::memcpy(&input[i * sizeof stored], &stored, sizeof stored);
    }
    return encoded("BINS", sizeof(Float), input).size();
  };
  constexpr std::size_t kRaw = 1024 * 22 / 8, kSigns = 1024 / 8;
  for (const bool negative : {false, true}) {
    EXPECT_EQ(size_of(float(), negative, !negative), 12 + kRaw);
    EXPECT_EQ(size_of(double(), negative, !negative), 16 + kRaw);
  }
  EXPECT_EQ(size_of(float(), true, true), 12 + kRaw + kSigns);
  EXPECT_EQ(size_of(double(), true, true), 16 + kRaw + kSigns);
}

TEST_P(Reducers, GrowToTheBound) {
  for (const std::size_t word_bytes : {1, 2, 4, 8}) {
    for (const std::size_t words : {1, 8, 32, 64, 200, 1024}) {
      // Every word differs from the one before it, and needs all bits.
      Bytes input(words * word_bytes);
      for (std::size_t i = 0; i < words; ++i) {
        input[i * word_bytes + word_bytes - 1] = std::byte(0x80 + i % 2);
      }
      for (const char* name : {"RRE", "CLOG", "RLP"}) {
        EXPECT_EQ(encoded(name, word_bytes, input).size() / word_bytes,
                  synth::worst_case(*synth::parse_component(name), word_bytes, words))
            << name << ", " << words << " words of " << word_bytes;
      }
    }
  }
}

}  // namespace
}  // namespace fpsynth::components_tests
