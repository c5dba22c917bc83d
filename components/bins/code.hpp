#pragma once
// Prefix codes of BINS: their lengths from counts, the codes from their lengths, and which classes
// of groups share one. Everything is done by one lane, and exactly, so that all teams agree.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "components/bins/binning.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

inline constexpr std::uint32_t kLongestCode = 7;  ///< bits
/// All codes of kLongestCode bits, from the highest bit of a byte on, and the bit behind them.
inline constexpr std::uint32_t kSpace = 256;

/// A canonical prefix code of kSymbols symbols: shorter codes first, then the lower symbol. If it
/// has one symbol only, that takes no bits.
struct Code {
  std::uint8_t length[kSymbols] = {};  ///< 0: the symbol has no code
  /// From the highest bit of the byte on, and then a bit that is set, which tells where they end.
  std::uint8_t bits[kSymbols] = {};
  std::uint8_t sorted[kSymbols] = {};  ///< by code
  /// Of codes of up to so many bits: how many there are, and where, from the highest bit of a byte
  /// on, those that are longer begin.
  std::uint8_t up_to[kLongestCode + 1] = {};
  std::uint16_t end[kLongestCode + 1] = {};
  std::uint8_t first = 0, last = 0;  ///< the first and the last symbol with a code
  std::uint8_t alone = 1;            ///< only `first` has one

  /// The symbol whose code `code` begins with; other bits of it are 0.
  FPSYNTH_INLINE std::uint32_t symbol(std::uint32_t code) const {
    if (alone) return first;
    std::uint32_t own = 1;  // the length of the code
    while (code >= end[own]) ++own;
    return sorted[up_to[own - 1] + ((code - end[own - 1]) >> (8 - own))];
  }
  /// Bytes that describe it in a block: the first symbol, the number of those up to the last one,
  /// and the lengths of these, in four bits each, unless it is alone.
  FPSYNTH_INLINE std::size_t described_bytes() const {
    return 2 + (alone ? 0 : words::words_for(last - first + 1u, 2));
  }
};

/// Builds codes. One lane calls it; it stands in memory that lanes share, because a GPU keeps
/// arrays of a lane's own in global memory.
struct CodeBuilder {
  std::uint32_t weight[2 * kSymbols], key[kSymbols], lesser[kSymbols];
  std::uint8_t parent[2 * kSymbols], symbol[kSymbols], depth[2 * kSymbols];
  std::uint8_t count[16], place[kLongestCode + 1];
  std::uint32_t used;

  /// The code of least length for counts: Huffman's, its longest codes shortened to kLongestCode
  /// bits at the expense of the rarest symbols.
  FPSYNTH_INLINE void build(const std::uint32_t* counts, Code& code) {
    sort(counts);
    code.first = kSymbols - 1;
    code.last = 0;
    FPSYNTH_ROLLED
    for (std::uint32_t s = 0; s < kSymbols; ++s) {
      code.length[s] = 0;
      if (counts[s] == 0) continue;
      if (s < code.first) code.first = std::uint8_t(s);
      code.last = std::uint8_t(s);
    }
    if (used == 0) code.first = 0;
    code.alone = used < 2;
    if (!code.alone) {
      join();
      limit();
      for (std::uint32_t k = 0; k < used; ++k) code.length[symbol[k]] = depth[k];
    }
    set_codes(code);
  }
  /// Sets the codes of `code` from its lengths. Returns false unless these are those of a prefix
  /// code that uses all bits, or one symbol is alone.
  FPSYNTH_INLINE bool set_codes(Code& code) {
    FPSYNTH_ROLLED
    for (std::uint32_t length = 0; length < 16; ++length) count[length] = 0;
    for (std::uint32_t s = code.first; s <= code.last; ++s) ++count[code.length[s]];
    std::uint32_t next = 0, sorted = 0;
    code.up_to[0] = 0;
    code.end[0] = 0;
    FPSYNTH_ROLLED
    for (std::uint32_t length = 1; length <= kLongestCode; ++length) {
      place[length] = std::uint8_t(sorted);
      sorted += count[length];
      next += count[length] * (kSpace >> length);
      code.up_to[length] = std::uint8_t(sorted);
      code.end[length] = std::uint16_t(next);
    }
    for (std::uint32_t s = code.first; s <= code.last; ++s) {
      const std::uint32_t length = code.length[s];
      code.bits[s] = 0x80;
      if (length == 0) continue;
      const std::uint32_t at = place[length]++, before = length - 1u;
      code.sorted[at] = std::uint8_t(s);
      const std::uint32_t own = code.end[before] + (at - code.up_to[before]) * (kSpace >> length);
      code.bits[s] = std::uint8_t(own | (0x80u >> length));
    }
    return code.alone ? sorted == 0 : next == kSpace;
  }

