#pragma once
// An estimate of how fast a GPU issues a kernel: its machine code (SASS) with the stall counts and
// scoreboards that ptxas wrote into it, each basic block as often as the interpreter ran the lines
// of PTX that it comes from.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/ptx/counts/issue_model.hpp"
#include "tests/ptx/interpreter/launch.hpp"

namespace fpsynth::ptx {

struct SassInstruction {
  std::uint32_t line = 0;   ///< of the PTX it comes from
  std::uint32_t block = 0;  ///< its basic block's number
  std::uint8_t stall = 1;   ///< cycles until the warp's next instruction
  /// The scoreboards that it sets when its result is there and when its operands are read, kNone
  /// for none; and those that it waits for, as bits.
  static constexpr std::uint8_t kNone = 7;
  std::uint8_t when_written = kNone, when_read = kNone, waits = 0;
  bool joins = true;   ///< false behind a jump that is always taken: nothing runs on into it
  std::string opcode;  ///< without what follows its first point
};

/// A kernel as ptxas makes it: registers of a lane, bytes that a lane writes to and reads from
/// local memory because registers do not suffice, and the code.
struct CompiledKernel {
  unsigned registers = 0, spill_stores = 0, spill_loads = 0;
  std::vector<SassInstruction> code;
};

/// Compiles those files of the program's PTX that have one of the kernels (KernelCount::kernel) for
/// an architecture ("sm_90") with the ptxas of CUDA_HOME or of PATH, which takes minutes, and reads
/// their code with the nvdisasm from there. Throws Error if one of them does not run or fails.
std::map<std::string, CompiledKernel> compiled_kernels(const std::string& architecture,
                                                       const std::set<std::string>& of);

/// Reads what `nvdisasm -hex -print-line-info-ptx` printed, by the names of the functions.
std::map<std::string, std::vector<SassInstruction>> read_sass(const std::filesystem::path& file);

/// Of a kernel in some work: instructions of warps, and the cycles in which one warp, if it were
/// alone, would issue one of them.
struct SassEstimate {
  double instructions = 0;
  double by_stalls = 0;     ///< by stall counts
  double by_latencies = 0;  ///< and waits for shared memory, shuffles and the L1 cache
  double from_l2 = 0;       ///< and if global memory is never in the L1 cache
  double hot_bytes = 0;     ///< of code that holds 90 % of the instructions that run
  /// The share of the instructions that each pipe has, and fetches for each instruction from code
  /// that is not in the instruction cache, which holds the lines that are fetched most.
  std::array<double, kPipes.size()> pipes{};
  double misses = 0;
};

/// About what a multiprocessor keeps of a kernel's code.
constexpr std::size_t kInstructionCache = std::size_t{128} << 10;

/// `lines`: the counts of the PTX, by line. `l2_cycles`: the latency of the L2 cache.
SassEstimate estimate(const std::vector<SassInstruction>& code,
                      const std::map<std::uint32_t, Runs>& lines, double l2_cycles);

/// The latencies that the estimate takes, and from where.
extern const char* const kLatencies;

}  // namespace fpsynth::ptx
