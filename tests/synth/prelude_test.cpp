#include "synth/prelude.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/messages.hpp"

namespace fpsynth::synth {
namespace {

using tests::contains, tests::message_of;

TEST(Prelude, TextAndParserAgree) {
  for (const char* text :
       {"LAGs:1", "LAGx:18200", "ORD", "DICT", "DEC:0", "DEC:15", "DICT LAGs:2401",
        "ORD LAGs:1 LAGs:281474976710656", "DIM:2 DIM:281474976710656", "GCD:128 GCD:1024",
        "MATCH LAGs:1", "REV:1 REV:16", "LPC:256 LPC:4096", "RAT:128:1",
        "RAT:1024:10:24400:9007199254740992 LAGs:7",
        "RAT:128:7:0.25:57.0:5729.5779513082325:1.e+20",
        "RAT:256:1:2:3:4:5:6:7:8:9:10:11:12:13:14:15", "ORD LAGs:1 LAGs:2 LAGs:3 LAGs:4"}) {
    EXPECT_EQ(to_string(parse_prelude(text)), text);
  }
  EXPECT_EQ(to_string(parse_prelude("  dict   lagS:0007 ")), "DICT LAGs:7");
  EXPECT_TRUE(parse_prelude("").empty());
  EXPECT_TRUE(parse_prelude("none").empty());
  EXPECT_EQ(to_string(Prelude{}), "");
}

TEST(Prelude, MethodIsAPreludeBeforeASlash) {
  const Method method = parse_method("LAGx:18200 / LNV1s ZE | RLE");
  EXPECT_EQ(method.prelude, parse_prelude("LAGx:18200"));
  EXPECT_EQ(method.pipeline, parse_pipeline("LNV1s ZE | RLE"));
  EXPECT_EQ(to_string(method), "LAGx:18200 / LNV1s ZE | RLE");
  EXPECT_EQ(to_string(parse_method("LNV1s ZE")), "LNV1s ZE");
  EXPECT_EQ(to_string(parse_method("none / LNV1s ZE")), "LNV1s ZE");
  EXPECT_EQ(to_string(parse_method("DICT/|RLE")), "DICT / | RLE");
}

TEST(Prelude, ErrorsPointAtTheWord) {
  EXPECT_EQ(message_of([] { parse_method("DICT LAGq:3 / ZE"); }),
            "unknown step 'LAGq:3' of a prelude; did you mean LAGs?\n"
            "  DICT LAGq:3 / ZE\n"
            "       ^^^^^^");
  EXPECT_EQ(message_of([] { parse_method("DICT / NUX ZE"); }),
            "unknown component 'NUX'; did you mean NUL?\n"
            "  DICT / NUX ZE\n"
            "         ^^^");
  EXPECT_EQ(message_of([] { parse_method("ORD / DICT / ZE"); }),
            "second '/': it stands between the prelude and the pipeline only\n"
            "  ORD / DICT / ZE\n"
            "             ^");
  EXPECT_EQ(message_of([] { parse_method("ORD ORD ORD ORD ORD ORD / ZE"); }),
            "more than 5 steps of a prelude\n"
            "  ORD ORD ORD ORD ORD ORD / ZE\n"
            "                      ^^^");
  EXPECT_EQ(message_of([] { parse_method("LNV1s lags:3 ZE"); }),
            "'lags:3' is a step of a prelude, behind which a '/' and a pipeline stand, as in 'ORD "
            "LAGs:2401 / LNV1s ZE'\n"
            "  LNV1s lags:3 ZE\n"
            "        ^^^^^^");
  EXPECT_EQ(message_of([] { parse_method("ZE / ORD"); }),
            "'ZE' is a component of pipelines, which stand behind the '/' of a prelude\n"
            "  ZE / ORD\n"
            "  ^^");
  EXPECT_EQ(message_of([] { parse_prelude("ORD / ZE"); }),
            "only a prelude is wanted here, without '/' and a pipeline\n"
            "  ORD / ZE\n"
            "      ^");
  for (const char* text : {"LAGs", "LAGs:", "LAGs:0", "LAGs:-1", "LAGs:1x", "LAGs:281474976710657",
                           "LAGs:99999999999999999999", "DEC:16", "DEC:", "SIG:16", "REV:17"}) {
    EXPECT_TRUE(contains(message_of([&] { parse_prelude(text); }), "needs a number from")) << text;
  }
  for (const char* text : {"RAT", "RAT:", "RAT:64:2", "RAT:2048:2", "RAT:129:2", "RAT:x:2"}) {
    EXPECT_TRUE(contains(message_of([&] { parse_prelude(text); }),
                         "RAT needs a power of two from 128 to 1024, as in RAT:128"))
        << text;
  }
  for (const char* text :
       {"RAT:128", "RAT:128:", "RAT:128:0", "RAT:128:10:", "RAT:128:10:10", "RAT:128:100:10",
        "RAT:128:9007199254740993", "RAT:128:-1", "RAT:128:-1.5", "RAT:128::2", "RAT:128:0.0",
        "RAT:128:1.5:2", "RAT:128:2.5:1.5", "RAT:128:inf", "RAT:128:nan", "RAT:128:1e-308",
        "RAT:128:1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16"}) {
    EXPECT_TRUE(
        contains(message_of([&] { parse_prelude(text); }),
                 "RAT needs 1 to 15 divisors, first ascending whole numbers up to 2^53, then"))
        << text;
  }
  EXPECT_TRUE(contains(message_of([] { parse_prelude("ORD:1"); }), "takes no number"));
  EXPECT_TRUE(contains(message_of([] { parse_method("ORD /"); }), "empty pipeline"));
}

TEST(Prelude, DefectsDependOnTheWordSize) {
  EXPECT_EQ(defect(parse_prelude("DEC:15"), 8), "");
  EXPECT_EQ(defect(parse_prelude("DEC:9"), 4), "");
  EXPECT_EQ(defect(parse_prelude("DEC:10"), 4),
            "parameter 10 of DEC; on 4-byte words it is 0 to 9");
  EXPECT_EQ(defect(parse_prelude("SIG:0"), 8), "");
  EXPECT_EQ(defect(parse_prelude("SIG:0"), 4), "parameter 0 of SIG; on 4-byte words it is 1 to 7");
  EXPECT_EQ(defect(Prelude{{{99, 0}}}, 8), "unknown step 99 of a prelude");
  EXPECT_EQ(defect(Prelude{{{2, 1}}}, 8), "parameter 1 of ORD; it takes none");
  EXPECT_EQ(defect(Prelude{{{5, 96, preludes::Divisors(2)}}}, 8),
            "parameter 96 of RAT; on 8-byte words it is a power of two from 128 to 1024");
  EXPECT_EQ(
      defect(Prelude{{{5, 128, preludes::Divisors(3, 2)}}}, 8),
      "RAT:128:3:2: it needs 1 to 15 divisors, first ascending whole numbers up to 2^53, then "
      "ascending numbers with a point or an exponent, as in RAT:512:10:32768:57.3");
  EXPECT_EQ(defect(Prelude{{{0, 1, preludes::Divisors(2)}}}, 8), "LAGs:1:2: LAGs has no divisors");
  EXPECT_THROW(check(Prelude{{{0, 0}}}, 8), Error);
}

}  // namespace
}  // namespace fpsynth::synth
