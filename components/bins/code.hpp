#pragma once
// The codes of BINS: which share of a state's values each symbol has, from counts, and as a block
// describes it. Everything is exact, so that all teams agree.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "components/bins/binning.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

/// Shares are described by numbers of six bits, in steps of a quarter to an eighth. kRest stands
/// for what the others leave of all values.
inline constexpr std::uint32_t kRest = 63;
FPSYNTH_INLINE constexpr std::uint32_t share_of(std::uint32_t number) {
  const std::uint32_t large = number >= 4;
  return (number % 4 + 4 * large) << (number / 4 - large);
}
/// The number of the nearest share, or of the nearest that is not greater: the exponent of the
/// share as a float and the first two bits of its fraction.
FPSYNTH_INLINE std::uint32_t number_of(std::uint32_t share, bool down) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(float(std::int32_t(share)));
  const std::uint32_t number = ((bits + (down ? 0 : 0xfffff)) >> 21) - 512;
  const std::uint32_t small = 0u - std::uint32_t{share < 4};
  return (share & small) | (number & ~small);
}

/// `value`, or 0 if `count` is: by a mask, of which compilers make vectors.
FPSYNTH_INLINE std::uint32_t if_any(std::uint32_t count, std::uint32_t value) {
  return value & (0u - std::uint32_t{count > 0});
}

/// The shares of symbols in the 2^scale values of a code, which follow each other in the order of
/// the symbols.
struct Code {
  static constexpr std::uint32_t kLeastScale = 8, kMostScale = 11;

  std::uint16_t share[kSymbols], begin[kSymbols];
  std::uint8_t numbers[kSymbols];    ///< of shares
  std::uint8_t first = 0, span = 1;  ///< symbols that may have a share; a single one has all values
  std::uint8_t scale = 0;

  /// The code for counts. One lane calls it.
  FPSYNTH_INLINE void build(const std::uint32_t* counts) {
    std::uint32_t all = 0, used = 0, from_low = 0, end = 0, most = 0;
    FPSYNTH_ROLLED
    for (std::uint32_t s = 0; s < kSymbols; ++s) {
      const std::uint32_t count = counts[s];
      used += if_any(count, 1);
      from_low = words::larger(from_low, if_any(count, kSymbols - s));
      end = words::larger(end, if_any(count, s + 1));
      all += count;
      // The first one that has so many.
      most = words::larger(most, count * kSymbols + (kSymbols - 1 - s));
    }
    const std::uint32_t largest = kSymbols - 1 - most % kSymbols, low = kSymbols - from_low;
    if (used < 2) {
      alone(used == 0 ? 0 : low);
      return;
    }
    first = std::uint8_t(low);
    span = std::uint8_t(end - low);
    const std::uint32_t bits = words::highest_bit32(all) + 1;
    scale = std::uint8_t(bits < kLeastScale ? kLeastScale : bits > kMostScale ? kMostScale : bits);
    // With one of all values for each symbol, the largest share stays even if all are rounded down.
    const std::uint32_t values = 1u << scale, divided = values - used;
    // Exact for fewer than 2^24 symbols: what is too much is less than 1 / all.
    const std::uint64_t per_one = (std::uint64_t{divided} << 48) / all + 1;
    // Not a list of both, which would be in a lane's own memory.
    for (std::uint32_t turn = 0; turn < 2; ++turn) {
      const bool down = turn > 0;
      std::uint32_t taken = 0;
      FPSYNTH_ROLLED
      for (std::uint32_t s = low; s < end; ++s) {
        const std::uint32_t count = counts[s];
        const std::uint32_t wanted = if_any(count, 1 + std::uint32_t(count * per_one >> 48));
        const std::uint32_t number = number_of(wanted, down);
        numbers[s] = std::uint8_t(number);
        taken += share_of(number);
      }
      taken -= share_of(numbers[largest]);
      numbers[largest] = std::uint8_t(kRest);
      const std::uint64_t own = std::uint64_t{counts[largest]} * values;
      if (taken < values && std::uint64_t{values - taken} * all * 2 >= own) break;
    }
    set_shares();
  }
  FPSYNTH_INLINE void alone(std::uint32_t symbol) {
    first = std::uint8_t(symbol);
    span = 1;
    scale = 0;
    share[symbol] = 1;
    begin[symbol] = 0;
    numbers[symbol] = std::uint8_t(kRest);
  }
  /// Sets the shares from their numbers. False unless one of them is the rest, and is not 0.
  FPSYNTH_INLINE bool set_shares() {
    std::uint32_t taken = 0, rests = 0;
    const std::uint32_t end = std::uint32_t{first} + span, values = 1u << scale;
    FPSYNTH_ROLLED
    for (std::uint32_t s = first; s < end; ++s) {
      const bool rest = numbers[s] == kRest;
      rests += rest;
      if (!rest) taken += share_of(numbers[s]);
    }
    if (rests != 1 || taken >= values) return false;
    std::uint32_t next = 0;
    FPSYNTH_ROLLED
    for (std::uint32_t s = first; s < end; ++s) {
      share[s] = std::uint16_t(numbers[s] == kRest ? values - taken : share_of(numbers[s]));
      begin[s] = std::uint16_t(next);
      next += share[s];
    }
    return true;
  }
  /// The symbol that has the value.
  FPSYNTH_INLINE std::uint32_t symbol(std::uint32_t value) const {
    std::uint32_t low = first, count = span;
    while (count > 1) {
      const std::uint32_t half = count / 2;
      const bool above = begin[low + half] <= value;
      low += above ? half : 0;
      count = above ? count - half : half;
    }
    return low;
  }
  /// Bytes that describe it in a block: the first symbol, the number of symbols and the scale, and
  /// the numbers of their shares, four in three bytes.
  FPSYNTH_INLINE std::size_t described_bytes() const {
    return 2 + (span == 1 ? 0 : 3 * words::words_for(span, 4));
  }
  FPSYNTH_INLINE void describe(std::uint8_t* to) const {
    const std::uint32_t head =
        first | (span - 1u) << 7 | (span == 1 ? 0u : scale - kLeastScale) << 14;
    to[0] = std::uint8_t(head);
    to[1] = std::uint8_t(head >> 8);
    for (std::uint32_t k = 0; span > 1 && k < span; k += 4) {
      std::uint32_t four = 0;
      for (std::uint32_t j = 0; j < 4 && k + j < span; ++j) {
        four |= std::uint32_t{numbers[first + k + j]} << 6 * j;
      }
      std::uint8_t* const at = to + 2 + k / 4 * 3;
      at[0] = std::uint8_t(four);
      at[1] = std::uint8_t(four >> 8);
      at[2] = std::uint8_t(four >> 16);
    }
  }
  /// Reads the first two bytes, which say how many more there are. False if no code has them.
  FPSYNTH_INLINE bool read_head(const std::uint8_t* from) {
    const std::uint32_t head = from[0] | std::uint32_t{from[1]} << 8;
    first = head & 127;
    span = std::uint8_t((head >> 7 & 127) + 1);
    scale = std::uint8_t((head >> 14) + kLeastScale);
    return first + span <= kSymbols && (span > 1 || head >> 7 == 0);
  }
  /// Reads all but the first two bytes. False if they are no code.
  FPSYNTH_INLINE bool read_shares(const std::uint8_t* from) {
    if (span == 1) {
      alone(first);
      return true;
    }
    const auto four_at = [=](std::uint32_t k) {
      const std::uint8_t* const at = from + 2 + k / 4 * 3;
      return at[0] | std::uint32_t{at[1]} << 8 | std::uint32_t{at[2]} << 16;
    };
    if (span % 4 != 0 && four_at(span) >> 6 * (span % 4) != 0) return false;
    FPSYNTH_ROLLED
    for (std::uint32_t k = 0; k < span; ++k) {
      const std::uint32_t number = four_at(k) >> 6 * (k % 4) & 63;
      if (number != kRest && share_of(number) >> scale != 0) return false;
      numbers[first + k] = std::uint8_t(number);
    }
    return set_shares();
  }
};

