// Files of methods with preludes: there and back, every byte of the header, damage.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "components/words/word_type.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/inspect.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec {
namespace {

using tests::contains;

std::vector<synth::Method> sample_methods() {
  std::vector<synth::Method> methods;
  for (const char* text : {"LAGs:1 / LNV1s | ZE",
                           "LAGx:700 / ZE",
                           "ORD / LNV1s | RLE",
                           "DICT / BIT ZE",
                           "DEC:2 / LNV1s BIT | RLE",
                           "LAGs:3 LAGs:90 / | ZE",
                           "DICT LAGs:5 / LNV1x ZE",
                           "DEC:2 DICT LAGx:9 / | DIM8 RLE",
                           "ORD DEC:1 LAGs:1 / RLE",
                           "DICT DICT DICT / ZE",
                           "RAT:128:7:100 / LNV1s | ZE",
                           "DIM:3 LAGs:1 DIM:200 / BIT ZE",
                           "GCD:128 LAGs:1 GCD:1024 / BIT ZE",
                           "MATCH LAGs:1 MATCH / BIT ZE",
                           "REV:2 MATCH REV:1 / BIT ZE",
                           "DEC:2 MATCH DICT LAGs:512 / LNV1s | ZE",
                           "SIG:5 LAGs:1 / BIT ZE",
                           "LPC:1024 LAGs:1 LPC:256 / BIT ZE",
                           "DEC:2 LPC:4096 / LNV1s | ZE",
                           "ORD RAT:1024:24400 LAGs:1 DEC:0 RAT:256:3 / ZE"}) {
    methods.push_back(synth::parse_method(text));
  }
  return methods;
}

TEST(Preludes, FilesComeBackWithAnyThreadsAndTails) {
  for (const std::size_t word_bytes : {8, 4, 2, 1}) {
    for (const synth::Method& method : sample_methods()) {
      if (!synth::defect(method.prelude, word_bytes).empty()) continue;
      std::vector<Bytes> originals = {words::with_word(
          word_bytes, []<class W>() { return bytes_of_words(with_copies<W>(50000)); })};
      for (const std::size_t size : {std::size_t{0}, std::size_t{1}, word_bytes, word_bytes + 3,
                                     1024 * word_bytes, 70000 * word_bytes + 2}) {
        originals.push_back(signal(size, word_bytes));
      }
      for (const Bytes& original : originals) {
        const std::size_t size = original.size();
        SCOPED_TRACE(synth::to_string(method) + ", " + std::to_string(size));
        const Bytes file = compress(original, method, word_bytes, {.threads = 1});
        EXPECT_EQ(file, compress(original, method, word_bytes, {.threads = 3}));
        EXPECT_EQ(decompress(file, {.threads = 1}), original);
        EXPECT_EQ(decompress(file, {.threads = 3}), original);
        Bytes out(size);
        decompress_into(file, out);
        EXPECT_EQ(out, original);
        MemorySink sink;
        EXPECT_EQ(decompress(file, "file", sink), size);
        EXPECT_EQ(sink.bytes(), original);
      }
    }
  }
}

TEST(Preludes, AFileIsItsOverheadAndTheContainerOfTheTransformedWords) {
  const Bytes original = signal(5000 * 8 + 3, 8);
  const synth::Method method = synth::parse_method("DEC:2 DICT / LNV1s | ZE");
  const Transformed transformed = transform(original, method.prelude, 8);
  ASSERT_EQ(transformed.bytes.size(), original.size());
  const Bytes file = compress(original, method, 8);
  const Bytes container = compress(transformed.bytes, method.pipeline, 8);
  ASSERT_EQ(file.size(), transformed.overhead_bytes() + container.size());
  EXPECT_TRUE(std::ranges::equal(container, std::span(file).last(container.size())));
  const Inspection found = inspect(file, "file");
  EXPECT_EQ(found.version, 3);
  EXPECT_EQ(found.prelude.prelude, method.prelude);
  EXPECT_EQ(found.prelude.bytes, transformed.overhead_bytes());
  EXPECT_EQ(found.overhead_bytes() + found.payload_bytes(), file.size());
  EXPECT_EQ(found.header.pipeline, method.pipeline);
  EXPECT_NO_THROW(verify(file, "file"));
}

TEST(Preludes, WithoutAPreludeNothingChanges) {
  const Bytes original = signal(5003, 8);
  const synth::Method method = synth::parse_method("LNV1s | ZE");
  EXPECT_EQ(compress(original, method, 8), compress(original, method.pipeline, 8));
  EXPECT_EQ(transform(original, {}, 8).bytes, original);
  EXPECT_EQ(transform(original, {}, 8).overhead_bytes(), 0u);
}

/// Five doubles and a tail, as in FORMAT.md's example, with a prelude: every byte of the header.
TEST(Preludes, TheHeaderIsWhatTheFormatSays) {
  Bytes original = bytes_of_words<std::uint64_t>({0x3ff0000000000000, 0x4000000000000000});
  original.push_back(std::byte{0x65});
  const Bytes file = compress(original, synth::parse_method("DICT LAGx:513 / LNV1s | RLE"), 8);
  const Transformed transformed = transform(original, synth::parse_prelude("DICT LAGx:513"), 8);
  const std::uint8_t side = std::uint8_t(transformed.side[0].size());
  const std::vector<std::uint8_t> header = {'F',  'P', 'S', 'Y', 3, 8, 2, 0,     //
                                            3,    0,   0,   0,   0, 0, 0, 0, 0,  // DICT
                                            side, 0,   0,   0,   0, 0, 0, 0,     //
                                            1,    1,   2,   0,   0, 0, 0, 0, 0,  // LAGx:513
                                            0,    0,   0,   0,   0, 0, 0, 0,     //
                                            17,   0,   0,   0,   0, 0, 0, 0};
  ASSERT_GT(file.size(), header.size());
  for (std::size_t i = 0; i < header.size(); ++i) {
    EXPECT_EQ(std::to_integer<int>(file[i]), header[i]) << i;
  }
}

TEST(Preludes, EveryTruncationAndBitFlipIsAnErrorOrHarmless) {
  for (const std::size_t word_bytes : {8, 4, 2, 1}) {
    for (const char* text :
         {"DICT LAGs:5 / LNV1s | ZE", "DEC:2 / BIT RLE", "LAGx:2 / ZE", "RAT:128:7:100 / BIT RLE",
          "MATCH LAGs:1 / BIT RLE", "REV:2 / BIT RLE", "LPC:256 / BIT RLE"}) {
      if (!synth::defect(synth::parse_method(text).prelude, word_bytes).empty()) continue;
      const Bytes once = signal(60 * word_bytes + 1, word_bytes);
      Bytes original = once;
      original.insert(original.begin(), once.begin(), once.end() - 1);
      const Bytes file = compress(original, synth::parse_method(text), word_bytes, {.threads = 1});
      const CodecOptions options{.threads = 1, .limit = 1 << 20};
      for (std::size_t size = 0; size < file.size(); ++size) {
        EXPECT_NE(message(std::span(file).first(size), options), "no error") << size;
      }
      for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
        Bytes flipped = file;
        flipped[bit / 8] ^= std::byte(1 << bit % 8);
        try {
          EXPECT_EQ(decompress(flipped, options), original) << text << ", bit " << bit;
        } catch (const Error&) {
          // As it should be.
        }
      }
    }
  }
}

