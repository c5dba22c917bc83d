// Counts of blocks, and of blocks that are not produced, on every team; and the stages that
// commute.

#include <set>
#include <string>

#include "components/dispatch.hpp"
#include "tests/components/cuda_stages.hpp"
#include "tests/components/support.hpp"

namespace fpsynth::components_tests {
namespace {

class Counting : public Stages {};
INSTANTIATE_TEST_SUITE_P(AllTeams, Counting, ::testing::ValuesIn(host_teams()), team_name);
INSTANTIATE_TEST_SUITE_P(GPU_, Counting, ::testing::Values(Team{"cuda", components::cuda_stages}),
                         team_name);

/// The counts of a block decide the length that each reducer gives it, as words and as bytes.
TEST_P(Counting, CountsGiveTheLengthsOfReducers) {
  const bool slow = table().name().starts_with("emulated") || table().name() == "cuda";
  std::mt19937_64 random(11);
  std::size_t compared = 0;
  const auto check = [&](std::span<const std::byte> input, std::size_t word_bytes) {
    Block in(input);
    ScratchBuffer scratch(input.size());
    poison(scratch.view());
    const std::size_t words = input.size() / word_bytes;
    const auto counts = table().count(in.data(), words, word_bytes, scratch.view());
    ASSERT_TRUE(in.front_is_intact());
    for (std::size_t family = 0; family < synth::family_count(); ++family) {
      for (const std::size_t size : {word_bytes, std::size_t{1}}) {
        const auto& serial = components::serial_stages().at(family, size);
        const auto measured = table().at(family, size).measured;
        ASSERT_EQ(measured == nullptr, serial.measured == nullptr);
        if (!measured) continue;
        const std::size_t n = input.size() / size;
        ASSERT_EQ(measured(size == word_bytes ? counts.words : counts.bytes, n),
                  serial.measure(in.data(), n, 1, scratch.view()))
            << "family " << family << ", " << n << " words of " << size;
        ++compared;
      }
    }
  };
  for (const std::size_t word_bytes : {1, 2, 4, 8}) {
    for (const std::size_t words : testing::block_lengths(word_bytes)) {
      // A warp's turns are long in blocks of 3584 bytes and more: chunks, or a word less.
      const std::size_t chunk = 8192 / word_bytes;
      if (slow && words > 130 && words != chunk - 1 && words != chunk) continue;
      for (const Content content : testing::kContents) {
        check(testing::make_block(content, word_bytes, words), word_bytes);
        if (HasFatalFailure()) return;
      }
    }
    for (int round = 0; round < (slow ? 12 : 200); ++round) {
      const std::size_t words = 1 + random() % (slow && round < 4 ? 300 : 3000);
      check(runs_of_bytes(words * word_bytes, random), word_bytes);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GE(compared, 1000u);
}

/// Counts of a stage's output that is not produced equal those of the output.
TEST_P(Counting, OutputsAreCountedWithoutBeingProduced) {
  if (!table().counts_outputs())
    GTEST_SKIP() << table().name() << " produces outputs to count them";
  std::size_t known = 0, unknown = 0;
  const auto check = [&](std::span<const std::byte> input, std::size_t word_bytes) {
    Block block(input);
    const components::CountedBlockBuffer memory(input.size());
    ScratchBuffer scratch(2 * input.size());
    poison(scratch.view());
    const std::size_t words = input.size() / word_bytes;
    components::CountedBlock counted = memory.view();
    table().prepare(block.data(), words, word_bytes, counted, scratch.view());
    for (const std::size_t size : {word_bytes, std::size_t{1}}) {
      for (const synth::Component component : many_components()) {
        const auto& ops = table().at(component.family, size);
        teams::BlockCounts counts;
        if (!ops.count_output || !ops.count_output(counted, input.size() / size,
                                                   component.parameter, scratch.view(), counts)) {
          ++unknown;
          continue;
        }
        ++known;
        const Encoded encoded = encode(components::serial_stages(), component, size, input);
        Block output(encoded.bytes);
        ASSERT_EQ(counts, components::serial_stages().count(
                              output.data(), encoded.bytes.size() / size, size, scratch.view()))
            << synth::to_string(component) << ", " << words << " words of " << word_bytes
            << ", stage on " << size;
      }
    }
  };
  std::mt19937_64 random(12);
  for (const std::size_t word_bytes : {1, 2, 4, 8}) {
    for (const std::size_t words : testing::block_lengths(word_bytes)) {
      for (const Content content : testing::kContents) {
        check(testing::make_block(content, word_bytes, words), word_bytes);
        if (HasFatalFailure()) return;
      }
    }
    for (int round = 0; round < 40; ++round) {
      const std::size_t words = round % 2 ? 1024 * 8 / word_bytes : 1 + random() % 3000;
      check(runs_of_bytes(words * word_bytes, random), word_bytes);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GE(known, 20000u);
  EXPECT_GE(unknown, 1000u);
}

/// The zero words of a block that was counted need not be counted again behind a stage that only
/// moves words.
TEST(Counting, StagesThatMoveWordsLeaveAsManyZeros) {
  const auto count = [](const std::vector<std::byte>& bytes, std::size_t word_bytes) {
    Block block(bytes);
    ScratchBuffer scratch(bytes.size());
    return components::serial_stages().count(block.data(), bytes.size() / word_bytes, word_bytes,
                                             scratch.view());
  };
  std::set<std::string> found;
  for (const synth::Component component : many_components()) {
    const components::Step step{component.family, component.parameter};
    if (!components::StepLengths<std::uint64_t>::keeps_zeros(step)) continue;
    found.insert(synth::to_string(component));
    for (const std::size_t word_bytes : {1, 2, 4, 8}) {
      for (const std::size_t words : {1, 2, 7, 64, 130, 1024}) {
        for (const Content content : testing::kContents) {
          const auto input = testing::make_block(content, word_bytes, words);
          const auto before = count(input, word_bytes);
          for (const std::size_t stage : {word_bytes, std::size_t{1}}) {
            const Encoded encoded = encode(components::serial_stages(), component, stage, input);
            const auto after = count(encoded.bytes, word_bytes);
            ASSERT_EQ(after.bytes.nonzero, before.bytes.nonzero) << *found.rbegin();
            if (stage == word_bytes) {
              ASSERT_EQ(after.words.nonzero, before.words.nonzero);
            }
          }
        }
      }
    }
  }
  EXPECT_TRUE(found.contains("DIM2") && found.contains("DIM32")) << found.size();
}

/// Runs a component on the serial team.
std::vector<std::byte> run_serial(synth::Component component, std::size_t word_bytes,
                                  const std::vector<std::byte>& input) {
  return encode(components::serial_stages(), component, word_bytes, input).bytes;
}

TEST(Commuting, StagesGiveTheSameBlockInEitherOrder) {
  std::size_t pairs = 0;
  for (const synth::Component a : many_components()) {
    for (const synth::Component b : many_components()) {
      if (!synth::commute(a.family, b.family)) continue;
      ++pairs;
      for (const std::size_t word_bytes : {1, 2, 4, 8}) {
        for (const std::size_t words : {1, 2, 7, 63, 64, 65, 130, 257}) {
          for (const Content content : {Content::Random, Content::LongRuns, Content::Sparse}) {
            const auto block = testing::make_block(content, word_bytes, words);
            ASSERT_EQ(run_serial(b, word_bytes, run_serial(a, word_bytes, block)),
                      run_serial(a, word_bytes, run_serial(b, word_bytes, block)))
                << synth::to_string(a) << ", " << synth::to_string(b) << ", " << words
                << " words of " << word_bytes;
          }
        }
      }
    }
  }
  EXPECT_GE(pairs, 72u + 16);  // LNVs and LNVx with themselves, INV with DIM and BIT
}

}  // namespace
}  // namespace fpsynth::components_tests
