#pragma once
// Numbers of 0 to 64 bits, one behind the other.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

/// Writes numbers in order: the first `own_bytes` bytes, a multiple of eight, to `first`, the rest
/// to `rest`. Up to eight bytes after the last one are overwritten.
class RawSink {
 public:
  FPSYNTH_INLINE RawSink(std::uint8_t* first, std::size_t own_bytes, std::uint8_t* rest)
      : out_(own_bytes > 0 ? first : rest), end_(first + own_bytes), rest_(rest) {}
  /// `value` has no other bits than its `count` lowest ones, at most 64.
  FPSYNTH_INLINE void put(std::uint64_t value, std::uint32_t count) {
    // Masks instead of branches: when a word of the output is full is hard to predict.
    bits_ |= value << filled_;
    std::memcpy(out_, &bits_, 8);
    const std::uint32_t filled = filled_ + count;
    const std::uint64_t full = filled / 64;
    out_ += 8 * full;
    out_ = out_ == end_ ? rest_ : out_;
    bits_ = (bits_ & (full - 1)) | ((value >> 1 >> (~filled_ & 63)) & (0 - full));
    filled_ = filled % 64;
  }
  FPSYNTH_INLINE void finish() { std::memcpy(out_, &bits_, 8); }
  /// True as soon as the first bytes are written.
  FPSYNTH_INLINE bool in_rest(const std::uint8_t* first) const {
    return out_ < first || out_ >= end_;
  }

 private:
  std::uint8_t *out_, *end_, *rest_;
  std::uint64_t bits_ = 0;
  std::uint32_t filled_ = 0;
};

/// The number of `count` bits at bit `at`. Up to 12 bytes from there on are read; `in` is aligned
/// to 4.
FPSYNTH_INLINE std::uint64_t raw_at(const std::uint8_t* in, std::size_t at, std::uint32_t count) {
  const std::uint8_t* const from = in + at / 32 * 4;
  std::uint32_t parts[3];
  std::memcpy(parts, __builtin_assume_aligned(from, 4), 12);
  const std::uint32_t shift = std::uint32_t(at % 32);
  const std::uint64_t both = words::funnel_right(parts[0], parts[1], shift) |
                             std::uint64_t{words::funnel_right(parts[1], parts[2], shift)} << 32;
  return both & words::low_mask(count);
}
/// The bits of `mask` of those from bit `at` on, at most MostBits; `in` need not be aligned. Up to
/// 16 bytes from there on are read.
template <std::size_t MostBits>
FPSYNTH_INLINE std::uint64_t raw_anywhere(const std::uint8_t* in, std::size_t at,
                                          std::uint64_t mask) {
  const std::uint32_t shift = std::uint32_t(at % 8);
  std::uint64_t low;
  std::memcpy(&low, in + at / 8, 8);
  low >>= shift;
  if constexpr (MostBits > 57) low |= std::uint64_t{in[at / 8 + 8]} << 1 << (63 - shift);
  return low & mask;
}

}  // namespace fpsynth::components::bins