 private:
  /// The symbols that occur, rarest first: each goes to the place that the number of lesser ones
  /// tells, which takes no branches.
  FPSYNTH_INLINE void sort(const std::uint32_t* counts) {
    used = 0;
    FPSYNTH_ROLLED
    for (std::uint32_t s = 0; s < kSymbols; ++s) {
      key[s] = counts[s] << 5 | s;
      lesser[s] = 0;
      used += counts[s] > 0;
    }
    FPSYNTH_ROLLED
    for (std::uint32_t t = 0; t < kSymbols; ++t) {
      FPSYNTH_ROLLED
      for (std::uint32_t s = 0; s < kSymbols; ++s) lesser[s] += key[t] < key[s];
    }
    FPSYNTH_ROLLED
    for (std::uint32_t s = 0; s < kSymbols; ++s) {
      if (counts[s] == 0) continue;
      const std::uint32_t k = lesser[s] - (kSymbols - used);
      weight[k] = counts[s];
      symbol[k] = std::uint8_t(s);
    }
  }
  /// Joins the two lightest nodes until one is left. Leaves and inner nodes are both in ascending
  /// order; of equals, a leaf comes first.
  FPSYNTH_INLINE void join() {
    constexpr std::uint32_t kNone = ~0u;
    std::uint32_t leaf = 0, inner = used;
    const std::uint32_t nodes = 2 * used - 1;
    for (std::uint32_t node = used; node <= nodes; ++node) weight[node] = kNone;
    const auto lightest = [&](std::uint32_t node) {
      const bool is_leaf = leaf < used && weight[leaf] <= weight[inner];
      const std::uint32_t found = is_leaf ? leaf : inner;
      leaf += is_leaf;
      inner += !is_leaf;
      parent[found] = std::uint8_t(node);
      return weight[found];
    };
    for (std::uint32_t node = used; node < nodes; ++node) {
      const std::uint32_t first = lightest(node);
      weight[node] = first + lightest(node);
    }
    depth[nodes - 1] = 0;
    for (std::uint32_t node = nodes - 1; node-- > 0;) {
      depth[node] = std::uint8_t(depth[parent[node]] + 1);
    }
  }
  /// `space`: what the codes take of kSpace, if each takes all that begin with it.
  FPSYNTH_INLINE void limit() {
    std::uint32_t space = 0;
    for (std::uint32_t k = 0; k < used; ++k) {
      if (depth[k] > kLongestCode) depth[k] = std::uint8_t(kLongestCode);
      space += kSpace >> depth[k];
    }
    // Rarest first, and of these the longest that can become longer.
    while (space > kSpace) {
      std::uint32_t best = kSymbols;
      for (std::uint32_t k = 0; k < used; ++k) {
        if (depth[k] < kLongestCode && (best == kSymbols || depth[k] > depth[best])) best = k;
      }
      space -= kSpace >> ++depth[best];
    }
    // The most frequent symbol that the rest is enough for gets it.
    while (space < kSpace) {
      std::uint32_t best = kSymbols;
      for (std::uint32_t k = 0; k < used; ++k) {
        if (depth[k] > 1 && space + (kSpace >> depth[k]) <= kSpace) best = k;
      }
      space += kSpace >> depth[best]--;
    }
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

/// 256 times the bits, about, that symbols with these counts take with a code of their own, and
/// those of its description.
FPSYNTH_INLINE std::uint64_t scaled_cost(const std::uint32_t* counts) {
  std::uint64_t own = 0;
  std::uint32_t all = 0, some = 0;
  FPSYNTH_ROLLED
  for (std::uint32_t s = 0; s < kSymbols; ++s) {
    const std::uint32_t count = counts[s];
    own += std::uint64_t{count} * scaled_log2(count | (count == 0));
    all += count;
    some |= std::uint32_t{count > 0} << s;
  }
  if (some == 0) return 0;
  const std::uint32_t first = words::lowest_bit32(some), last = words::highest_bit32(some);
  const std::uint32_t description = 24 + (first == last ? 0 : 4 * (last - first + 1));
  return std::uint64_t{all} * scaled_log2(all) - own + 256 * description;
}

}  // namespace fpsynth::components::bins