TEST(Preludes, ErrorsSayWhatIsWrong) {
  const Bytes original = signal(800, 8);
  const Bytes file = compress(original, synth::parse_method("LAGs:9 / ZE"), 8);
  const auto with = [&](std::size_t at, int value) {
    Bytes changed = file;
    changed[at] = std::byte(value);
    return message(changed);
  };
  EXPECT_TRUE(contains(with(6, 0), "some.fps: the header of its prelude"));
  EXPECT_TRUE(contains(with(6, 6), "header of its prelude"));
  EXPECT_TRUE(contains(with(8, 99), "header of its prelude"));
  EXPECT_TRUE(contains(with(9, 0), "header of its prelude"));   // LAGs:0
  EXPECT_TRUE(contains(with(17, 1), "header of its prelude"));  // side data of LAG
  EXPECT_TRUE(contains(with(25, 7), "its container of 800"));
  const Bytes ranks = compress(original, synth::parse_method("ORD DICT / ZE"), 8);
  for (std::size_t size = 58; size < 100; size += 7) {
    EXPECT_TRUE(contains(message(std::span(ranks).first(size)), "of side data of step 2")) << size;
  }
  EXPECT_TRUE(contains(with(33, 0), "checksum"));
  Bytes nested(file.begin(), file.begin() + 41);
  nested.insert(nested.end(), file.begin(), file.end());
  EXPECT_TRUE(contains(message(nested), "a prelude within a prelude"));
  EXPECT_TRUE(contains(message(file, {.limit = 799}), "more than 799, the limit"));
  EXPECT_THROW(parse_header(file, "x"), Error);
  EXPECT_NO_THROW(check_beginning(std::span(file).first(60), "x"));
  EXPECT_THROW(check_beginning(std::span(file).first(30), "x"), Error);
  EXPECT_THROW(compress(original, synth::parse_method("DEC:12 / ZE"), 4), Error);
}

