#include "runners/baselines/fpc/compressor.hpp"

#include <gtest/gtest.h>

#include "runners/baselines/gfc/compressor.hpp"
#include "runners/data/fpc/fpc.hpp"
#include "tests/runners/baselines/values.hpp"

namespace fpsynth::baselines {
namespace {

using synth::Precision;

TEST(FpcBaseline, IsTheFileOfTheDataSets) {
  const Bytes doubles = bytes_of(mixed(1000));
  const Compressor compressor = fpc(12);
  EXPECT_EQ(compressor.name, "FPC");
  EXPECT_EQ(compressor.threads, 1);
  const Bytes file = compressed(compressor, doubles, Precision::Double);
  EXPECT_EQ(file, data::encode_fpc(doubles, 12));
  EXPECT_EQ(decompressed(compressor, file, Precision::Double, doubles.size()), doubles);
}

TEST(FpcBaseline, Refuses) {
  EXPECT_THROW(fpc(0), UsageError);
  EXPECT_THROW(fpc(29), UsageError);
  const Bytes doubles = bytes_of(mixed(4));
  for (const Compressor& compressor : {fpc(12), pfpc({12, 2, 1}), gfc(2, 2)}) {
    EXPECT_THROW(compressed(compressor, doubles, Precision::Single), Error) << compressor.name;
    EXPECT_THROW(decompressed(compressor, raw({200, 0}), Precision::Double, 8), Error)
        << compressor.name;
    // A buffer of another size than the original's.
    const Bytes file = compressed(compressor, doubles, Precision::Double);
    for (const std::size_t size : {0, 8, 31, 33, 64}) {
      EXPECT_TRUE(
          contains(message_of([&] { decompressed(compressor, file, Precision::Double, size); }),
                   "its original has 32 bytes, but the output buffer has"))
          << compressor.name << ' ' << size;
    }
  }
}

TEST(FpcBaseline, FilesAreWrittenToTheCallersMemory) {
  const Bytes doubles = bytes_of(mixed(1000));
  for (const Compressor& compressor : {fpc(12), pfpc({12, 2, 1}), gfc(2, 2)}) {
    Bytes file;
    compressor.compress(doubles, Precision::Double, file);
    const Bytes first = file;
    const std::byte* const memory = file.data();
    compressor.compress(doubles, Precision::Double, file);
    EXPECT_EQ(file, first) << compressor.name;
    EXPECT_EQ(file.data(), memory) << compressor.name;
  }
}

}  // namespace
}  // namespace fpsynth::baselines
