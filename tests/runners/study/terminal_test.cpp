// The progress line on a terminal and in a log.

#include "runners/study/terminal.hpp"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <string>

#include "tests/support/messages.hpp"

namespace fpsynth::study {
namespace {

using tests::contains;

const std::string kLine = "[1/4] num_plasma double   12.3 %  45.6 G pipeline-bytes/s  ETA 1:02:05";

/// A stream of the program as a terminal of so many columns, until the end of the scope.
class Terminal {
 public:
  explicit Terminal(unsigned short columns, int stream = STDERR_FILENO)
      : stream_(stream), before_(::dup(stream)) {
    winsize size = {.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    int slave = -1;
    EXPECT_EQ(::openpty(&master_, &slave, nullptr, nullptr, &size), 0);
    ::dup2(slave, stream_);
    ::close(slave);
  }
  ~Terminal() {
    ::dup2(before_, stream_);
    ::close(before_);
    ::close(master_);
  }
  /// The text that was written to it, at least one byte.
  std::string text() const {
    std::array<char, 4096> bytes;
    const ssize_t count = ::read(master_, bytes.data(), bytes.size());
    return {bytes.data(), std::size_t(std::max<ssize_t>(count, 0))};
  }

 private:
  int stream_, before_, master_ = -1;
};

TEST(ProgressLine, StaysInOneRowOfATerminal) {
  const std::string label = "[1/4] a data set with a long name that says much of it double";
  for (const unsigned short columns : {40, 80}) {
    const Terminal terminal(columns);
    const ProgressLine line;
    line.show(label + kLine.substr(kLine.find("  ")));
    const std::string shown = terminal.text();
    EXPECT_FALSE(contains(shown, "\n"));
    EXPECT_TRUE(contains(shown, "ETA 1:02:05"));
    EXPECT_TRUE(contains(shown, "12.3 %"));
    EXPECT_LT(shown.size(), columns + std::string("\r\033[K").size());
  }
}

TEST(ProgressLine, WhatDoesNotFitIsLeftOutBeforeItsNameIsCut) {
  EXPECT_EQ(fitted(kLine, 80), kLine);
  EXPECT_EQ(fitted(kLine, 60), "[1/4] num_plasma double   12.3 %  ETA 1:02:05");
  EXPECT_EQ(fitted(kLine, 40), "[1/4] num_plasm...   12.3 %  ETA 1:02:05");
  EXPECT_EQ(fitted("d\u00e9cimales  ETA 0:01", 14), "d...  ETA 0:01");
  EXPECT_EQ(fitted("a label alone, of many words", 10), "a label...");
  EXPECT_EQ(fitted(kLine, 7), "1:02:05");
  EXPECT_EQ(fitted(kLine, 0), "");
}

TEST(ProgressLine, InALogThereIsALineNowAndThen) {
  const auto logged = [](double every) {
    ::testing::internal::CaptureStderr();
    {
      const ProgressLine line(every);
      line.show(kLine);
      line.show({});
      line.show(kLine);
    }
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(logged(0), kLine + "\n" + kLine + "\n");
  EXPECT_EQ(logged(1e9), "");
}

TEST(PrintResult, BreaksARowThatATerminalWouldBreakAnywhere) {
  results::Document document;
  document.data.name = "num_plasma";
  document.space = synth::Space::paper();
  document.payload_bytes.assign(document.space.size(), 1);
  document.ranking = {0};
  document.run.verification = "all";
  for (const unsigned short columns : {80, 200}) {
    const Terminal terminal(columns, STDOUT_FILENO);
    print_result(document, false, false, 16);
    EXPECT_EQ(contains(terminal.text(), "\n  0 edges verified"), columns == 80);
  }
}

}  // namespace
}  // namespace fpsynth::study
