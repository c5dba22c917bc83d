#pragma once
// The concept Kernel: code that runs on a device.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "components/teams/hardware.hpp"

namespace fpsynth::device {

/// The shared memory of a multiprocessor that CUDA reserves for every block.
constexpr std::size_t kSystemsShared = std::size_t{1} << 10;

/// A kernel is a struct with
///   static constexpr std::uint32_t kLanes    threads of a thread block
///   struct Args                              trivially copyable
///   template <teams::Hardware H> static FPSYNTH_INLINE void run(H, const Args&)
/// and, optionally, the number of thread blocks on a multiprocessor for which registers are
/// limited,
///   static constexpr std::uint32_t kBlocksPerMultiprocessor
template <class K>
concept Kernel = std::is_trivially_copyable_v<typename K::Args> &&
    requires(teams::DeclaredHardware hardware, const typename K::Args& args) {
  { K::kLanes } -> std::convertible_to<std::uint32_t>;
  K::run(hardware, args);
};

}  // namespace fpsynth::device
