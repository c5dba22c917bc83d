#pragma once
// The container's checksum: XXH3-64 of bytes that come in pieces.

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

namespace fpsynth::codec {

class Hash {
 public:
  Hash() : state_(XXH3_createState()) {
    if (!state_) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
  }
  void update(std::span<const std::byte> bytes) {
    XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
  }
  std::uint64_t digest() const { return XXH3_64bits_digest(state_.get()); }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

}  // namespace fpsynth::codec
