#pragma once
// Scans of bytes with a stride of 1 to 8 by one lane of a thread block, eight bytes at a time. Byte
// i of a run is in column i modulo the stride.

#include <cstddef>
#include <cstdint>

#include "components/teams/quad.hpp"
#include "components/teams/strip.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// The largest stride.
inline constexpr std::uint32_t kMostColumns = 8;

/// The fewest bytes, a multiple of eight, after which columns repeat. An odd number of eights.
FPSYNTH_INLINE std::uint32_t bytes_of_columns(std::uint32_t stride) {
  return stride % 4 == 0 ? 8 : stride % 2 == 0 ? 4 * stride : 8 * stride;
}

/// A scan's operator on a value for every column: byte c is that of column c.
template <class Op>
struct OnColumns {
  FPSYNTH_INLINE std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    const Quad low = Op{}(Quad{std::uint32_t(a)}, Quad{std::uint32_t(b)});
    const Quad high = Op{}(Quad{std::uint32_t(a >> 32)}, Quad{std::uint32_t(b >> 32)});
    return std::uint64_t{high.bytes} << 32 | low.bytes;
  }
};

/// A scan of a run that begins in column 0. `Doublings`: how often the stride must be doubled to be
/// 4 or more. With less, bytes of a quad depend on each other.
template <class Op, int Doublings>
class ByteScan {
 public:
  /// `before`: the totals of the columns before the run.
  FPSYNTH_INLINE explicit ByteScan(std::uint32_t stride, std::uint64_t before = 0)
      : stride_(stride) {
    // The predecessor of byte k of a quad is the last byte of its column among the eight before.
    std::uint32_t column = 0;
    for (std::uint32_t k = 0; k < 4; ++k) {
      selector_ |= (8 - stride + column) << 4 * k;
      column = column + 1 == stride ? 0 : column + 1;
    }
    before <<= 8 * (8 - stride);
    low_ = {std::uint32_t(before)};
    high_ = {std::uint32_t(before >> 32)};
  }
  /// The results of the next eight bytes.
  FPSYNTH_INLINE Pair next(Pair eight) {
    low_ = scanned(eight.part[0], low_, high_);
    high_ = scanned(eight.part[1], high_, low_);
    return {low_, high_};
  }
  /// The columns' totals, after the last byte of the last column.
  FPSYNTH_INLINE std::uint64_t columns() const {
    return (std::uint64_t{high_.bytes} << 32 | low_.bytes) >> 8 * (8 - stride_);
  }

 private:
  FPSYNTH_INLINE Quad scanned(Quad quad, Quad low, Quad high) const {
    for (int d = 0; d < Doublings; ++d) {
      quad = Op{}(quad, Quad{quad.bytes << (8 * stride_ << d)});
    }
    return Op{}(quad, Quad{words::permute_bytes(low.bytes, high.bytes, selector_)});
  }

  std::uint32_t stride_, selector_ = 0;
  Quad low_, high_;  ///< the last eight results
};

/// The totals of a run's columns. Takes fewer instructions than the scan: a multiple of the stride
/// serves as well, and with 4 columns or more, bytes of a quad do not depend on each other.
template <class Op>
class ByteTotals {
 public:
  FPSYNTH_INLINE explicit ByteTotals(std::uint32_t stride)
      : stride_(stride), wide_(stride == 3 ? 6 : words::larger(stride, 4u)), scan_(wide_) {}
  FPSYNTH_INLINE void add(Pair eight) { scan_.next(eight); }
  /// After the last byte of the last column. Bytes from the stride on are 0.
  FPSYNTH_INLINE std::uint64_t columns() const {
    std::uint64_t columns = scan_.columns();
    for (std::uint32_t wide = wide_; wide > stride_; wide /= 2) {
      columns = OnColumns<Op>{}(columns, columns >> 4 * wide);
    }
    return columns & words::low_mask(8 * stride_);
  }

 private:
  std::uint32_t stride_, wide_;
  ByteScan<Op, 0> scan_;
};

}  // namespace fpsynth::teams
