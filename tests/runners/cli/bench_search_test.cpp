// `bench search` on engines other than the CPU's: their totals are held against the CPU's.

#include <gtest/gtest.h>

#include <algorithm>

#include "components/stage_table.hpp"
#include "runners/cli/bench/bench.hpp"
#include "synth/common/error.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::cli {
namespace {

using search::Mode;
using search::Totals;
using tests::contains;

const synth::Plan& small_plan() {
  static const synth::Plan plan = [] {
    synth::Space space = synth::Space::paper();
    space.stages = 2;
    space.cuts = {0, 1, 2};
    return synth::Plan(space);
  }();
  return plan;
}

/// The CPU's engine with faulty totals.
class Faulty : public search::Engine {
 public:
  using Fault = std::function<void(Totals& totals, Mode mode)>;

  Faulty(std::unique_ptr<search::Engine> engine, Fault fault, Mode mode)
      : engine_(std::move(engine)), fault_(std::move(fault)), mode_(mode) {}

  std::string backend() const override { return "cuda"; }
  std::string device() const override { return "Faulty"; }
  int threads() const override { return 1; }
  std::size_t at_once() const override { return 1; }
  std::size_t first_segment() const override { return 2; }
  void walk(std::span<const std::span<const std::byte>> chunks, std::span<std::uint8_t> finished,
            const search::WalkCallbacks& callbacks) override {
    engine_->walk(chunks, finished, callbacks);
  }
  bool measure(std::span<const std::span<const std::byte>>, std::span<std::uint32_t>,
               const std::function<bool()>&) override {
    return false;
  }
  void add_to(Totals& totals) const override {
    engine_->add_to(totals);
    fault_(totals, mode_);
  }

 private:
  std::unique_ptr<search::Engine> engine_;
  Fault fault_;
  Mode mode_;
};

/// The standard output of a benchmark, and the message of its error, if any.
std::pair<std::string, std::string> output_of(const Faulty::Fault& fault, bool json = false,
                                              std::size_t reference = 0) {
  const auto make = [&](const synth::Plan& plan, std::size_t word_bytes, Mode mode) {
    const auto& stages = components::default_stages();
    return std::make_unique<Faulty>(search::cpu_engine(1, stages, true)(plan, word_bytes, mode),
                                    fault, mode);
  };
  BenchArguments arguments;
  arguments.chunks = 2;
  arguments.repetitions = 2;
  arguments.output.json = json;
  arguments.reference = reference;
  ::testing::internal::CaptureStdout();
  const std::string error =
      tests::message_of([&] { bench_engine(make, small_plan(), 1e12, arguments); });
  return {::testing::internal::GetCapturedStdout(), error};
}

void expect_times(const std::string& output) {
  EXPECT_TRUE(contains(output, "shared prefixes, counting")) << output;
  EXPECT_TRUE(contains(output, "shared prefixes, verified")) << output;
}

TEST(BenchEngine, TheCpusTotalsPass) {
  const auto [output, error] = output_of([](Totals&, Mode) {});
  expect_times(output);
  EXPECT_EQ(error, "no error");
  EXPECT_FALSE(contains(output, "are not the CPU's")) << output;
}

TEST(BenchEngine, SizesThatDifferAreNamedBesideTheTimes) {
  const auto [output, error] = output_of([](Totals& totals, Mode) { ++totals.block_bytes.back(); });
  expect_times(output);
  const auto& plan = small_plan();
  const auto of_id = plan.leaf_of_id();
  const auto first = std::ranges::find(of_id, plan.leaves().size() - 1) - of_id.begin();
  const std::string named = synth::to_string(plan.space().at(std::uint64_t(first)));
  EXPECT_TRUE(contains(output, "CPU's: '" + named + "'")) << output;
  EXPECT_TRUE(contains(error, "Faulty: shared prefixes, counting: sizes or failed")) << error;
  EXPECT_TRUE(contains(error, "; shared prefixes, verified: sizes or failed")) << error;
}

TEST(BenchEngine, FailedDecodingsDiffer) {
  for (const bool at_leaf : {true, false}) {
    const auto [output, error] = output_of([&](Totals& totals, Mode mode) {
      if (mode == Mode::Verify) ++(at_leaf ? totals.failed_leaves : totals.failed_nodes).back();
    });
    expect_times(output);
    EXPECT_TRUE(contains(error, "verified: sizes or failed decodings of ")) << error;
    EXPECT_FALSE(contains(error, "counting:")) << error;
  }
}

TEST(BenchEngine, AFailureAtTheRootIsOfAllPipelines) {
  const auto [output, error] = output_of(
      [](Totals& totals, Mode mode) { totals.failed_nodes[0] += mode == Mode::Verify; }, true);
  const std::string all = std::to_string(small_plan().space().size()) + " pipelines";
  EXPECT_TRUE(contains(error, all)) << error;
  EXPECT_TRUE(contains(error, ", ...")) << error;
  EXPECT_TRUE(contains(output, "\"different\":\"sizes or failed decodings of " + all)) << output;
  EXPECT_TRUE(contains(output, "\"seconds\"")) << output;
}

TEST(BenchEngine, AReferenceOnAPartOfTheChunksFindsFaults) {
  const auto [output, error] = output_of([](Totals&, Mode) {}, false, 1);
  EXPECT_EQ(error, "no error");
  EXPECT_TRUE(contains(output, "compared with the CPU on 1 chunk;")) << output;
  const auto wrong = output_of([](Totals& totals, Mode) { ++totals.block_bytes.back(); }, false, 1);
  EXPECT_TRUE(contains(wrong.second, "counting: sizes or failed")) << wrong.second;
  EXPECT_TRUE(contains(wrong.second, "verified: sizes or failed")) << wrong.second;
  // A decoding that fails on the chunks that only the engine walks, after the first walk.
  int asked = 0;
  const auto later = output_of(
      [&](Totals& totals, Mode mode) {
        if (mode == Mode::Verify) totals.failed_leaves.back() += asked++ > 0;
      },
      false, 1);
  EXPECT_TRUE(contains(later.second, "verified: sizes or failed decodings of ")) << later.second;
  EXPECT_FALSE(contains(later.second, "counting:")) << later.second;
}

TEST(BenchEngine, RowsAreWrittenWhenTheyAreMeasured) {
  const auto [output, error] = output_of(
      [](Totals&, Mode mode) {
        if (mode == Mode::Verify) throw Error("the device is lost");
      },
      true);
  EXPECT_EQ(error, "the device is lost");
  EXPECT_TRUE(contains(output, "\"pipeline_bytes_per_second\"")) << output;
  EXPECT_TRUE(contains(output, "shared prefixes, counting")) << output;
  EXPECT_FALSE(contains(output, "shared prefixes, verified")) << output;
}

TEST(BenchEngine, TheDocumentIsJson) {
  const auto document = nlohmann::json::parse(output_of([](Totals&, Mode) {}, true, 1).first);
  EXPECT_EQ(document["benchmark"], "search");
  EXPECT_EQ(document["run"]["device"], "Faulty");
  EXPECT_EQ(document["run"]["reference_chunks"], 1);
  EXPECT_EQ(document["rows"].size(), 2u);
}

}  // namespace
}  // namespace fpsynth::cli
