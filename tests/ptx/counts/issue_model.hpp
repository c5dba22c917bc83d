#pragma once
// The instructions that a multiprocessor issues in a cycle, and their bound: a model that computes
// with counts alone.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace fpsynth::ptx {

/// The schedulers of a multiprocessor. Each has warps of its own and issues an instruction of one
/// of them in a cycle.
constexpr unsigned kSchedulers = 4;

/// Pipes that each scheduler has for itself, by the sort of instructions, with the cycles for which
/// one of a warp's instructions keeps it. By the table of throughputs in the CUDA C++ Programming
/// Guide, for compute capabilities 8.0, 8.9 and 9.0: integers and bits 64 lanes in a cycle of a
/// multiprocessor, products 64, counts of bits and the like 16, shuffles 32. By the documentation
/// of Nsight Compute, integers and products are different pipes.
enum class Pipe : std::uint8_t { Integer, Multiply, Special, Shuffle, None };
struct PipeTraits {
  const char* name;
  double cycles;
};
constexpr std::array<PipeTraits, 4> kPipes{
    {{"integer pipe", 2}, {"multiply pipe", 2}, {"special pipe", 8}, {"shuffles", 4}}};

/// A kernel on a multiprocessor; all but the warps for an instruction of a warp, on average.
struct Load {
  unsigned warps = 0;
  double cycles = 1;      ///< in which a warp that is alone issues it
  double fetches = 0;     ///< cycles more, in which it waits for the instruction itself
  double wavefronts = 0;  ///< of shared memory, of which a multiprocessor does one in a cycle
  std::array<double, kPipes.size()> pipes{};  ///< the share that each pipe has
};

struct IssueRate {
  double instructions = 0;  ///< in a cycle of a multiprocessor
  const char* bound = "";   ///< the least of the bounds that hold each for itself
};

/// Instructions that a scheduler issues in a cycle, each of which keeps it for `service` cycles,
/// where a warp that is alone issues one in `cycles`: a closed queue, by mean value analysis
/// (Reiser and Lavenberg 1980). Warps come at random, so that some wait for each other while there
/// are none.
inline double scheduler_rate(unsigned warps, double cycles, double service) {
  const double away = std::max(cycles - service, 0.0);
  double rate = 0, queue = 0;
  for (unsigned warp = 1; warp <= warps; ++warp) {
    const double stay = service * (1 + queue);
    rate = warp / (stay + away);
    queue = rate * stay;
  }
  return rate;
}

inline IssueRate issue_rate(const Load& load) {
  const double cycles = std::max(load.cycles, 1.0) + load.fetches;
  double service = 1;
  const char* busiest = "issue slots";
  for (std::size_t pipe = 0; pipe < kPipes.size(); ++pipe) {
    const double busy = load.pipes[pipe] * kPipes[pipe].cycles;
    if (busy <= service) continue;
    service = busy;
    busiest = kPipes[pipe].name;
  }
  IssueRate made{0, busiest};
  double least = kSchedulers / service;
  if (load.warps / cycles < least) {
    least = load.warps / cycles;
    made.bound = 2 * load.fetches > cycles ? "instruction fetches" : "too few warps";
  }
  for (unsigned scheduler = 0; scheduler < kSchedulers; ++scheduler) {
    const unsigned warps = (load.warps + kSchedulers - 1 - scheduler) / kSchedulers;
    made.instructions += scheduler_rate(warps, cycles, service);
  }
  if (load.wavefronts * least > 1) made.bound = "shared memory";
  if (load.wavefronts > 0) made.instructions = std::min(made.instructions, 1 / load.wavefronts);
  return made;
}

}  // namespace fpsynth::ptx
