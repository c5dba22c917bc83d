// Known results on real data: num_plasma in both precisions.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runners/codec/codec.hpp"
#include "runners/data/input.hpp"
#include "runners/search/search.hpp"
#include "tests/runners/data/real_data.hpp"

namespace fpsynth::search {
namespace {

/// The ratio of the file that the codec writes, after a check that it decodes.
double ratio_of(const data::Input& input, const char* pipeline) {
  const auto file = codec::compress(input.bytes(), synth::parse_pipeline(pipeline),
                                    synth::word_bytes(input.native()));
  const auto original = codec::decompress(file);
  EXPECT_TRUE(std::ranges::equal(original, input.bytes())) << pipeline;
  return double(input.bytes().size()) / double(file.size());
}

std::string digits(double ratio) { return fmt::format("{:.3f}", ratio); }

TEST(NumPlasma, LONG_TheBestPipelinesHaveTheirRatios) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  const data::Input doubles = data::open_input(path),
                    singles = doubles.in(synth::Precision::Single);
  EXPECT_EQ(digits(ratio_of(doubles, "LNV2s LNV2s LNV2x | ZE")), "1.460");
  EXPECT_EQ(digits(ratio_of(singles, "LNV2s LNV2s LNV2x | ZE")), "1.988");
  EXPECT_EQ(digits(ratio_of(singles, "LNV2s LNV2s | LNV8s ZE")), "1.988");
  EXPECT_EQ(digits(ratio_of(singles, "LNV2s LNV2s | LNV8x ZE")), "1.988");
  EXPECT_EQ(fmt::format("{:.2f}", ratio_of(singles, "LNV2s LNV2s | DIM8 RLE")), "2.04");
  // MPC with the data's dimensionality, 2.
  EXPECT_EQ(digits(ratio_of(doubles, "LNV2s BIT LNV1s ZE")), "1.166");
  EXPECT_EQ(digits(ratio_of(singles, "LNV2s BIT LNV1s ZE")), "1.347");
}

TEST(NumPlasma, LONG_TheSearchRanksThemFirst) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  const data::Input doubles = data::open_input(path);
  const synth::Plan plan(synth::Space::paper());
  SearchOptions options;
  options.sample = 127;  // 34 of 4,284 chunks; prime, as the data has a period in chunks
  const auto best = [&](const results::Document& document, std::size_t rank) {
    return synth::to_string(document.space.at(document.ranking[rank]));
  };
  const auto in_double = search(doubles, plan, options);
  EXPECT_EQ(in_double.run.failures, 0u);
  EXPECT_EQ(best(in_double, 0), "LNV2s LNV2s LNV2x | ZE");
  const auto in_single = search(doubles.in(synth::Precision::Single), plan, options);
  EXPECT_EQ(in_single.run.failures, 0u);
  EXPECT_EQ(best(in_single, 0), "LNV2s LNV2s | DIM8 RLE");
  // After it, three equal ones in the order of their ids.
  EXPECT_EQ(best(in_single, 1), "LNV2s LNV2s | LNV8s ZE");
  EXPECT_EQ(best(in_single, 2), "LNV2s LNV2s | LNV8x ZE");
  EXPECT_EQ(best(in_single, 3), "LNV2s LNV2s LNV2x | ZE");
  EXPECT_EQ(in_single.payload_bytes[in_single.ranking[1]],
            in_single.payload_bytes[in_single.ranking[3]]);
}

}  // namespace
}  // namespace fpsynth::search
