// Tests of the PTX interpreter with PTX written by hand: the results of instructions and lanes, and
// the detection of each fault.

#include <gtest/gtest.h>

#include <numeric>

#include "tests/ptx/interpreter/launch.hpp"
#include "tests/ptx/interpreter/parser.hpp"

namespace fpsynth::ptx {
namespace {

/// A kernel in which %r1 is the lane's number and every lane stores %r9 to its word of the result.
std::string kernel_text(const std::string& body) {
  return R"(
.visible .entry test(
  .param .align 8 .b8 test_param_0[16]
)
{
  .reg .pred %p<9>;
  .reg .b16 %rs<9>;
  .reg .b32 %r<99>;
  .reg .b64 %rd<9>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.s32 %r4, %r2, %r3, %r1;
  ld.param.u64 %rd1, [test_param_0];
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r5, _ZN7fpsynth5teams6memoryE;
  mad.lo.s32 %r6, %r1, 4, %r5;
  mov.u32 %r9, 0;
)" + body +
         R"(
$L_end:
  st.global.u32 [%rd3], %r9;
  ret;
}
)";
}

struct Launched {
  std::vector<std::uint32_t> words;
  Statistics statistics;
};
/// Runs the kernel with 64 lanes per block and 256 bytes of shared memory.
Launched run(const std::string& body, std::uint32_t seed = 1, std::uint32_t blocks = 1,
             Checks checks = {}) {
  const std::string text = kernel_text(body);
  Kernel kernel = parse_kernel(text, text.find('('));
  const std::vector<std::string> no_files;
  kernel.name = "test";
  kernel.files = &no_files;
  constexpr std::uint32_t kLanes = 64;
  Launched result;
  result.words.resize(kLanes * blocks);
  const std::size_t bytes = 4 * result.words.size();
  Memory memory;
  std::byte* const out = memory.allocate(bytes);
  const std::uint64_t arguments[] = {reinterpret_cast<std::uint64_t>(out), bytes};
  checks.wavefronts = true;
  checks.most_instructions = 100'000;
  launch(kernel, {blocks, kLanes, 256, 2, seed}, checks, memory,
         std::as_bytes(std::span(arguments)), result.statistics);
  std::memcpy(result.words.data(), out, bytes);
  return result;
}
/// The message of a kernel's fault, which must occur in any order of the warps.
std::string fault_of(const std::string& body) {
  std::string said;
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    try {
      run(body, seed);
      ADD_FAILURE() << "no fault with seed " << seed;
    } catch (const Fault& fault) {
      said = fault.what();
    }
  }
  return said;
}
void expect_said(const std::string& said, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(said.find(part), said.npos) << part << " in: " << said;
}

TEST(PTX_Interpreter, LanesHaveTheirNumbers) {
  const auto launched = run("add.s32 %r9, %r4, 7;", 1, 3);
  for (std::uint32_t i = 0; i < 192; ++i) ASSERT_EQ(launched.words[i], i + 7);
}

TEST(PTX_Interpreter, LanesGoTheirOwnWaysAndMeetAgain) {
  // Each lane adds up the numbers below its own; then the warp needs all of them.
  const auto launched = run(R"(
  mov.u32 %r10, 0;
$L_loop:
  setp.ge.u32 %p1, %r10, %r1;
  @%p1 bra $L_done;
  add.s32 %r9, %r9, %r10;
  add.s32 %r10, %r10, 1;
  bra.uni $L_loop;
$L_done:
  redux.sync.max.u32 %r11, %r10, -1;
  shl.b32 %r11, %r11, 16;
  or.b32 %r9, %r9, %r11;
)");
  for (std::uint32_t i = 0; i < 64; ++i) {
    ASSERT_EQ(launched.words[i], i * (i - 1) / 2 + ((i | 31) << 16)) << i;
  }
  EXPECT_GT(launched.statistics.divergent_branches, 60u);
}

TEST(PTX_Interpreter, LanesOfAWarpTellEachOther) {
  const auto words = run(R"(
  shfl.sync.up.b32 %r10|%p1, %r1, 4, 0, -1;
  @%p1 add.s32 %r9, %r9, %r10;
  shfl.sync.bfly.b32 %r11|%p2, %r1, 1, 31, -1;
  mad.lo.s32 %r9, %r11, 256, %r9;
  shfl.sync.idx.b32 %r12|%p3, %r1, 9, 31, -1;
  mad.lo.s32 %r9, %r12, 65536, %r9;
  setp.gt.u32 %p4, %r1, 40;
  vote.sync.ballot.b32 %r13, %p4, -1;
  popc.b32 %r14, %r13;
  shl.b32 %r14, %r14, 24;
  add.s32 %r9, %r9, %r14;
)")
                         .words;
  for (std::uint32_t i = 0; i < 64; ++i) {
    const std::uint32_t up = i % 32 >= 4 ? i - 4 : 0, other = i ^ 1, ninth = i / 32 * 32 + 9;
    const std::uint32_t votes = i < 32 ? 0 : 23;
    ASSERT_EQ(words[i], up + (other << 8) + (ninth << 16) + (votes << 24)) << i;
  }
}

