#include "runners/baselines/mpc/compressor.hpp"

#include <gtest/gtest.h>

#include "runners/codec/codec.hpp"
#include "runners/data/input.hpp"
#include "tests/runners/baselines/values.hpp"
#include "tests/runners/data/real_data.hpp"

namespace fpsynth::baselines {
namespace {

using synth::Precision;

TEST(Mpc, Pipeline) {
  EXPECT_EQ(synth::to_string(mpc_pipeline(6)), "LNV6s BIT LNV1s ZE");
  EXPECT_EQ(synth::to_string(mpc_pipeline(64)), "LNV64s BIT LNV1s ZE");
  EXPECT_THROW(mpc_pipeline(0), UsageError);
  EXPECT_THROW(mpc_pipeline(65), UsageError);
  EXPECT_THROW(mpc(65), UsageError);
}

TEST(Mpc, SizesAreThoseOfTheFiles) {
  Bytes input = bytes_of(mixed(5000));
  input.resize(input.size() - 3);
  for (const Precision precision : {Precision::Double, Precision::Single}) {
    const auto sizes = mpc_sizes(input, precision, 3);
    EXPECT_EQ(mpc_sizes(input, precision, 1), sizes);
    for (unsigned d = 1; d <= kMaxMpcDimensionality; ++d) {
      EXPECT_EQ(sizes[d - 1],
                codec::compress(input, mpc_pipeline(d), synth::word_bytes(precision)).size())
          << d;
    }
  }
}

TEST(Mpc, SmallestOfTheBest) {
  std::array<std::uint64_t, kMaxMpcDimensionality> sizes;
  sizes.fill(10);
  EXPECT_EQ(mpc_best(sizes), 1u);
  sizes[41] = sizes[62] = 9;
  EXPECT_EQ(mpc_best(sizes), 42u);
}

TEST(Mpc, AutoFindsThePeriod) {
  std::vector<std::uint64_t> words;
  for (std::uint64_t i = 0; i < 8000; ++i) words.push_back((i % 7) * 0x0123'4567'89ab'cdef + i / 7);
  const Bytes input = bytes_of(words);
  EXPECT_EQ(mpc_best(mpc_sizes(input, Precision::Double)), 7u);
}

TEST(Mpc, NothingHasNoPeriod) { EXPECT_EQ(mpc_best(mpc_sizes({}, Precision::Double)), 1u); }

TEST(Mpc, RefusesOtherFiles) {
  const Bytes input = bytes_of(mixed(100));
  const Bytes file = compressed(mpc(2), input, Precision::Double);
  EXPECT_THROW(decompressed(mpc(2), file, Precision::Single, input.size()), Error);
  const Bytes other = codec::compress(input, synth::parse_pipeline("LNV2s BIT LNV2s ZE"), 8);
  EXPECT_TRUE(
      contains(message_of([&] { decompressed(mpc(2), other, Precision::Double, input.size()); }),
               "its pipeline is LNV2s BIT LNV2s ZE"));
  for (std::size_t size = 0; size < file.size(); ++size) {
    const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(decompressed(mpc(2), cut, Precision::Double, input.size()), Error) << size;
  }
}

TEST(Mpc, LONG_RealFile) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  const data::Input input = data::open_input(path);
  const struct {
    Precision precision;
    double ratio;
  } known[] = {{Precision::Double, 1.166}, {Precision::Single, 1.347}};
  for (const auto& [precision, ratio] : known) {
    const data::Input values = input.in(precision);
    const auto sizes = mpc_sizes(values.bytes(), precision);
    EXPECT_EQ(mpc_best(sizes), 2u);
    EXPECT_NEAR(static_cast<double>(values.bytes().size()) / static_cast<double>(sizes[1]), ratio,
                1e-3);
  }
}

}  // namespace
}  // namespace fpsynth::baselines
