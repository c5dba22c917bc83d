// The sizes that explain() tells are those of the file, and the bits those of the blocks.

#include "runners/codec/explain.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "runners/codec/inspect.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::codec {
namespace {

using Row = std::vector<std::uint8_t>;

/// Decimals of two digits, and trailing bytes.
Bytes decimals() {
  std::vector<double> values;
  for (int i = 0; i < 3000; ++i) values.push_back(std::round(1e4 * std::sin(i / 60.0)) / 100);
  Bytes bytes = bytes_of_words(values);
  bytes.resize(bytes.size() + 3);
  return bytes;
}

TEST(Explain, HasTheSizesOfTheFile) {
  const Bytes input = decimals();
  for (const char* prelude : {"", "DEC:2 / ", "DEC:2 LAGs:60 / ", "DICT LAGx:7 DEC:1 / "}) {
    // Each ends with a reducer, so that there is a file of it. NUL is the identity.
    for (const char* pipeline :
         {"BIT RLE", "NUL BIT RLE | NUL LNV8s ZE", "RLE | BIT ZE LNV1s RLE"}) {
      SCOPED_TRACE(std::string(prelude) + pipeline);
      const synth::Method method = synth::parse_method(std::string(prelude) + pipeline);
      const auto steps = explain(input, method, 8);
      ASSERT_EQ(steps.size(), 1 + method.prelude.steps.size() + method.pipeline.stages.size());
      const Inspection file = inspect(compress(input, method, 8), "file");
      EXPECT_EQ(steps.front().bytes, file.header.original_bytes - 3);
      EXPECT_EQ(steps.back().bytes, file.blocks_bytes);
      EXPECT_EQ(steps.back().beside, file.prelude.bytes + file.frames_bytes);
    }
  }
}

TEST(Explain, AStepOfALongerMethodIsTheLastOneOfAShorterOne) {
  const Bytes input = decimals();
  const auto all = explain(input, synth::parse_method("DICT LAGs:60 / BIT RLE LNV1s ZE"), 8);
  const auto begun = explain(input, synth::parse_method("DICT LAGs:60 / BIT RLE"), 8);
  ASSERT_LT(begun.size(), all.size());
  for (std::size_t i = 0; i < begun.size(); ++i) {
    EXPECT_EQ(all[i].name, begun[i].name);
    EXPECT_EQ(all[i].bytes, begun[i].bytes);
    EXPECT_EQ(all[i].beside, begun[i].beside);
    EXPECT_EQ(all[i].ones, begun[i].ones);
  }
}

TEST(Explain, CountsTheOnesOfEveryBit) {
  const Bytes input = bytes_of_words<std::uint32_t>({7, 7, 0x80000001, 1, 0, 0xffffffff});
  const synth::Method method = synth::parse_method("INV | ZE");
  const ExplainOptions two{.chunk_words = 4, .chunk = 0, .columns = 2};
  auto steps = explain(input, method, 4, two);
  ASSERT_EQ(steps.size(), 3u);
  // Two words of a column have a bit: 255. One of them has it: 127.
  EXPECT_EQ(steps[0].ones.size(), 32u);
  EXPECT_EQ(steps[0].ones[0], (Row{0, 127}));
  EXPECT_EQ(steps[0].ones[28], (Row{0, 0}));
  EXPECT_EQ(steps[0].ones[30], (Row{255, 0}));
  EXPECT_EQ(steps[0].ones[31], (Row{255, 255}));
  EXPECT_EQ(steps[1].ones[0], (Row{255, 127}));
  EXPECT_EQ(steps[1].ones[31], (Row{0, 0}));
  // The other chunk has two words, and as many columns. After the cut, words are bytes.
  ExplainOptions second{.chunk_words = 4, .chunk = 1};
  steps = explain(input, method, 4, second);
  EXPECT_EQ(steps[0].shown_words, 2u);
  for (const Row& row : steps[0].ones) EXPECT_EQ(row, (Row{0, 255}));
  for (const Row& row : steps[1].ones) EXPECT_EQ(row, (Row{255, 0}));
  EXPECT_EQ(steps[2].ones.size(), 8u);
  EXPECT_EQ(steps[2].word_bytes, 1u);
  second.chunk = 2;
  EXPECT_TRUE(tests::contains(tests::message_of([&] { explain(input, method, 4, second); }),
                              "there is no chunk 2: the data have 2 chunks of 4 words"));
}

}  // namespace
}  // namespace fpsynth::codec
