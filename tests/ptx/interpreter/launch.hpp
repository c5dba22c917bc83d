#pragma once
// A launch of a kernel: its blocks, warp by warp in random order.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tests/ptx/interpreter/memory.hpp"
#include "tests/ptx/interpreter/program.hpp"

namespace fpsynth::ptx {

/// A barrier of the block or of a warp in a kernel's code.
struct Barrier {
  std::string kernel;
  std::uint32_t pc;
  auto operator<=>(const Barrier&) const = default;
};

/// Counts of how often warps ran an instruction, and how often it accessed global memory.
struct Runs {
  std::uint64_t warps = 0, global = 0;
};

/// Counts of what launches did. Instructions are counted per warp.
struct Statistics {
  std::uint64_t instructions = 0;
  std::uint64_t branches = 0, divergent_branches = 0;
  std::uint64_t block_barriers = 0;  ///< counted per warp
  std::uint64_t warp_collectives = 0;
  std::uint64_t shared_accesses = 0, global_accesses = 0;
  /// With Checks::wavefronts: cycles of the 32 banks of shared memory, with and without conflicts.
  std::uint64_t shared_wavefronts = 0, ideal_wavefronts = 0;
  std::map<std::string, std::vector<Runs>> kernels;  ///< those launched; by instruction
  std::set<Barrier> barriers;                        ///< those that were run
};

/// Counts of all launches of a kernel.
struct KernelCounts {
  Statistics statistics;
  std::uint64_t launches = 0;
  std::uint32_t lanes = 0;       ///< of a block
  std::size_t shared_bytes = 0;  ///< of a block; the most
};

struct Checks {
  bool races = true;
  bool wavefronts = false;
  /// Limit of a launch; more is a Fault, because the launch is assumed not to end.
  std::uint64_t most_instructions = std::uint64_t{1} << 33;
  std::set<Barrier> dropped;  ///< barriers to leave out
};

struct Shape {
  std::uint32_t blocks, lanes;
  std::size_t shared_bytes;
  std::uint32_t resident;  ///< blocks that run at once
  std::uint32_t seed;
};

/// Data that all parts of a launch share.
struct Context {
  const Kernel& kernel;
  const Shape& shape;
  const Checks& checks;
  Memory& memory;
  Statistics& statistics;
  std::vector<Runs>& runs;  ///< by instruction
  std::span<const std::byte> arguments;
  std::vector<std::uint64_t> constants;
  std::vector<bool> dropped;  ///< by instruction; empty if none is dropped
};

/// Runs a launch to its end. Throws Fault, which names the place, for everything that would or
/// might go wrong on a GPU: accesses out of bounds or not aligned, races, lanes that have diverged
/// where they must not.
void launch(const Kernel& kernel, const Shape& shape, const Checks& checks, Memory& memory,
            std::span<const std::byte> arguments, Statistics& statistics);

}  // namespace fpsynth::ptx
