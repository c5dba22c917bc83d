// The peers: their behaviour as compressors, and the published ratios on real data.

#include "runners/baselines/peers/peers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "runners/data/input.hpp"
#include "runners/timing/compressor.hpp"
#include "tests/runners/baselines/values.hpp"
#include "tests/runners/data/real_data.hpp"
#include "tests/support/blocks.hpp"

namespace fpsynth::baselines {
namespace {

using synth::Precision;

std::vector<Compressor> peers() { return all_peers().present; }

std::vector<Compressor> with_copy() {
  std::vector<Compressor> all = peers();
  all.push_back(timing::memory_copy());
  return all;
}

TEST(Peers, EachLibraryIsPresentOrMissingWithAReason) {
  std::set<std::string> names;
  for (const Compressor& peer : peers()) {
    EXPECT_TRUE(names.insert(peer.name).second) << peer.name;
    EXPECT_NE(peer.version.find_first_of("0123456789"), std::string::npos) << peer.name;
    EXPECT_GE(peer.threads, 1);
    EXPECT_FALSE(peer.precisions.empty());
  }
  for (const results::Missing& missing : all_peers().missing) {
    EXPECT_TRUE(names.insert(missing.compressor).second) << missing.compressor;
    EXPECT_NE(missing.reason.find("install"), std::string::npos) << missing.reason;
  }
  EXPECT_GE(names.size(), 7u);
}

TEST(Peers, RoundTrip) {
  for (const Compressor& peer : with_copy()) {
    for (const Precision precision : peer.precisions) {
      const std::size_t word = synth::word_bytes(precision);
      for (const testing::Content content : testing::kContents) {
        for (const std::size_t words : {0, 1, 2, 100, 40000, 3 * 32768 + 5}) {
          if (words > 40000 && content != testing::Content::Smooth) continue;  // several blocks
          std::vector<std::byte> input = testing::make_block(content, word, words);
          input.resize(input.size() + words % 3);  // a tail shorter than a word
          const auto file = compressed(peer, input, precision);
          EXPECT_EQ(decompressed(peer, file, precision, input.size()), input)
              << peer.name << ", " << testing::to_string(content) << ", " << words << " words of "
              << word;
        }
      }
    }
  }
}

TEST(Peers, ThoseThatKnowIntegersKeepTheirBits) {
  std::size_t smaller = 0;
  for (const Compressor& peer : peers()) {
    if (!peer.of_kind) continue;
    for (const auto kind : {synth::ValueKind::Signed, synth::ValueKind::Unsigned}) {
      const Compressor told = peer.of_kind(kind);
      for (const Precision precision : told.precisions) {
        for (const testing::Content content : testing::kContents) {
          const auto input = testing::make_block(content, synth::word_bytes(precision), 4001);
          const auto file = compressed(told, input, precision);
          EXPECT_EQ(decompressed(told, file, precision, input.size()), input)
              << told.name << ", " << testing::to_string(content);
          smaller += file.size() < compressed(peer, input, precision).size();
        }
      }
    }
    EXPECT_GT(smaller, 0u) << peer.name << " makes no use of the type";
  }
}

/// Tables III and IV of the MPC paper, num_plasma.
void expect_published(const std::string& name, Precision precision, double published) {
  for (const Compressor& peer : peers()) {
    if (peer.name != name) continue;
    const data::Input input =
        data::open_input(data::real_file("num_plasma.trace.fpc")).in(precision);
    const auto file = compressed(peer, input.bytes(), precision);
    const double ratio = double(input.bytes().size()) / double(file.size());
    EXPECT_LT(std::abs(ratio / published - 1), 0.005)
        << name << ", " << synth::to_string(precision) << ": " << ratio << ", published "
        << published;
    return;
  }
  GTEST_SKIP() << "this build is without " << name;
}

TEST(PeersPublished, LONG_Gzip) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  expect_published("gzip --best", Precision::Double, 1.608);
  expect_published("gzip --best", Precision::Single, 1.383);
}

TEST(PeersPublished, LONG_Lzop) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  expect_published("lzop -9", Precision::Double, 1.503);
  expect_published("lzop -9", Precision::Single, 1.223);
}

TEST(PeersPublished, LONG_Bzip2) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  expect_published("bzip2 --best", Precision::Single, 8.652);
}

TEST(PeersPublished, EXHAUSTIVE_Bzip2OfDoubles) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  expect_published("bzip2 --best", Precision::Double, 5.789);
}

}  // namespace
}  // namespace fpsynth::baselines
