// Spaces of other numbers of stages than the paper's four: the same code, the same equalities.

#include <gtest/gtest.h>

#include "runners/codec/codec.hpp"
#include "tests/runners/search/support.hpp"

namespace fpsynth::search {
namespace {

using synth::Precision;

/// Stages that permute, subtract, reduce and grow, in all cuts.
synth::Space space_of(unsigned stages) {
  synth::Space space = synth::Space::paper();
  space.stages = stages;
  space.cuts.clear();
  for (unsigned cut = 0; cut <= stages; ++cut) space.cuts.push_back(cut);
  space.components.clear();
  for (const char* name : {"NUL", "BIT", "LNV2s", "RLE"}) {
    space.components.push_back(*synth::parse_component(name));
  }
  return space;
}

class Stages : public ::testing::TestWithParam<unsigned> {};

TEST_P(Stages, EverySizeIsThatOfTheFile) {
  const synth::Plan plan(space_of(GetParam()));
  EXPECT_EQ(plan.edges(), synth::plan_size(plan.space()).edges());
  for (const Precision precision : {Precision::Double, Precision::Single}) {
    SCOPED_TRACE(synth::to_string(precision));
    const data::Input input = several_chunks(precision);
    const std::size_t word_bytes = synth::word_bytes(precision);
    SearchOptions options;
    const results::Document verified = search(input, plan, options);
    options.verification = Verification::parse("none");
    const results::Document counted = search(input, plan, options);
    EXPECT_EQ(verified.run.failures, 0u);
    EXPECT_EQ(verified.run.edges_verified, 4 * plan.edges());
    EXPECT_EQ(verified.payload_bytes, counted.payload_bytes);
    EXPECT_EQ(verified.ranking, counted.ranking);
    std::uint64_t wrong = 0;
    for (std::uint64_t id = 0; id < plan.space().size(); ++id) {
      const auto file =
          codec::compress(input.bytes(), plan.space().at(id), word_bytes, {.threads = 1});
      wrong += file.size() != verified.compressed_bytes(id);
    }
    EXPECT_EQ(wrong, 0u);
  }
}

TEST_P(Stages, DevicesGiveTheProcessorsNumbers) {
  device::EmulatedDevice::Options lanes;
  lanes.lanes = 32;
  const synth::Plan plan(space_of(GetParam()));
  const data::Input input = several_chunks(Precision::Single);
  for (const char* verification : {"all", "none"}) {
    SearchOptions options;
    options.verification = Verification::parse(verification);
    const results::Document expected = search(input, plan, options);
    options.engine = engine_on({lanes});
    expect_same_findings(search(input, plan, options), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(ThreeAndFive, Stages, ::testing::Values(3u, 5u), [](const auto& a_case) {
  return std::to_string(a_case.param) + "Stages";
});

}  // namespace
}  // namespace fpsynth::search
