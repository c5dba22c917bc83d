#include "synth/prelude.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/messages.hpp"

namespace fpsynth::synth {
namespace {

using tests::contains;
using tests::message_of;

TEST(PreludeRequest, ParsesWhatItPrints) {
  using Kind = PreludeRequest::Kind;
  EXPECT_EQ(PreludeRequest::parse("none").kind, Kind::None);
  EXPECT_EQ(PreludeRequest::parse("none"), PreludeRequest());
  EXPECT_EQ(PreludeRequest::parse("auto").kind, Kind::Found);
  EXPECT_EQ(PreludeRequest::parse("Auto").kind, Kind::Found);
  EXPECT_EQ(PreludeRequest::parse("NONE").kind, Kind::None);
  const PreludeRequest named = PreludeRequest::parse("lagx:18200,DICT  lags:2401 ");
  EXPECT_EQ(named.kind, Kind::Named);
  ASSERT_EQ(named.named.size(), 2u);
  EXPECT_EQ(to_string(named.named[0]), "LAGx:18200");
  EXPECT_EQ(to_string(named.named[1]), "DICT LAGs:2401");
  EXPECT_EQ(named.text(), "LAGx:18200, DICT LAGs:2401");
  for (const std::string text : {"none", "auto", "LAGx:18200, DICT LAGs:2401"}) {
    EXPECT_EQ(PreludeRequest::parse(text).text(), text);
  }
}

TEST(PreludeRequest, RefusesWhatIsNoPrelude) {
  const auto error = [](const char* text) {
    return message_of([&] { PreludeRequest::parse(text); });
  };
  EXPECT_TRUE(contains(error(""), "auto, none, or preludes"));
  EXPECT_TRUE(contains(error("ORD,"), "auto, none, or preludes"));
  EXPECT_TRUE(contains(error("ORD, none"), "auto, none, or preludes"));
  EXPECT_TRUE(contains(error("ORD, DICT, ord"), "'ORD' is listed twice"));
  EXPECT_TRUE(contains(error("LAGs:0"), "LAGs needs a number"));
  EXPECT_TRUE(contains(error("LOG"), "unknown step 'LOG'"));
  EXPECT_THROW(PreludeRequest::parse("LAGs"), UsageError);
}

}  // namespace
}  // namespace fpsynth::synth
