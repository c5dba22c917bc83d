#pragma once
// The checksum of content that is in memory as a whole, on several threads.

#include <cstddef>
#include <functional>
#include <span>

#include "runners/codec/format/content_hash.hpp"

namespace fpsynth::codec {

/// Adds the next piece of content to `hash` on up to `threads` threads (0: as many as OpenMP would
/// use). Before content[at..at + bytes) is hashed, its thread calls prepare(at, bytes), which must
/// not throw; each byte is prepared once.
void hash_in_parallel(ContentHash& hash, std::span<const std::byte> content, int threads,
                      const std::function<void(std::size_t at, std::size_t bytes)>& prepare = {});

}  // namespace fpsynth::codec
