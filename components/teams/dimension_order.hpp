#pragma once
// The places to which words move when a block is grouped by dimension, and orders of these moves.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// of(i) is the position to which deinterleaving n words (less than 2^26) in k (1..64) dimensions
/// moves word i. Division by k is a multiplication with its reciprocal.
class DimensionOrder {
 public:
  FPSYNTH_INLINE DimensionOrder(std::size_t n, std::size_t k)
      : k_(std::uint32_t(k)), reciprocal_(0xffffffffu / k_ + 1) {
    each_ = std::uint32_t(n) / k_;
    longer_ = std::uint32_t(n) % k_;
  }
  FPSYNTH_INLINE std::uint32_t of(std::size_t i) const {
    const std::uint32_t row =
        k_ == 1 ? std::uint32_t(i) : std::uint32_t(std::uint64_t{reciprocal_} * i >> 32);
    return begin(std::uint32_t(i) - row * k_) + row;
  }
  /// The position of the first word of dimension d; n for d = k.
  FPSYNTH_INLINE std::uint32_t begin(std::uint32_t d) const {
    return d * each_ + (d < longer_ ? d : longer_);
  }

 private:
  std::uint32_t k_, reciprocal_, each_, longer_;
};

/// The same moves for k a power of two, 2..64, in an order in which 32 lanes use different banks of
/// shared memory. Where k divides n, words of one row are n / k words apart in the output, and
/// words of one dimension k apart in the input; both are mostly multiples of all banks. So the
/// lanes of a warp take 32 rows, each in the next dimension as soon as the banks of the input
/// repeat.
template <class W>
class DiagonalOrder {
 public:
  struct Move {
    std::uint32_t from, to;
  };

  FPSYNTH_INLINE static bool has(std::size_t k) { return k > 1 && (k & (k - 1)) == 0; }

  FPSYNTH_INLINE DiagonalOrder(std::size_t n, std::size_t k)
      : shift_(words::lowest_bit32(std::uint32_t(k))),
        each_(std::uint32_t(n) >> shift_),
        longer_(std::uint32_t(n) & (std::uint32_t(k) - 1)) {}

  /// By how many dimensions a lane (0..31) is ahead of the first one.
  FPSYNTH_INLINE std::uint32_t ahead(std::uint32_t lane) const {
    // 1 for each lane if a row has as many words as the banks or more.
    return (shift_ < kBankShift ? lane << shift_ >> kBankShift : lane) * kTogether;
  }
  /// The first word that a lane (0..31) moves in turn 0..k-1, then the next one, while from < n.
  FPSYNTH_INLINE Move of(std::uint32_t turn, std::uint32_t lane, std::uint32_t ahead) const {
    const std::uint32_t d = (turn + ahead) & ((1u << shift_) - 1);
    return {lane << shift_ | d, d * each_ + (d < longer_ ? d : longer_) + lane};
  }
  FPSYNTH_INLINE Move next(Move move) const { return {move.from + (32 << shift_), move.to + 32}; }

 private:
  static constexpr std::uint32_t kBankBytes = 128;
  /// The number of words in all banks, as a shift, and in one bank.
  static constexpr std::uint32_t kBankShift =
      std::uint32_t(std::countr_zero(kBankBytes / sizeof(W)));
  static_assert(kBankBytes >> kBankShift == sizeof(W));
  static constexpr std::uint32_t kTogether = sizeof(W) < 4 ? 4 / sizeof(W) : 1;

  std::uint32_t shift_, each_, longer_;
};

}  // namespace fpsynth::teams