/// Side data are checked, and named, before anything is decoded: no block of the container within
/// can be decoded here either.
TEST(Preludes, DamagedSideDataAreFoundFirst) {
  struct Case {
    const char *method, *step, *garbage;
    std::ptrdiff_t container_at;  ///< in the side data
    std::size_t stages = 4;       ///< of that container
  };
  for (const Case& each :
       {Case{"DICT / ZE", "DICT", "DICT: not what its prelude writes", 8, 2},
        Case{"LAGs:9 DEC:2 / ZE", "DEC:2", "DEC:2: cut off", 8},
        Case{"MATCH / ZE", "MATCH", "MATCH: not what its prelude writes", 0},
        Case{"REV:2 / ZE", "REV:2", "REV:2: not what its prelude writes", 0},
        Case{"LPC:512 / RLE", "LPC:512", "LPC:512: not what its prelude writes", 0},
        // Its divisors are among the side data.
        Case{"LAGs:9 RAT:128:2:3 / ZE", "RAT:128:2:3", "RAT:128: too many divisors", 32}}) {
    Bytes original = signal(80000, 8);
    const Bytes once = original;
    original.insert(original.end(), once.begin(), once.end());
    Bytes file = compress(original, synth::parse_method(each.method), 8);
    const Inspection found = inspect(file, "some.fps");
    const auto side = std::ptrdiff_t(found.prelude.header_bytes);
    const std::uint64_t side_bytes = found.prelude.side_bytes.back();
    std::fill(file.end() - std::ptrdiff_t(found.blocks_bytes), file.end(), std::byte{0xff});
    ASSERT_TRUE(contains(message(file), "some.fps: chunk 0: its block"));
    const auto expect = [&](const Bytes& damaged, const std::string& what) {
      const std::string text = "some.fps: side data of " + what;
      EXPECT_TRUE(message(damaged).starts_with(text)) << message(damaged);
      EXPECT_EQ(tests::message_of([&] { inspect(damaged, "some.fps"); }), message(damaged));
    };
    Bytes garbage = file;
    std::fill_n(garbage.begin() + side, side_bytes, std::byte{'x'});
    expect(garbage, each.garbage);
    const auto frame = side + each.container_at + std::ptrdiff_t(header_bytes(each.stages));
    std::fill_n(file.begin() + frame, 4, std::byte{0xff});
    expect(file, std::string(each.step) + ": chunk 0: stage ");
  }
}

}  // namespace
}  // namespace fpsynth::codec
