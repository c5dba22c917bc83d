// Several static codecs as one.

#include "runners/codec/cpu/codec_choice.hpp"

#include <gtest/gtest.h>

#include "components/registry.hpp"
#include "components/teams/simd/native.hpp"
#include "runners/codec/cpu/static_codec.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec {
namespace {

using namespace components;
template <class... Stages>
using Words =
    StaticCodec<StaticPipeline<std::uint64_t, sizeof...(Stages), Stages...>, teams::NativeTeam>;
using Differences = Words<Use<LnvSub, 1>, Use<LnvSub, 1>, Use<Ze>>;
using Runs = Words<Use<Rle>>;
using Choice = CodecChoice<Differences, Runs, Words<Use<Ze>>>;

/// Words that count up, of which second differences leave two; the same word, of which runs do; and
/// zeros, of which the third leaves the least.
Bytes original(std::uint64_t first, std::uint64_t step) {
  Bytes bytes(8192);
  for (std::size_t i = 0; i < bytes.size() / 8; ++i) {
    const std::uint64_t word = first + step * i;
    std::memcpy(bytes.data() + 8 * i, &word, 8);
  }
  return bytes;
}

template <class Codec, class... Method>
Bytes compressed(const Bytes& in, Method... method) {
  Bytes out(Codec::bound(in.size()));
  std::size_t written = 0;
  EXPECT_EQ(Codec::compress(in.data(), in.size(), out.data(), out.size(), written, 1, method...),
            Status::Ok);
  out.resize(written);
  return out;
}

void expect_back(const Bytes& container, const Bytes& in) {
  std::size_t size = 0;
  ASSERT_EQ(Choice::original_size(container.data(), container.size(), size), Status::Ok);
  Bytes back(size);
  EXPECT_EQ(
      Choice::decompress(container.data(), container.size(), back.data(), back.size(), size, 1),
      Status::Ok);
  EXPECT_TRUE(back == in);
}

TEST(CodecChoice, TakesTheSmallestAndFilesSayWhichOneItIs) {
  for (const Bytes& in : {original(7, 3), original(5, 0), original(0, 0)}) {
    const Bytes one = compressed<Differences>(in), two = compressed<Runs>(in);
    const Bytes three = compressed<Words<Use<Ze>>>(in), best = compressed<Choice>(in);
    EXPECT_EQ(best.size(), std::min({one.size(), two.size(), three.size()}));
    EXPECT_TRUE(compressed<Choice>(in, 1) == one);
    EXPECT_TRUE(compressed<Choice>(in, 2) == two);
    EXPECT_TRUE(compressed<Choice>(in, 3) == three);
    for (const Bytes& container : {one, two, three, best}) expect_back(container, in);
  }
  EXPECT_TRUE(compressed<Choice>(original(7, 3)) == compressed<Differences>(original(7, 3)));
  EXPECT_TRUE(compressed<Choice>(original(5, 0)) == compressed<Runs>(original(5, 0)));
}

TEST(CodecChoice, WrongCallsAndOtherFiles) {
  const Bytes in = original(5, 0);
  Bytes out(Choice::bound(in.size()));
  std::size_t written = 1;
  for (const int method : {-1, 4}) {
    EXPECT_EQ(Choice::compress(in.data(), in.size(), out.data(), out.size(), written, 1, method),
              Status::BadCall);
  }
  EXPECT_EQ(Choice::compress(in.data(), in.size(), out.data(), 10, written, 1), Status::TooSmall);
  EXPECT_EQ(written, 0u);
  // A capacity that is enough for one of them alone.
  const Bytes best = compressed<Choice>(in);
  EXPECT_EQ(Choice::compress(in.data(), in.size(), out.data(), best.size(), written, 1),
            Status::Ok);
  EXPECT_EQ(written, best.size());
  const Bytes other = compressed<Words<Use<Inv>, Use<Rle>>>(in);
  EXPECT_EQ(Choice::original_size(other.data(), other.size(), written), Status::OtherCodec);
  EXPECT_EQ(Choice::decompress(other.data(), other.size(), out.data(), out.size(), written, 1),
            Status::OtherCodec);
  EXPECT_EQ(Choice::decompress(best.data(), best.size() - 1, out.data(), out.size(), written, 1),
            Status::Damaged);
  EXPECT_EQ(Choice::bound(SIZE_MAX), 0u);
}

}  // namespace
}  // namespace fpsynth::codec
