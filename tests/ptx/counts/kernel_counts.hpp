#pragma once
// The cost of the device kernels, without a GPU: counts of the work of their PTX on real data, run
// by the interpreter (tests/ptx/interpreter/).

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/ptx/interpreter/launch.hpp"

namespace fpsynth::ptx {

/// Counts of a kernel in a piece of work. Instructions, wavefronts and barriers are sums over all
/// warps.
struct KernelCount {
  std::string work;    ///< "search of doubles, counting"
  std::string kernel;  ///< its struct's name
  /// The bytes of the work: pipeline-bytes of a search, else bytes of original.
  double bytes = 0;
  bool pipeline_bytes = false;
  std::uint64_t launches = 0;
  std::uint32_t lanes = 0;         ///< of a thread block
  std::size_t shared_bytes = 0;    ///< of a thread block; the most
  std::uint64_t instructions = 0;  ///< of warps, in PTX
  /// Cycles of the 32 banks of shared memory, and how many they would be without conflicts.
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;
  std::uint64_t barriers = 0;
  std::map<std::uint32_t, Runs> lines;  ///< of the PTX, by number
};

/// The work whose kernels are counted.
struct KernelWork {
  using Chunks = std::vector<std::vector<std::byte>>;
  /// Chunks of 1024 words of 8 and of 4 bytes: those that are searched, and those that codecs and
  /// baselines compress and decompress. Without chunks of a precision, nothing of it is counted.
  Chunks searched_doubles, searched_singles, coded_doubles, coded_singles;
  unsigned stages = 4;  ///< of the search's pipelines
};

/// Runs the work's kernels in the PTX with which this program was built, as on an H100's
/// multiprocessors, and checks what comes of it against the processor's. Takes minutes for four
/// stages. Throws UsageError if the program has no PTX that can be read.
std::vector<KernelCount> count_kernels(const KernelWork& work);

}  // namespace fpsynth::ptx
