#include "components/scratch.hpp"

#include <cstring>
#include <new>

namespace fpsynth::components {
namespace {

constexpr std::size_t round_up(std::size_t bytes) {
  return (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
}

std::unique_ptr<std::byte, FreeAligned> allocate(std::size_t bytes) {
  return std::unique_ptr<std::byte, FreeAligned>(
      static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kBlockAlignment))));
}

}  // namespace

void FreeAligned::operator()(std::byte* memory) const {
  ::operator delete(memory, std::align_val_t(kBlockAlignment));
}

ScratchBuffer::ScratchBuffer(std::size_t items) {
  // Each array: a cache line in front (its last word is the guard), the items, a line of slack.
  const std::size_t mask_bytes = 2 * kBlockAlignment + round_up((items + 63) / 64 * 8);
  const std::size_t item_bytes = 2 * kBlockAlignment + round_up(items);
  memory_ = allocate(3 * mask_bytes + item_bytes);
  std::memset(memory_.get(), 0, 3 * mask_bytes + item_bytes);
  auto array = [&](std::size_t index) {
    return memory_.get() + index * mask_bytes + kBlockAlignment;
  };
  view_.mask = reinterpret_cast<std::uint64_t*>(array(0));
  view_.starts = reinterpret_cast<std::uint64_t*>(array(1));
  view_.runs = reinterpret_cast<std::uint64_t*>(array(2));
  view_.bytes = reinterpret_cast<std::uint8_t*>(array(3));
  view_.items = items;
}

BlockBuffer::BlockBuffer(std::size_t bytes)
    : memory_(allocate(round_up(bytes) + 2 * kBlockSlack)), size_(bytes) {}

}  // namespace fpsynth::components
