#pragma once
// The operations that every SIMD level needs beyond the compiler's vector types, in portable code.
// Levels with better instructions derive from this class and hide the functions that they replace.
// All functions are called by one thread on one pack or block; `bits` has one bit per lane.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/teams/item.hpp"
#include "components/teams/simd/pack.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::teams {

template <class Self, std::size_t Bytes>
struct Portable {
  static constexpr std::size_t kBytes = Bytes;
  template <class W>
  using Vector = VectorOf<W, Bytes>;
  template <class W>
  static constexpr std::size_t kLanes = Bytes / sizeof(W);

  /// True if the level's comparisons find equal items, so that differ() is their complement.
  static constexpr bool kFindsEqual = true;
  /// True if the level has States, which take a group of symbols at a time.
  static constexpr bool kHasStates = false;
  template <class W>
  FPSYNTH_INLINE static std::uint64_t equal(Vector<W> a, Vector<W> b) {
    std::uint64_t bits = 0;
    for (std::size_t lane = 0; lane < kLanes<W>; ++lane) {
      bits |= std::uint64_t(a[lane] == b[lane]) << lane;
    }
    return bits;
  }
  template <class W>
  FPSYNTH_INLINE static std::uint64_t differ(Vector<W> a, Vector<W> b) {
    return ~Self::template equal<W>(a, b) & words::low_mask(kLanes<W>);
  }
  /// The number of bytes that are -1 in the packs equal(0), ..., equal(packs - 1); the others are
  /// 0.
  template <class F>
  FPSYNTH_INLINE static std::size_t count_equal_bytes(std::size_t packs, F equal) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < packs;) {
      const std::size_t end = i + 255 < packs ? i + 255 : packs;  // counters are bytes
      Vector<std::uint8_t> counters{};
#pragma GCC unroll 4
      for (; i < end; ++i) counters -= (Vector<std::uint8_t>)equal(i);
      count += Self::sum_bytes(counters);
    }
    return count;
  }
  FPSYNTH_INLINE static std::size_t sum_bytes(Vector<std::uint8_t> bytes) {
    std::size_t sum = 0;
    for (std::size_t lane = 0; lane < Bytes; ++lane) sum += bytes[lane];
    return sum;
  }
  template <class W>
  FPSYNTH_INLINE static Vector<W> select(std::uint64_t bits, Vector<W> yes, Vector<W> no) {
    W chosen[kLanes<W>];
    for (std::size_t lane = 0; lane < kLanes<W>; ++lane) {
      chosen[lane] = static_cast<W>(-(bits >> lane & 1));
    }
    const Vector<W> mask = as_vector(chosen);
    return (yes & mask) | (no & ~mask);
  }
  FPSYNTH_INLINE static Vector<std::uint64_t> highest_bit(Vector<std::uint64_t> words) {
    for (std::size_t lane = 0; lane < kLanes<std::uint64_t>; ++lane) {
      words[lane] = words::highest_bit(words[lane]);
    }
    return words;
  }
  FPSYNTH_INLINE static Vector<std::uint64_t> bit_at(Vector<std::uint64_t> counts) {
    for (std::size_t lane = 0; lane < kLanes<std::uint64_t>; ++lane) {
      counts[lane] = words::bit_at(counts[lane]);
    }
    return counts;
  }

  FPSYNTH_INLINE static std::size_t count_bits(const std::uint64_t* words, std::size_t count) {
    std::size_t bits = 0;
    for (std::size_t i = 0; i < count; ++i) bits += std::size_t(__builtin_popcountll(words[i]));
    return bits;
  }

  /// For BlockCounter. Of `groups` groups of 64 bytes: a bit for every byte, and for every W, that
  /// differs from its predecessor; adds the words and the bytes that are not 0 to `nonzero`. Bits
  /// of words are stored group by group. No bits of words where W is a byte.
  template <class W>
  FPSYNTH_INLINE static void literals(const std::byte* in, std::size_t groups,
                                      std::uint64_t* byte_bits, std::uint64_t* word_bits,
                                      Counts& nonzero) {
    constexpr std::size_t per_group = 64 / sizeof(W);
    for (std::size_t g = 0; g < groups; ++g, in += 64) {
      byte_bits[g] = differing<std::uint8_t>(in, 1, nonzero.second);
      if constexpr (sizeof(W) > 1) {
        const std::uint64_t bits = differing<W>(in, sizeof(W), nonzero.first);
        std::memcpy(reinterpret_cast<std::byte*>(word_bits) + g * per_group / 8, &bits,
                    per_group / 8);
      }
    }
  }
  /// For BlockCounter. Of `masks` words, a multiple of 8 and at most 64: adds how many of their
  /// bits are set, and in how many places a bit differs from the one before it, to `sums`; stores a
  /// bit for each of these places in `begins`; returns bit i where there are none in word i.
  FPSYNTH_INLINE static std::uint64_t sum_runs(const std::uint64_t* literals, std::size_t masks,
                                               std::uint64_t* begins, Counts& sums) {
    std::uint64_t none = 0;
    for (std::size_t i = 0; i < masks; ++i) {
      begins[i] = literals[i] ^ (literals[i] << 1 | literals[std::ptrdiff_t(i) - 1] >> 63);
      sums.first += std::size_t(__builtin_popcountll(literals[i]));
      sums.second += std::size_t(__builtin_popcountll(begins[i]));
      none |= std::uint64_t{begins[i] == 0} << i;
    }
    return none;
  }

  /// base + the position of every set bit, in order; up to 64 are overwritten.
  FPSYNTH_INLINE static void positions(std::uint64_t bits, std::uint16_t base, std::uint16_t* out) {
    // Most words of the masks of runs have no bit or two: two without a branch.
    do {
      out[0] = next_position(bits, base);
      out[1] = next_position(bits, base);
      out += 2;
    } while (bits != 0);
  }

  /// Stores the lanes whose bit is set, in order; up to a whole pack is overwritten.
  template <class W>
  FPSYNTH_INLINE static void compact(std::uint64_t bits, Vector<W> from, W* to) {
    W lanes[kLanes<W>];
    std::memcpy(lanes, &from, Bytes);
    for (std::size_t lane = 0; lane < kLanes<W>; ++lane) {
      *to = lanes[lane];
      to += bits >> lane & 1;
    }
  }
  /// The next value if the lane's bit is set, 0 otherwise. Up to a whole pack is read.
  template <class W>
  FPSYNTH_INLINE static Vector<W> expand(std::uint64_t bits, const W* values) {
    W lanes[kLanes<W>];
    for (std::size_t lane = 0; lane < kLanes<W>; ++lane) {
      const W set = static_cast<W>(bits >> lane & 1);
      lanes[lane] = static_cast<W>(*values & -set);
      values += set;
    }
    return as_vector<W>(lanes);
  }
  /// The next value if the lane's bit is set, the last one otherwise: values[-1] before the first.
  /// Up to a whole pack is read, from values[-1] on.
  template <class W>
  FPSYNTH_INLINE static Vector<W> expand_last(std::uint64_t bits, const W* values) {
    W lanes[kLanes<W>];
    for (std::size_t lane = 0; lane < kLanes<W>; ++lane) {
      values += bits >> lane & 1;
      lanes[lane] = values[-1];
    }
    return as_vector<W>(lanes);
  }
  /// out[i] = in[i] op out[i - stride]; in may be out. Works on one residue modulo `stride` after
  /// the other, so that the running value stays in a register.
  template <class W, class Op>
  FPSYNTH_INLINE static void scan(Op op, const W* in, std::size_t n, std::size_t stride, W* out) {
    for (std::size_t residue = 0; residue < stride; ++residue) {
      W running = 0;
      for (std::size_t i = residue; i < n; i += stride) out[i] = running = op(in[i], running);
    }
  }

  /// Separates the even and the odd words of two packs; merge() is the inverse.
  template <class W>
  FPSYNTH_INLINE static void separate(Vector<W>& a, Vector<W>& b) {
    const Vector<W> first = a, second = b;
    for (std::size_t lane = 0; lane < kLanes<W> / 2; ++lane) {
      a[lane] = first[2 * lane];
      a[kLanes<W> / 2 + lane] = second[2 * lane];
      b[lane] = first[2 * lane + 1];
      b[kLanes<W> / 2 + lane] = second[2 * lane + 1];
    }
  }
  template <class W>
  FPSYNTH_INLINE static void merge(Vector<W>& a, Vector<W>& b) {
    const Vector<W> first = a, second = b;
    for (std::size_t lane = 0; lane < kLanes<W> / 2; ++lane) {
      a[2 * lane] = first[lane];
      a[2 * lane + 1] = second[lane];
      b[2 * lane] = first[kLanes<W> / 2 + lane];
      b[2 * lane + 1] = second[kLanes<W> / 2 + lane];
    }
  }

  template <class W>
  FPSYNTH_INLINE static void deinterleave(const W* in, std::size_t n, std::size_t k, W* out) {
    for (std::size_t d = 0; d < k; ++d) {
      for (std::size_t i = d; i < n; i += k) *out++ = in[i];
    }
  }
  template <class W>
  FPSYNTH_INLINE static void interleave(const W* in, std::size_t n, std::size_t k, W* out) {
    for (std::size_t d = 0; d < k; ++d) {
      for (std::size_t i = d; i < n; i += k) out[i] = *in++;
    }
  }

  /// The even bits of `bytes` bytes, which are a multiple of 2, then the odd ones.
  FPSYNTH_INLINE static void separate_bits(const std::uint8_t* in, std::size_t bytes,
                                           std::uint8_t* out) {
    separate_bits_from(0, in, bytes, out);
  }
  /// The lowest bit of each of `rows` bytes, a multiple of 8, then the next bit of each, ...
  FPSYNTH_INLINE static void bit_columns(const std::uint8_t* in, std::size_t rows,
                                         std::uint8_t* out) {
    bit_columns_from(0, in, rows, out);
  }

  /// True if the level has gather_bits<K>(in, rows, out, stride) for K = 3 and 5: `in` holds K
  /// times `rows` bytes, one after the other, those at the same place of K bytes of a mask. Bit k
  /// of byte j of out + d * stride becomes bit d + K k of the j-th K bytes. Up to 31 bytes after
  /// each row may be read and overwritten.
  static constexpr bool kGathersBits = false;

  /// Transposes tiles of w words of w bits by swapping ever smaller off-diagonal squares.
  template <class W>
  FPSYNTH_INLINE static void transpose_tiles(const W* in, std::size_t tiles, W* out) {
    if constexpr (sizeof(W) == 1) {
      for (std::size_t tile = 0; tile < tiles; ++tile) {
        std::uint64_t square;
        std::memcpy(&square, in + 8 * tile, 8);
        square = transpose_bytes(square);
        std::memcpy(out + 8 * tile, &square, 8);
      }
    } else {
      constexpr std::size_t w = words::kBits<W>;
      for (std::size_t tile = 0; tile < tiles; ++tile)
        transpose_tile<W>(in + w * tile, out + w * tile);
    }
  }

 protected:
  /// Removes the lowest bit; returns base + its position.
  FPSYNTH_INLINE static std::uint16_t next_position(std::uint64_t& bits, std::uint16_t base) {
    const int position = __builtin_ctzll(bits | std::uint64_t{1} << 63);
    bits &= bits - 1;
    return std::uint16_t(base + position);
  }

  template <class W>
  FPSYNTH_INLINE static Vector<W> as_vector(const W* lanes) {
    Vector<W> vector;
    std::memcpy(&vector, lanes, Bytes);
    return vector;
  }

  /// Deinterleaves 2^m dimensions in m passes, each of which separates even and odd words, that is,
  /// rotates the bits of the words' positions by one. Words that do not fill packs follow one by
  /// one. Returns false, without writing, if the block is not suitable.
  template <class W>
  FPSYNTH_INLINE static bool separate_halves(const W* in, std::size_t n, std::size_t k, W* out) {
    const std::size_t even = in_whole_packs<W>(n, k);
    if (even == 0) return false;
    alignas(64) W columns[kMostHalved<W>];
    in_halves<W, Separate<W>>(in, even, k, even == n ? out : columns);
    if (even == n) return true;
    const W* column = columns;
    for (std::size_t d = 0; d < k; ++d, column += even / k) {
      const std::size_t rows = (n - d + k - 1) / k;
      std::memcpy(out, column, even / k * sizeof(W));
      for (std::size_t row = even / k; row < rows; ++row) out[row] = in[d + row * k];
      out += rows;
    }
    return true;
  }
  /// The inverse.
  template <class W>
  FPSYNTH_INLINE static bool merge_halves(const W* in, std::size_t n, std::size_t k, W* out) {
    const std::size_t even = in_whole_packs<W>(n, k);
    if (even == 0) return false;
    if (even == n) {
      in_halves<W, Merge<W>>(in, n, k, out);
      return true;
    }
    alignas(64) W columns[kMostHalved<W>];
    W* column = columns;
    for (std::size_t d = 0; d < k; ++d, column += even / k) {
      const std::size_t rows = (n - d + k - 1) / k;
      std::memcpy(column, in, even / k * sizeof(W));
      for (std::size_t row = even / k; row < rows; ++row) out[d + row * k] = in[row];
      in += rows;
    }
    in_halves<W, Merge<W>>(columns, even, k, out);
    return true;
  }
  template <class W>
  struct Separate {
    FPSYNTH_INLINE static void run(const W* in, std::size_t n, W* out) {
      for (std::size_t i = 0; i < n / 2; i += kLanes<W>) {
        Vector<W> a = as_vector(in + 2 * i), b = as_vector(in + 2 * i + kLanes<W>);
        Self::template separate<W>(a, b);
        std::memcpy(out + i, &a, Bytes);
        std::memcpy(out + n / 2 + i, &b, Bytes);
      }
    }
  };
  template <class W>
  struct Merge {
    FPSYNTH_INLINE static void run(const W* in, std::size_t n, W* out) {
      for (std::size_t i = 0; i < n / 2; i += kLanes<W>) {
        Vector<W> a = as_vector(in + i), b = as_vector(in + n / 2 + i);
        Self::template merge<W>(a, b);
        std::memcpy(out + 2 * i, &a, Bytes);
        std::memcpy(out + 2 * i + kLanes<W>, &b, Bytes);
      }
    }
  };

 protected:
  /// separate_bits() from byte `begin` on, for levels that have done what is before it.
  FPSYNTH_INLINE static void separate_bits_from(std::size_t begin, const std::uint8_t* in,
                                                std::size_t bytes, std::uint8_t* out) {
    for (std::size_t i = begin; i < bytes; i += 2) {
      std::uint32_t x = std::uint32_t(in[i] | in[i + 1] << 8);
      for (const auto& [mask, shift] : {Swap{0x2222, 1}, Swap{0x0c0c, 2}, Swap{0x00f0, 4}}) {
        const std::uint32_t swapped = (x ^ (x >> shift)) & mask;
        x ^= swapped ^ (swapped << shift);
      }
      out[i / 2] = std::uint8_t(x);
      out[bytes / 2 + i / 2] = std::uint8_t(x >> 8);
    }
  }
  /// bit_columns() from row `begin` on.
  FPSYNTH_INLINE static void bit_columns_from(std::size_t begin, const std::uint8_t* in,
                                              std::size_t rows, std::uint8_t* out) {
    for (std::size_t row = begin; row < rows; row += 8) {
      std::uint64_t x;
      std::memcpy(&x, in + row, 8);
      std::uint64_t t = (x ^ (x >> 7)) & 0x00aa00aa00aa00aa;
      x ^= t ^ (t << 7);
      t = (x ^ (x >> 14)) & 0x0000cccc0000cccc;
      x ^= t ^ (t << 14);
      t = (x ^ (x >> 28)) & 0x00000000f0f0f0f0;
      x ^= t ^ (t << 28);
      for (std::size_t bit = 0; bit < 8; ++bit) {
        out[bit * (rows / 8) + row / 8] = std::uint8_t(x >> 8 * bit);
      }
    }
  }

 private:
  struct Swap {
    std::uint32_t mask;
    int shift;
  };
  /// Words of the longest block that is taken in halves.
  template <class W>
  static constexpr std::size_t kMostHalved = 16384 / sizeof(W);

  /// The number of a block's words, from the first, that make whole packs of all 2^m dimensions; 0
  /// where k is not 2^m, or the block is too long.
  template <class W>
  FPSYNTH_INLINE static std::size_t in_whole_packs(std::size_t n, std::size_t k) {
    if (k < 2 || (k & (k - 1)) || n > kMostHalved<W>) return 0;
    const std::size_t unit = k > 2 * kLanes<W> ? k : 2 * kLanes<W>;
    return n / unit * unit;
  }
  /// All passes on n words, a multiple of in_whole_packs()' unit.
  template <class W, class Pass>
  FPSYNTH_INLINE static void in_halves(const W* in, std::size_t n, std::size_t k, W* out) {
    alignas(64) W spare[kMostHalved<W>];
    // The last pass must end in `out`.
    const bool odd = __builtin_ctzll(k) % 2;
    W *to = odd ? out : spare, *other = odd ? spare : out;
    for (; k > 1; k /= 2) {
      Pass::run(in, n, to);
      in = to;
      W* const swap = to;
      to = other;
      other = swap;
    }
  }

  /// A bit for each W of 64 bytes that differs from the one `distance` bytes before it.
  template <class W>
  FPSYNTH_INLINE static std::uint64_t differing(const std::byte* in, std::size_t distance,
                                                std::size_t& nonzero) {
    std::uint64_t bits = 0;
    for (std::size_t at = 0; at < 64; at += Bytes) {
      Vector<W> words, before;
      std::memcpy(&words, in + at, Bytes);
      std::memcpy(&before, in + at - distance, Bytes);
      bits |= Self::template differ<W>(words, before) << at / sizeof(W);
      nonzero += std::size_t(__builtin_popcountll(Self::template differ<W>(words, Vector<W>{})));
    }
    return bits;
  }

  /// 8 x 8 bits; byte k is the k-th word. With the most significant bit first, the transpose moves
  /// bit b of byte k to bit 7-k of byte 7-b: a reflection, done in three steps in squares of 4 x 4,
  /// 2 x 2 and 1 x 1 bits.
  FPSYNTH_INLINE static std::uint64_t transpose_bytes(std::uint64_t x) {
    std::uint64_t t = x ^ (x << 36);
    x ^= 0xf0f0f0f00f0f0f0f & (t ^ (x >> 36));
    t = 0xcccc0000cccc0000 & (x ^ (x << 18));
    x ^= t ^ (t >> 18);
    t = 0xaa00aa00aa00aa00 & (x ^ (x << 9));
    return x ^ t ^ (t >> 9);
  }

  template <class W>
  FPSYNTH_INLINE static void transpose_tile(const W* in, W* out) {
    constexpr std::size_t w = words::kBits<W>;
    std::memcpy(out, in, w * sizeof(W));
    W mask = static_cast<W>(~W{0}) >> (w / 2);  // the low half of every word
    for (std::size_t half = w / 2; half; half /= 2, mask = static_cast<W>(mask ^ (mask << half))) {
      for (std::size_t row = 0; row < w; row = (row + half + 1) & ~half) {
        const W swapped = static_cast<W>((out[row] ^ (out[row + half] >> half)) & mask);
        out[row] ^= swapped;
        out[row + half] ^= static_cast<W>(swapped << half);
      }
    }
  }
};

}  // namespace fpsynth::teams
