#pragma once
// Classes that own the memory of blocks and the scratch memory of stages.

#include <cstddef>
#include <memory>

#include "components/block_counts.hpp"
#include "components/scratch_view.hpp"

namespace fpsynth::components {

struct FreeAligned {
  void operator()(std::byte* memory) const;
};

/// Owns the memory of a Scratch. Not thread safe: one per thread.
class ScratchBuffer {
 public:
  explicit ScratchBuffer(std::size_t items);
  const Scratch& view() const { return view_; }

 private:
  std::unique_ptr<std::byte, FreeAligned> memory_;
  Scratch view_;
};

/// A block's memory: `bytes` aligned bytes and the slack around them. The slack before them is
/// zero, the rest unspecified.
class BlockBuffer {
 public:
  BlockBuffer() = default;
  explicit BlockBuffer(std::size_t bytes);
  std::byte* data() const { return memory_ ? memory_.get() + kBlockSlack : nullptr; }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<std::byte, FreeAligned> memory_;
  std::size_t size_ = 0;
};

/// The memory of a CountedBlock of up to `bytes` bytes.
class CountedBlockBuffer {
 public:
  CountedBlockBuffer() = default;
  explicit CountedBlockBuffer(std::size_t bytes);
  CountedBlock view() const;
  /// The bytes of its three blocks.
  std::size_t size() const { return block_.size() + differences_.size() + exclusive_ors_.size(); }

 private:
  BlockBuffer block_, differences_, exclusive_ors_;
};

}  // namespace fpsynth::components