/// About 256 · log2(n), 0 < n < 2^24.
FPSYNTH_INLINE std::uint32_t scaled_log2(std::uint32_t n) {
  // The exponent and the first bits of the fraction, in instructions that there are for vectors.
  const std::uint32_t log2 =
      (std::bit_cast<std::uint32_t>(float(std::int32_t(n))) >> 15) - 256 * 127;
  const std::uint32_t part = log2 & 0xff;
  return log2 + (part * (256 - part) * 88 >> 16);
}

/// 1 more than the last symbol that has counts; 0 if none has.
FPSYNTH_INLINE std::uint32_t end_of(const std::uint32_t* counts) {
  std::uint32_t end = 0;
  for (std::uint32_t s = 0; s < kSymbols; ++s) end = words::larger(end, if_any(counts[s], s + 1));
  return end;
}

/// 256 times the bits, about, that symbols below `end` with these counts take with a code of their
/// own, and those of its description, `each` for a symbol; with `more`, of the sums of both.
FPSYNTH_INLINE std::uint32_t scaled_cost(const std::uint32_t* counts, std::uint32_t end,
                                         const std::uint32_t* more, std::uint32_t each = 6) {
  std::uint32_t own = 0, all = 0, length = 0;
  // Whole vectors: there are no counts behind the end.
  for (std::uint32_t s = 0; s < (end + 7) / 8 * 8; ++s) {
    const std::uint32_t count = counts[s] + (more != nullptr ? more[s] : 0);
    own += count * scaled_log2(count | (count == 0));
    all += count;
    length = words::larger(length, if_any(count, end - s));
  }
  if (all == 0) return 0;
  const std::uint32_t description = 24 + (length == 1 ? 0 : each * length);
  return all * scaled_log2(all) - own + 256 * description;
}

/// The sums of scaled_cost(), for lanes that find them together.
struct Totals {
  std::uint32_t own, all, used[kSymbols / 32];  ///< a bit for each symbol that has counts

  FPSYNTH_INLINE std::uint32_t cost(std::uint32_t each = 6) const {
    std::uint32_t low = kSymbols, end = 0;
    for (std::uint32_t k = 0; k < kSymbols / 32; ++k) {
      if (used[k] == 0) continue;
      if (end == 0) low = 32 * k + words::lowest_bit32(used[k]);
      end = 32 * k + words::highest_bit32(used[k]) + 1;
    }
    if (end == 0) return 0;
    const std::uint32_t description = 24 + (low + 1 == end ? 0 : each * (end - low));
    return all * scaled_log2(all) - own + 256 * description;
  }
};

}  // namespace fpsynth::components::bins
