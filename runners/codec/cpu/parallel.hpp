#pragma once
// Parallel loops for codecs that throw, and the checksum of content in memory on several threads.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "runners/codec/cpu/threads.hpp"

namespace fpsynth::codec {

class ContentHash;

/// Number of buffers for results: how many slices may be produced and not yet consumed.
inline std::size_t buffer_count(int threads) { return 8 * static_cast<std::size_t>(threads); }

/// Calls produce(slice, buffer, thread) for every slice in first..end-1 in parallel on `threads`
/// threads, and consume(slice, buffer) for every produced slice, in order and one at a time, on any
/// of the threads: an OrderedPool with exceptions. A buffer (0..buffer_count(threads)-1) belongs to
/// one slice from its produce() to the end of its consume(). If calls throw, this throws what a
/// plain loop over produce() and consume() would have thrown first, and consumes no later slice.
void in_order(std::uint64_t first, std::uint64_t end, int threads,
              const std::function<void(std::uint64_t, std::size_t, std::size_t)>& produce,
              const std::function<void(std::uint64_t, std::size_t)>& consume);

/// Copies on up to `threads` threads (0: as many as OpenMP would use).
void copy_in_parallel(std::byte* to, std::span<const std::byte> from, int threads);

/// XXH3-64 (seed 0), by the fastest implementation for this processor in libxxhash, where this is a
/// shared library; XXH3_64bits() itself is limited to what every processor has.
std::uint64_t fastest_xxh3(std::span<const std::byte> bytes);

/// Adds the next piece of content to `hash` on up to `threads` threads (0: as many as OpenMP would
/// use). Before content[at..at + bytes) is hashed, its thread calls prepare(at, bytes), which must
/// not throw; each byte is prepared once.
void hash_in_parallel(ContentHash& hash, std::span<const std::byte> content, int threads,
                      const std::function<void(std::size_t at, std::size_t bytes)>& prepare = {});

/// The checksum of all of the content, computed so.
std::uint64_t checksum_of(std::span<const std::byte> content, int threads);

}  // namespace fpsynth::codec
