#pragma once
// Working memory of a stage, beside its input and output block.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace fpsynth::components {

/// Blocks start at a multiple of this many bytes ...
inline constexpr std::size_t kBlockAlignment = 64;
/// ... and have this many bytes before and after them that a stage may read, and behind an output
/// block overwrite, so that the first item's predecessor and the last vector need no special case.
inline constexpr std::size_t kBlockSlack = 64;

/// Views of the working memory for blocks of up to `items` items. Bit masks have one bit per item,
/// bit i mod 64 of word i div 64. In front of `mask`, `starts` and `runs`, at index -1, stands a
/// guard word that is always zero.
struct Scratch {
  std::uint64_t* mask = nullptr;    ///< items/64 words, rounded up, plus one vector
  std::uint64_t* starts = nullptr;  ///< a second mask of the same size
  std::uint64_t* runs = nullptr;    ///< one 64-bit word per mask word
  std::uint8_t* bytes = nullptr;    ///< one byte per item, plus one vector
  std::size_t items = 0;
};

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

/// A block's memory: `bytes` aligned bytes and the slack around them. Contents are unspecified.
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

}  // namespace fpsynth::components
