#pragma once
// The container's checksum: XXH3-64 of bytes that arrive in pieces. XXH_STATIC_LINKING_ONLY must be
// defined, because xxhash.h declares the state's size only then.

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace fpsynth::codec {

class Hash {
 public:
  Hash() { XXH3_64bits_reset(&state_); }
  void update(std::span<const std::byte> bytes) {
    XXH3_64bits_update(&state_, bytes.data(), bytes.size());
  }
  std::uint64_t digest() const { return XXH3_64bits_digest(&state_); }

 private:
  XXH3_state_t state_;
};

}  // namespace fpsynth::codec
