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

CountedBlockBuffer::CountedBlockBuffer(std::size_t bytes)
    : block_(CountedBlock::kZeros + bytes), differences_(bytes), exclusive_ors_(bytes) {
  std::memset(block_.data(), 0, CountedBlock::kZeros);
}

CountedBlock CountedBlockBuffer::view() const {
  CountedBlock counted;
  counted.block = block_.data() + CountedBlock::kZeros;
  counted.differences = differences_.data();
  counted.exclusive_ors = exclusive_ors_.data();
  return counted;
}

}  // namespace fpsynth::components
