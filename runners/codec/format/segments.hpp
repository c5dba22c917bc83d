#pragma once
// What a container's checksum is made of, on host and device.
//
// The checksum is the XXH3-64 of a list: the XXH3-64s of the original's segments, first to last, as
// eight little-endian bytes each (seed 0, both times). An original without bytes has no segments,
// and the checksum of the empty list. Segments are hashed independently of each other, by any
// number of threads; a list is an 8192nd of its original. ContentHash computes the checksum on the
// host, HashKernel on a device.

#include <cstddef>
#include <cstdint>

#include "components/words/bits.hpp"

namespace fpsynth::codec {

/// Length of a segment in bytes. The last one may be shorter, and contains the original's tail.
inline constexpr std::size_t kSegmentBytes = std::size_t{64} << 10;

/// Number of segments in `bytes` bytes.
FPSYNTH_INLINE constexpr std::uint64_t segment_count(std::uint64_t bytes) {
  return bytes / kSegmentBytes + (bytes % kSegmentBytes != 0 ? 1 : 0);
}

}  // namespace fpsynth::codec