TEST(PTX_Interpreter, ABarrierOrdersAndTellsWhetherALaneHasIt) {
  const auto words = run(R"(
  st.shared.u32 [%r6], %r1;
  bar.sync 0;
  xor.b32 %r10, %r1, 63;
  mad.lo.s32 %r11, %r10, 4, %r5;
  ld.shared.u32 %r9, [%r11];
  setp.eq.s32 %p1, %r1, 50;
  bar.red.or.pred %p2, 0, %p1;
  selp.u32 %r12, 100, 0, %p2;
  add.s32 %r9, %r9, %r12;
)")
                         .words;
  for (std::uint32_t i = 0; i < 64; ++i) ASSERT_EQ(words[i], 63 - i + 100);
}

TEST(PTX_Interpreter, WhatIsUnknownIsNamedWithItsLine) {
  for (const char* unknown :
       {"sin.approx.f32 %r9, %r9;", "ld.local.u32 %r9, [%rd1];", "add.s32 %r9, %r9, nowhere;",
        "add.s32 %r9, %rd1, 1;", "bar.sync 1;", ".shared .b8 more[16];", "bra $L_away;"}) {
    const std::string text = kernel_text(unknown);
    try {
      parse_kernel(text, text.find('('));
      FAIL() << unknown;
    } catch (const Fault& fault) {
      expect_said(fault.what(), {"PTX, line "});
      if (std::string(unknown).find("L_away") == std::string::npos) {
        expect_said(fault.what(), {"line 20: "});
      }
    }
  }
}

TEST(PTX_Interpreter, AccessesOutOfBoundsAreFaults) {
  expect_said(fault_of("ld.global.u32 %r9, [%rd1+256];"), {"ld.global.u32", "line 20", "lane 0"});
  expect_said(fault_of("ld.global.u32 %r9, [%rd1+-4];"), {"out of all memory"});
  expect_said(fault_of("ld.shared.u32 %r9, [%r5+256];"), {"out of shared memory: byte 256 of 256"});
  expect_said(fault_of("ld.shared.u32 %r9, [%r5+-4];"), {"out of shared memory: byte -4 of 256"});
  expect_said(fault_of("ld.param.u32 %r9, [test_param_0+16];"), {"the kernel's arguments"});
  expect_said(fault_of("cvt.u64.u32 %rd5, %r5; cvta.shared.u64 %rd5, %rd5;"
                       "ld.global.u32 %r9, [%rd5];"),
              {"takes shared memory for global"});
  run("cvt.u64.u32 %rd5, %r5; cvta.shared.u64 %rd5, %rd5; ld.u32 %r9, [%rd5+252];");
}

TEST(PTX_Interpreter, AccessesThatAreNotAlignedAreFaults) {
  expect_said(fault_of("ld.global.u32 %r9, [%rd1+2];"), {"not aligned to 4 bytes"});
  expect_said(fault_of("ld.shared.u32 %r9, [%r5+1];"), {"not aligned to 4 bytes"});
  expect_said(fault_of("ld.global.v2.u32 {%r9, %r10}, [%rd1+4];"), {"not aligned to 8 bytes"});
}

/// Each lane writes a word of shared memory and reads the word of another lane.
std::string exchange(const std::string& between, unsigned other) {
  return "st.shared.u32 [%r6], %r1;" + between + "xor.b32 %r10, %r1, " + std::to_string(other) +
         "; mad.lo.s32 %r11, %r10, 4, %r5; ld.shared.u32 %r9, [%r11];";
}

TEST(PTX_Interpreter, RacesAreFoundWhateverTheOrder) {
  // Between warps, within a warp, and with the wrong barrier.
  for (const auto& [between, other] :
       {std::pair("", 32u), std::pair("", 1u), std::pair("bar.warp.sync -1;", 32u),
        std::pair("redux.sync.add.u32 %r20, %r1, -1;", 1u)}) {
    expect_said(fault_of(exchange(between, other)),
                {"races with", "ld.shared.u32", "st.shared.u32"});
  }
  run(exchange("bar.sync 0;", 32));
  run(exchange("bar.sync 0;", 1));
  run(exchange("bar.warp.sync -1;", 1));
  run(exchange("", 0));
}

