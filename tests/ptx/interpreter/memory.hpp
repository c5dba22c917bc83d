#pragma once
// The global memory of a device: allocations on the host, with a check of every access.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include "tests/ptx/interpreter/races.hpp"

namespace fpsynth::ptx {

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

/// The shadows of some memory. They are only allocated when they are used.
class Shadows {
 public:
  Shadow* of(std::size_t bytes) {
    if (!shadows_) shadows_.reset(static_cast<Shadow*>(std::calloc(bytes, sizeof(Shadow))));
    return shadows_.get();
  }

 private:
  std::unique_ptr<Shadow[], FreeMemory> shadows_;
};

/// Used by one thread at a time.
class Memory {
 public:
  struct Allocation {
    std::unique_ptr<std::byte[], FreeMemory> data;
    std::size_t bytes = 0;
    Shadows shadows;
  };

  /// Allocates memory aligned as on a GPU. It is not cleared.
  std::byte* allocate(std::size_t bytes) {
    constexpr std::size_t kAlignment = 256;
    const std::size_t room = (bytes + kAlignment) / kAlignment * kAlignment;
    auto* const data = static_cast<std::byte*>(std::aligned_alloc(kAlignment, room));
    std::memset(data, 0xa5, room);
    Allocation& made = allocations_[reinterpret_cast<std::uint64_t>(data)];
    made.data.reset(data);
    made.bytes = bytes;
    return data;
  }
  void free(const void* data) {
    allocations_.erase(reinterpret_cast<std::uint64_t>(data));
    last_ = nullptr;
  }
  /// The allocation that holds all of these bytes, or null.
  Allocation* find(std::uint64_t address, std::size_t bytes) {
    const auto holds = [&](const Allocation& allocation) {
      const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(allocation.data.get());
      return offset <= allocation.bytes && bytes <= allocation.bytes - offset;
    };
    if (last_ && holds(*last_)) return last_;
    const auto after = allocations_.upper_bound(address);
    if (after == allocations_.begin()) return nullptr;
    Allocation& found = std::prev(after)->second;
    return holds(found) ? last_ = &found : nullptr;
  }

  /// A new epoch, unique among all blocks of all launches.
  std::uint32_t new_epoch() { return ++epoch_; }

 private:
  std::map<std::uint64_t, Allocation> allocations_;
  Allocation* last_ = nullptr;
  std::uint32_t epoch_ = 0;
};

}  // namespace fpsynth::ptx
