#pragma once
// A CUDA runtime without a GPU, for tests of the code that calls it. It only records the calls and
// returns the answers that a test sets. Kernels do not run on it: PTX is tested elsewhere.

#include <set>
#include <string>

namespace fpsynth::device {

struct FakeCudaRuntime {
  int driver = 13000;              ///< 0: there is none
  int devices = 0;                 ///< of compute capability 9.0
  std::set<int> unusable;          ///< devices that the program has no code for
  int launch_error = 0;            ///< what a launch returns
  int last_error = 0;              ///< what cudaGetLastError() returns, and clears
  std::set<int> opened;            ///< devices on which there is a context
  std::set<std::string> launched;  ///< "grid x block, shared memory"
  std::set<int> carve_outs;        ///< that kernels asked for, in percent
};
inline FakeCudaRuntime fake_cuda;

/// The calling thread's device.
int current_device();

}  // namespace fpsynth::device
