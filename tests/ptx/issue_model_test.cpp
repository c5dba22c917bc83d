// The model by which count_kernels estimates speeds, against numbers computed by hand.

#include "tests/ptx/counts/issue_model.hpp"

#include <gtest/gtest.h>

#include "tests/ptx/counts/sass.hpp"

namespace fpsynth::ptx {
namespace {

constexpr std::size_t kInteger = 0;
static_assert(kInteger == std::size_t(Pipe::Integer));

void expect(const Load& load, double instructions, const char* bound) {
  const IssueRate rate = issue_rate(load);
  EXPECT_NEAR(rate.instructions, instructions, 1e-5) << bound;
  EXPECT_STREQ(rate.bound, bound);
}

TEST(IssueModel, WarpsOfASchedulerWaitForEachOther) {
  EXPECT_DOUBLE_EQ(scheduler_rate(0, 3, 1), 0);
  EXPECT_DOUBLE_EQ(scheduler_rate(1, 3, 1), 1.0 / 3);
  // The first is there for a third of the time: 2 / (1 + 1/3 + 2), then 3 / (1 + 0.8 + 2).
  EXPECT_DOUBLE_EQ(scheduler_rate(2, 3, 1), 0.6);
  EXPECT_DOUBLE_EQ(scheduler_rate(3, 3, 1), 15.0 / 19);
  EXPECT_DOUBLE_EQ(scheduler_rate(5, 2, 4), 0.25) << "no more than what it is busy with";
}

TEST(IssueModel, SchedulersHaveWholeWarps) {
  // Three, three, three and two.
  expect({.warps = 11, .cycles = 3}, 3 * 15.0 / 19 + 0.6, "too few warps");
  expect({.warps = 3, .cycles = 3}, 1, "too few warps");
  expect({.warps = 64, .cycles = 1}, 4, "issue slots");
}

TEST(IssueModel, PipesAreAtLessThanTheFullRate) {
  // Three quarters of the instructions keep the pipe for two cycles each: 1.5 of every instruction.
  // A warp alone 1/3; two 2 / (1.5 * 1.5 + 1.5); three 3 / (1.5 * 2.2 + 1.5).
  Load load{.warps = 11, .cycles = 3};
  load.pipes[kInteger] = 0.75;
  expect(load, 3 * 0.625 + 8.0 / 15, "integer pipe");
  load.pipes[kInteger] = 0.5;
  expect(load, 3 * 15.0 / 19 + 0.6, "too few warps");
}

TEST(IssueModel, SharedMemoryDoesAWavefrontInACycle) {
  expect({.warps = 11, .cycles = 3, .wavefronts = 0.5}, 2, "shared memory");
  expect({.warps = 11, .cycles = 3, .wavefronts = 0.25}, 3 * 15.0 / 19 + 0.6, "too few warps");
}

TEST(IssueModel, FetchesAreWaitedFor) {
  // Ten cycles for an instruction of a warp alone: 0.1, then 2 / 10.1, then 3 / 10.217822.
  expect({.warps = 11, .cycles = 3, .fetches = 7}, 3 * 0.2936047 + 0.1980198,
         "instruction fetches");
}

/// 256 KiB of code, of which the first half runs three times as often as the second.
TEST(Sass, CodeBeyondTheInstructionCacheIsFetched) {
  constexpr std::size_t kHalf = kInstructionCache / 16;
  std::vector<SassInstruction> code(2 * kHalf);
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool second = i >= kHalf;
    code[i].line = code[i].block = second;
    code[i].opcode = second ? "IMAD" : i % 2 ? "LOP3" : "LDS";
  }
  const std::map<std::uint32_t, Runs> lines{{0, {3, 0}}, {1, {1, 0}}};
  const SassEstimate made = estimate(code, lines, 263);
  EXPECT_DOUBLE_EQ(made.instructions, 4 * kHalf);
  // A line of the cache has eight instructions.
  EXPECT_DOUBLE_EQ(made.misses, 1.0 / 4 / 8);
  EXPECT_EQ(made.pipes, (std::array<double, kPipes.size()>{3.0 / 8, 1.0 / 4, 0, 0}));
  code.resize(kHalf);
  EXPECT_DOUBLE_EQ(estimate(code, lines, 263).misses, 0);
}

}  // namespace
}  // namespace fpsynth::ptx
