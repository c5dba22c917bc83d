#include "synth/pipeline.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "synth/parsing.hpp"
#include "synth/stage_list.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::synth {
namespace {

using tests::contains;

std::string message_of(const char* text) {
  try {
    parse_pipeline(text);
  } catch (const ParseError& error) {
    EXPECT_EQ(error.status(), 2);
    return error.what();
  }
  return "parsed";
}

TEST(Pipeline, TextIsReadAndWritten) {
  for (const char* text : {"LNV2s LNV2s LNV2x | ZE", "| DIM8 NUL NUL RLE", "LNV6s BIT LNV1s ZE",
                           "ZE", "| RLE", "DIM64 LNV64x INV NUL BIT LNV33s ZE | RLE"}) {
    EXPECT_EQ(to_string(parse_pipeline(text)), text);
  }
  EXPECT_EQ(to_string(parse_pipeline("  lnv2S\tbit|ze ")), "LNV2s BIT | ZE");
}

TEST(Pipeline, CutAtTheEndIsOptional) {
  EXPECT_EQ(parse_pipeline("LNV6s BIT LNV1s ZE |"), parse_pipeline("LNV6s BIT LNV1s ZE"));
  EXPECT_EQ(parse_pipeline("LNV6s BIT LNV1s ZE").cut, 4u);
  EXPECT_EQ(parse_pipeline("LNV6s BIT | LNV1s ZE").cut, 2u);
}

TEST(Pipeline, ErrorsPointAtTheWordAndSuggest) {
  EXPECT_EQ(message_of("LNV2s LMV2x ZE"),
            "unknown component 'LMV2x'; did you mean LNV2x?\n"
            "  LNV2s LMV2x ZE\n"
            "        ^^^^^");
  for (const char* word : {"LNV65s", "lnv0s", "LNV00s", "LNV123456789012s"}) {
    EXPECT_TRUE(contains(message_of(fmt::format("{} ZE", word).c_str()),
                         fmt::format("unknown component '{}'; the n of LNVns is 1 to 64", word)))
        << word;
  }
  EXPECT_TRUE(contains(message_of("DIM999 ZE"), "the n of DIMn is 1 to 64"));
  EXPECT_TRUE(contains(message_of("LNV03s ZE"), "did you mean LNV3s"));
  EXPECT_TRUE(contains(message_of("LNV2 ZE"), "did you mean LNV2"));
  EXPECT_TRUE(contains(message_of("BIT | INV | ZE"), "second cut"));
  EXPECT_TRUE(
      contains(message_of("ZE BIT"), "the last stage must be " + reducer_names() + ", not BIT"));
  EXPECT_TRUE(contains(message_of(""), "empty pipeline"));
  EXPECT_TRUE(contains(message_of("|"), "empty pipeline"));
  EXPECT_TRUE(contains(message_of("NUL NUL NUL NUL NUL NUL NUL NUL ZE"), "more than 8 stages"));
}

TEST(Pipeline, FramesHoldOneLengthPerZeAndTwoPerRle) {
  EXPECT_EQ(frame_bytes(parse_pipeline("LNV6s BIT LNV1s ZE"), 8, 1024), 2u);
  EXPECT_EQ(frame_bytes(parse_pipeline("RLE ZE | BIT RLE"), 8, 1024), 10u);
}

TEST(Pipeline, FramesAreWideWhereALengthMayExceed16Bits) {
  const Pipeline worst = parse_pipeline("| RLE RLE RLE RLE");
  EXPECT_EQ(components::worst_case_bytes(PipelineStages(worst, 8), 1024, 3), 8192u * 81 / 16);
  EXPECT_FALSE(components::wide_frames(PipelineStages(worst, 8), 1024));
  const Pipeline longer = parse_pipeline("| RLE RLE RLE RLE RLE RLE");
  EXPECT_TRUE(components::wide_frames(PipelineStages(longer, 8), 1024));
  EXPECT_EQ(frame_bytes(longer, 8, 1024), 48u);
  // RLP may double a block, so that three stages are enough: 65,536 bytes.
  EXPECT_EQ(frame_bytes(parse_pipeline("| RLP RLP"), 8, 1024), 4u);
  EXPECT_EQ(frame_bytes(parse_pipeline("| RLP RLP RLP"), 8, 1024), 12u);
}

TEST(Pipeline, WireNumbersOfTheFamiliesAreFrozen) {
  const char* names[] = {"NUL", "INV", "BIT", "DIM1", "LNV1s", "LNV1x", "ZE",
                         "RLE", "RRE", "ZEC", "REC",  "CLOG",  "RLP",   "BINS"};
  ASSERT_GE(family_count(), std::size(names));
  for (std::uint8_t wire = 0; wire < std::size(names); ++wire) {
    EXPECT_EQ(family(parse_component(names[wire])->family).wire, wire);
    EXPECT_EQ(family_of_wire(wire), parse_component(names[wire])->family);
  }
  EXPECT_EQ(family_of_wire(200), std::nullopt);
}

}  // namespace
}  // namespace fpsynth::synth