TEST(PTX_Interpreter, ReadingIsNoRaceButWritingWhatIsReadIs) {
  const std::string read = "ld.shared.u32 %r9, [%r5];";
  const std::string write = "setp.eq.s32 %p1, %r1, 40; @%p1 st.shared.u32 [%r5], %r1;";
  run(read + read);
  run(read + "bar.sync 0;" + write);
  expect_said(fault_of(read + write), {"races with"});
  expect_said(fault_of(read + "bar.warp.sync -1;" + write), {"races with"});
  // Part of a word.
  expect_said(fault_of("ld.shared.u8 %r9, [%r5+3];" + write), {"races with"});
  run("ld.shared.u8 %r9, [%r5+4];" + write);
  // All lanes write the same value to the same word.
  expect_said(fault_of("st.shared.u32 [%r5], 5;"), {"races with"});
}

TEST(PTX_Interpreter, AtomicAccessesRaceWithOthersAlone) {
  const std::string atomic = "atom.shared.add.u32 %r9, [%r5], 1;";
  const std::string clear = "setp.eq.s32 %p1, %r1, 0; @%p1 st.shared.u32 [%r5], 0;";
  EXPECT_THROW(run(atomic + "ld.shared.u32 %r9, [%r5];"), Fault);
  EXPECT_THROW(run(clear + atomic), Fault);
  const auto words = run(clear + "bar.sync 0;" + atomic + "bar.sync 0; ld.shared.u32 %r9, [%r5];");
  EXPECT_EQ(words.words, std::vector<std::uint32_t>(64, 64));
}

TEST(PTX_Interpreter, RacesInGlobalMemoryAreFound) {
  // The result has one word for every lane.
  const std::string store = "st.global.u32 [%rd3], %r1;";
  const std::string load =
      "xor.b32 %r10, %r1, 32; mul.wide.u32 %rd4, %r10, 4;"
      "add.s64 %rd4, %rd1, %rd4; ld.global.u32 %r9, [%rd4];";
  expect_said(fault_of(store + load), {"races with"});
  run(store + "bar.sync 0;" + load + "bar.sync 0;");
}

TEST(PTX_Interpreter, LanesThatAreApartAtABarrierAreFound) {
  const std::string odd = "and.b32 %r10, %r1, 1; setp.eq.s32 %p1, %r10, 0;";
  for (const char* together :
       {"bar.sync 0;", "bar.warp.sync -1;", "redux.sync.add.u32 %r20, %r1, -1;",
        "shfl.sync.up.b32 %r20|%p2, %r1, 4, 0, -1;"}) {
    expect_said(fault_of(odd + "@%p1 bra $L_end;" + together), {"lanes wait for others"});
    expect_said(fault_of(odd + "@%p1 " + together), {"only some lanes"});
  }
  expect_said(fault_of("bar.warp.sync 15;"), {"a part of a warp"});
  // A whole warp is missing.
  expect_said(fault_of("setp.lt.u32 %p1, %r1, 32; @%p1 bra $L_end; bar.sync 0;"),
              {"warp 0 has ended"});
  // Warps at different barriers.
  expect_said(fault_of("setp.lt.u32 %p1, %r1, 32; @%p1 bra $L_other; bar.sync 0; bra $L_end;"
                       "$L_other: bar.sync 0;"),
              {"is at `bar.sync 0`"});
}

TEST(PTX_Interpreter, WhatDoesNotEndIsAFault) {
  expect_said(fault_of("$L_again: nanosleep.u32 20; bra.uni $L_again;"), {"does not end"});
}

TEST(PTX_Interpreter, ABarrierCanBeLeftOut) {
  const std::string body = exchange("bar.sync 0;", 32);
  const auto whole = run(body);
  ASSERT_EQ(whole.statistics.barriers.size(), 1u);
  Checks checks;
  checks.dropped = whole.statistics.barriers;
  EXPECT_THROW(run(body, 1, 1, checks), Fault);
  checks.dropped = {{"another", whole.statistics.barriers.begin()->pc}};
  run(body, 1, 1, checks);
}

TEST(PTX_Interpreter, BankConflictsAreCounted) {
  for (const auto& [stride, wavefronts] : {std::pair(0, 1u), std::pair(1, 1u), std::pair(2, 2u)}) {
    // The addresses of the second warp wrap around after 64 words.
    const auto counted = run("mad.lo.s32 %r10, %r1, " + std::to_string(4 * stride) +
                             ", 0; and.b32 %r10, %r10, 252; add.s32 %r10, %r10, %r5;"
                             "ld.shared.u32 %r9, [%r10];")
                             .statistics;
    EXPECT_EQ(counted.shared_accesses, 2u) << stride;
    EXPECT_EQ(counted.ideal_wavefronts, 2u) << stride;
    EXPECT_EQ(counted.shared_wavefronts, 2 * wavefronts) << stride;
  }
}

}  // namespace
}  // namespace fpsynth::ptx
