#include "components/scratch.hpp"

#include <cstring>
#include <new>

namespace fpsynth::components {
namespace {

std::unique_ptr<std::byte, FreeAligned> allocate(std::size_t bytes) {
  return std::unique_ptr<std::byte, FreeAligned>(
      static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kBlockAlignment))));
}

}  // namespace

void FreeAligned::operator()(std::byte* memory) const {
  ::operator delete(memory, std::align_val_t(kBlockAlignment));
}

ScratchBuffer::ScratchBuffer(std::size_t items) : memory_(allocate(scratch_bytes(items))) {
  std::memset(memory_.get(), 0, scratch_bytes(items));
  view_ = scratch_in(memory_.get(), items);
}

BlockBuffer::BlockBuffer(std::size_t bytes)
    : memory_(allocate(round_up_to_alignment(bytes) + 2 * kBlockSlack)), size_(bytes) {
  std::memset(memory_.get(), 0, kBlockSlack);
}

}  // namespace fpsynth::components
