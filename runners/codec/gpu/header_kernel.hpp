#pragma once
// Writes the header and the tail of a container on a device.

#include <cstddef>
#include <cstdint>

#include "components/teams/hardware.hpp"
#include "components/words/bits.hpp"
#include "runners/codec/format/header.hpp"
#include "runners/codec/gpu/program.hpp"

namespace fpsynth::codec {

/// Writes header[0..bytes) and, after it, the tail to `out`. Runs as one thread block.
struct HeaderKernel {
  static constexpr std::uint32_t kLanes = 32;
  static constexpr std::size_t kMostBytes = header_bytes(kMostStages);

  struct Args {
    std::byte header[kMostBytes];
    std::uint32_t bytes, tail_bytes;
    const std::uint64_t* checksum;  ///< replaces the header's unless null
    const std::byte* tail;
    std::byte* out;
    /// Receives the container's length, blocks_at + *block_bytes, unless null.
    std::uint64_t* total = nullptr;
    const std::uint64_t* block_bytes = nullptr;
    std::uint64_t blocks_at = 0;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    for (std::uint32_t i = hardware.lane(); i < args.bytes; i += hardware.lanes()) {
      args.out[i] = args.header[i];
    }
    if (args.total && hardware.lane() == 0) *args.total = args.blocks_at + *args.block_bytes;
    hardware.barrier();
    if (args.checksum && hardware.lane() == 0) store(args.out + args.bytes - 8, *args.checksum);
    for (std::uint32_t i = hardware.lane(); i < args.tail_bytes; i += hardware.lanes()) {
      args.out[args.bytes + i] = args.tail[i];
    }
  }
};

}  // namespace fpsynth::codec
