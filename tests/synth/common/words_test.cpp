#include "synth/common/words.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fpsynth {
namespace {

TEST(Printable, LeavesTextOfAllScripts) {
  for (const std::string text : {"", "T2 [K]", "a\\x1b", "\xc3\xa9\xc2\xa0", "\xe2\x82\xac",
                                 "\xe6\xb8\xa9", "\xef\xbf\xbd", "\xf0\x9f\x8c\x8a"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable(std::string("\0\t\r\n\x1f\x7f ", 7)), "\\x00\\x09\\x0d\\x0a\\x1f\\x7f ");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J\xc2\x80\xc2\x9f"),
            "\\xc2\\x9b2J\\xc2\\x80\\xc2\\x9f");              // C1
  EXPECT_EQ(printable("\xe2\x80\xae!"), "\\xe2\\x80\\xae!");  // right to left
  EXPECT_EQ(printable("\xe2\x80\xa8"), "\\xe2\\x80\\xa8");    // an end of a line
  EXPECT_EQ(printable("\xe2\x81\xa6"), "\\xe2\\x81\\xa6");    // an isolate
}

TEST(Printable, EscapesWhatIsNotUtf8) {
  EXPECT_EQ(printable("\xe9t\xe9"), "\\xe9t\\xe9");                  // Latin-1
  EXPECT_EQ(printable("\x9b[2J"), "\\x9b[2J");                       // C1 as one byte
  EXPECT_EQ(printable("\xc3"), "\\xc3");                             // cut
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");                    // cut
  EXPECT_EQ(printable("\xf0\x9f\x8c!"), "\\xf0\\x9f\\x8c!");         // cut
  EXPECT_EQ(printable("\xc1\x9b"), "\\xc1\\x9b");                    // longer than necessary
  EXPECT_EQ(printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");           // longer than necessary
  EXPECT_EQ(printable("\xf0\x82\x82\xac"), "\\xf0\\x82\\x82\\xac");  // longer than necessary
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a surrogate pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
}

TEST(Printable, StaysAsItIsTheSecondTime) {
  const std::string once = printable("\x1b\xff\xc2\x9b\\");
  EXPECT_EQ(printable(once), once);
  EXPECT_EQ(printable("a\n\tb\r", "\n\t"), "a\n\tb\\x0d");
}

}  // namespace
}  // namespace fpsynth
