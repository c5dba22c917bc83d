#include <gtest/gtest.h>

#include "runners/baselines/baselines.hpp"
#include "runners/data/fpc.hpp"
#include "tests/runners/baselines/values.hpp"

namespace fpsynth::baselines {
namespace {

using synth::Precision;

TEST(FpcBaseline, IsTheFileOfTheDataSets) {
  const Bytes doubles = bytes_of(mixed(1000));
  const Compressor compressor = fpc(12);
  EXPECT_EQ(compressor.name, "FPC");
  EXPECT_EQ(compressor.threads, 1);
  const Bytes file = compressor.compress(doubles, Precision::Double);
  EXPECT_EQ(file, data::encode_fpc(doubles, 12));
  EXPECT_EQ(compressor.decompress(file, Precision::Double, doubles.size()), doubles);
}

TEST(FpcBaseline, Refuses) {
  EXPECT_THROW(fpc(0), UsageError);
  EXPECT_THROW(fpc(29), UsageError);
  const Bytes doubles = bytes_of(mixed(4));
  for (const Compressor& compressor : {fpc(12), pfpc(12, 2, 1), gfc(2, 2)}) {
    EXPECT_THROW(compressor.compress(doubles, Precision::Single), Error) << compressor.name;
    EXPECT_THROW(compressor.decompress(raw({200, 0}), Precision::Double, 8), Error)
        << compressor.name;
  }
}

}  // namespace
}  // namespace fpsynth::baselines
