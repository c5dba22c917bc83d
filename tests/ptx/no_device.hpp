#pragma once
// The stand-in for the device that interprets PTX in builds without CUDA. Tests that name it
// compile to nothing new, for it is the emulated device, and skip themselves.

#include "tests/support/emulated/device.hpp"

namespace fpsynth::ptx {

using PtxDevice = device::EmulatedDevice;

struct Statistics {
  std::uint64_t instructions = 0, global_accesses = 0;
  std::uint64_t shared_wavefronts = 0, ideal_wavefronts = 0;
};

inline PtxDevice::Options without_race_checks() { return {}; }
inline PtxDevice::Options counting(Statistics&) { return {}; }
inline std::string why_no_ptx() { return "built without CUDA: there is no PTX"; }

}  // namespace fpsynth::ptx
