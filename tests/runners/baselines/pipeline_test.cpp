// Pipelines, alone and behind preludes, as compressors that `compare` times.

#include <gtest/gtest.h>

#include <string>

#include "runners/codec/codec.hpp"
#include "runners/timing/compressor.hpp"
#include "synth/prelude.hpp"
#include "tests/runners/baselines/values.hpp"
#include "tests/support/blocks.hpp"

namespace fpsynth::baselines {
namespace {

TEST(PipelineCompressors, WriteTheFilesOfCompress) {
  for (const std::string text : {"LNV1s | ZE", "LAGx:700 / LNV1s ZE | RLE", "ORD LAGs:3 / | RLE"}) {
    const synth::Method method = synth::parse_method(text);
    for (const std::size_t word : {8u, 4u}) {
      const auto precision = word == 8 ? synth::Precision::Double : synth::Precision::Single;
      auto input = testing::make_block(testing::Content::Smooth, word, 5000);
      input.resize(input.size() + 3);  // a tail shorter than a word
      codec::CodecOptions longer;
      longer.chunk_words = 4096;
      const Compressor in_longer = timing::pipeline_compressor(method, text, 1, longer.chunk_words);
      const auto long_file = compressed(in_longer, input, precision);
      EXPECT_EQ(long_file, codec::compress(input, method, word, longer)) << text;
      EXPECT_EQ(decompressed(in_longer, long_file, precision, input.size()), input) << text;
      for (const int threads : {1, 2}) {
        const Compressor compressor = timing::pipeline_compressor(method, text, threads);
        EXPECT_EQ(compressor.threads, threads) << text;
        const auto file = compressed(compressor, input, precision);
        EXPECT_EQ(file, codec::compress(input, method, word)) << text;
        EXPECT_EQ(decompressed(compressor, file, precision, input.size()), input) << text;
      }
    }
  }
}

}  // namespace
}  // namespace fpsynth::baselines
