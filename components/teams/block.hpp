#pragma once
// The vocabulary (serial.hpp) for a thread block of a GPU. Every lane makes a BlockTeam of its own
// with the same arguments and calls the same members in the same order; only phases differ by lane.
//
// Written against a Hardware, so that the same code runs on a GPU (cuda.cuh) and, lane by lane in
// shuffled order, on the host (emulated.hpp):
//
//   lanes(), lane()              how many lanes the block has; which one this is
//   warp_lanes()                 lanes of a warp: 32, or 1 in a block of one lane
//   barrier(), any(bool)         by all lanes of the block; whether any lane has it
//   ballot(bool)                 by all lanes of a warp: bit k is lane k's
//   shuffle_up(v, d)             the value of the lane d below in the warp (below the first: v)
//   shuffle_xor(v, m)            the value of lane (this ^ m) of the warp
//   atomic_xor, atomic_or, ...   on memory of the block or of the device

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/teams/item.hpp"
#include "components/teams/quad.hpp"

namespace fpsynth::teams {

/// Bytes of a thread block's memory, aligned to 16, that its team needs for blocks of up to `items`
/// items.
FPSYNTH_INLINE constexpr std::size_t block_team_bytes(std::size_t items, std::size_t lanes) {
  const std::size_t partials = 4 * 32 * 2;
  const std::size_t counts = 4 * (words::words_for(items, 64) + 1), words = 8 * lanes;
  return partials + ((counts > words ? counts : words) + 15) / 16 * 16;
}

template <class Hardware>
class BlockTeam {
 public:
  static constexpr bool kInOrder = false;

  FPSYNTH_INLINE static constexpr std::size_t memory_bytes(std::size_t items, std::size_t lanes) {
    return block_team_bytes(items, lanes);
  }

  /// `memory`: block_team_bytes() of the block's own, the same for every lane.
  FPSYNTH_INLINE BlockTeam(Hardware hardware, std::byte* memory)
      : hardware_(hardware),
        partials_(reinterpret_cast<std::uint32_t*>(memory)),
        work_(memory + 4 * kPartials * 2) {}

  template <class W, class F>
  FPSYNTH_INLINE void for_each(std::size_t begin, std::size_t end, F f) {
    const std::uint32_t first = std::uint32_t(begin), last = std::uint32_t(end);
    if constexpr (sizeof(W) == 1) {
      // By fours where that goes, and one by one at the ends.
      const std::uint32_t up = (first + 3) / 4 * 4, down = last / 4 * 4;
      if (up < down) {
        each<W>(first, up, f);
        for (std::uint32_t i = up + 4 * lane(); i < down; i += 4 * lanes()) f(QuadItem{i});
        return each<W>(down, last, f);
      }
    }
    each<W>(first, last, f);
  }
  template <class F>
  FPSYNTH_INLINE void single(F f) {
    if (lane() == 0) f();
  }
  FPSYNTH_INLINE void barrier() { hardware_.barrier(); }

  template <class W, class F>
  FPSYNTH_INLINE void flags(std::size_t n, std::uint64_t* mask, F f) {
    barrier();
    const std::uint32_t bits = std::uint32_t(words::words_for(n, 64) * 64);
    if constexpr (sizeof(W) == 1) {
      quad_flags(std::uint32_t(n), bits, mask, f);
    } else {
      const std::uint32_t width = hardware_.warp_lanes(), in_warp = lane() % width;
      for (std::uint32_t first = lane() - in_warp; first < bits; first += lanes()) {
        const std::uint32_t i = first + in_warp;
        const std::uint32_t votes = hardware_.ballot(i < n && f(Item<W>{i}));
        if (in_warp == 0) put_bits(mask, first, votes, width);
      }
    }
    barrier();
  }
  template <class W, class F>
  FPSYNTH_INLINE std::size_t count_if(std::size_t n, F f) {
    barrier();
    std::uint32_t count = 0;
    for_each<W>(0, n, [&](auto item) { count += held(f(item)); });
    return sum(count);
  }
  FPSYNTH_INLINE std::size_t count_bits(const std::uint64_t* mask, std::size_t n) {
    barrier();
    std::uint32_t count = 0;
    const std::uint32_t masks = std::uint32_t(words::words_for(n, 64));
    for (std::uint32_t m = lane(); m < masks; m += lanes()) count += bits_of(mask, m, n);
    return sum(count);
  }

  template <class W, class F>
  FPSYNTH_INLINE std::size_t compact(std::size_t n, const std::uint64_t* mask, W* out, F f) {
    const std::uint32_t count = count_before(mask, n);
    const std::uint32_t* const before = work<std::uint32_t>();
    each<W>(0, std::uint32_t(n), [&](auto item) {
      if (item.bit(mask)) out[rank(before, mask, item.i) - 1] = static_cast<W>(f(item));
    });
    barrier();
    return count;
  }
  template <class W>
  FPSYNTH_INLINE void expand(std::size_t n, const std::uint64_t* mask, const W* values, W* out) {
    count_before(mask, n);
    const std::uint32_t* const before = work<std::uint32_t>();
    each<W>(0, std::uint32_t(n), [&](auto item) {
      out[item.i] = item.bit(mask) ? values[rank(before, mask, item.i) - 1] : W{0};
    });
    barrier();
  }
  template <class W>
  FPSYNTH_INLINE void expand_last(std::size_t n, const std::uint64_t* mask, const W* values,
                                  W* out) {
    count_before(mask, n);
    const std::uint32_t* const before = work<std::uint32_t>();
    each<W>(0, std::uint32_t(n),
            [&](auto item) { out[item.i] = values[rank(before, mask, item.i) - 1]; });
    barrier();
  }

  /// In runs of words at distance `stride`, one run a lane: their totals, a scan of these over the
  /// lanes, and the runs again from there. Reads the block twice and writes it once. Runs have odd
  /// lengths, so that the lanes of a warp meet in few banks.
  template <class W, class Op>
  FPSYNTH_INLINE void scan(Op op, const W* in, std::size_t n, std::size_t stride, W* out) {
    barrier();
    const std::uint32_t s = std::uint32_t(stride), end = std::uint32_t(n);
    const std::uint32_t groups = lanes() / s;
    if (groups < 2) {
      for (std::uint32_t c = lane(); c < s; c += lanes()) scan_run(op, in, c, end, s, W{0}, out);
    } else {
      const std::uint32_t rows = ((end + s - 1) / s + groups - 1) / groups | 1;
      const std::uint32_t group = lane() / s, begin = group * rows * s + lane() % s;
      const std::uint32_t stop = group < groups && begin + rows * s < end ? begin + rows * s : end;
      W total{0};
      if (group < groups) {
        for (std::uint32_t i = begin; i < stop; i += s) total = op(total, in[i]);
      }
      const W before = total_before(op, total, s, groups);
      if (group < groups) scan_run(op, in, begin, stop, s, before, out);
    }
    barrier();
  }

  template <class Length, class F>
  FPSYNTH_INLINE bool lay(std::size_t count, std::size_t n, Length length, F f) {
    barrier();
    std::uint32_t base = 0;
    bool meets = false;
    for (std::uint32_t first = 0; first < count && base < n; first += lanes()) {
      const std::uint32_t k = first + lane();
      const std::uint32_t mine = k < count ? std::uint32_t(length(k)) : 0;
      const Offsets offsets = offsets_of(mine);
      const std::uint32_t begin = base + offsets.before;
      if (k < count && begin < n) {
        f(k, begin);
        meets = meets || begin + mine == n;
      }
      base += offsets.all;
    }
    return hardware_.any(meets);
  }
  FPSYNTH_INLINE void flip(std::uint64_t* mask, std::size_t bit, std::uint64_t on) {
    // Little-endian: half a mask word is a 32-bit word, on which atomics are fastest.
    if (on)
      hardware_.atomic_xor(reinterpret_cast<std::uint32_t*>(mask) + bit / 32, 1u << (bit % 32));
  }

  template <class W>
  FPSYNTH_INLINE void transpose_tiles(const W* in, std::size_t tiles, W* out) {
    if constexpr (sizeof(W) == 1) {
      for (std::uint32_t tile = lane(); tile < tiles; tile += lanes()) {
        std::uint64_t rows;
        std::memcpy(&rows, __builtin_assume_aligned(in + 8 * tile, 8), 8);
        rows = transposed_8x8(rows);
        std::memcpy(__builtin_assume_aligned(out + 8 * tile, 8), &rows, 8);
      }
    } else if (hardware_.warp_lanes() == 1) {
      transpose_alone(in, std::uint32_t(tiles), out);
    } else {
      transpose_by_warps(in, std::uint32_t(tiles), out);
    }
  }
  template <class W>
  FPSYNTH_INLINE void deinterleave(const W* in, std::size_t n, std::size_t k, W* out) {
    const Places places(n, k);
    each<W>(0, std::uint32_t(n), [&](auto item) { out[places.of(item.i)] = in[item.i]; });
  }
  template <class W>
  FPSYNTH_INLINE void interleave(const W* in, std::size_t n, std::size_t k, W* out) {
    const Places places(n, k);
    each<W>(0, std::uint32_t(n), [&](auto item) { out[item.i] = in[places.of(item.i)]; });
  }

 private:
  static constexpr std::uint32_t kPartials = 32;  ///< warps of the largest block

  FPSYNTH_INLINE std::uint32_t lanes() const { return hardware_.lanes(); }
  FPSYNTH_INLINE std::uint32_t lane() const { return hardware_.lane(); }
  template <class T>
  FPSYNTH_INLINE T* work() const {
    return reinterpret_cast<T*>(work_);
  }

  /// f(item) for every item, one at a time.
  template <class W, class F>
  FPSYNTH_INLINE void each(std::uint32_t begin, std::uint32_t end, F f) {
    for (std::uint32_t i = begin + lane(); i < end; i += lanes()) f(Item<W>{i});
  }

  /// How many of a phase's items have it.
  FPSYNTH_INLINE static std::uint32_t held(bool value) { return value; }
  FPSYNTH_INLINE static std::uint32_t held(QuadFlags flags) {
    return std::uint32_t(words::count_bits(flags.flags));
  }
  /// flags() on bytes: a lane has four of them, eight lanes the bits of half a mask word.
  template <class F>
  FPSYNTH_INLINE void quad_flags(std::uint32_t n, std::uint32_t bits, std::uint64_t* mask, F f) {
    const std::uint32_t width = hardware_.warp_lanes(), in_warp = lane() % width;
    for (std::uint32_t first = 4 * (lane() - in_warp); first < bits; first += 4 * lanes()) {
      const std::uint32_t i = first + 4 * in_warp;
      std::uint32_t votes = 0;
      if (i < n) votes = f(QuadItem{i}).bits() & std::uint32_t(words::low_mask(n - i));
      votes <<= i % 32;
      if (width == 1) {
        put_bits(mask, i, votes >> i % 32, width);
        continue;
      }
      for (std::uint32_t d = 1; d < 8; d *= 2) votes |= hardware_.shuffle_xor(votes, d);
      if (in_warp % 8 == 0 && i < bits) put_bits(mask, i, votes, width);
    }
  }

  /// The bits of a warp's items, at bit `first` of a mask.
  FPSYNTH_INLINE static void put_bits(std::uint64_t* mask, std::uint32_t first, std::uint32_t bits,
                                      std::uint32_t width) {
    if (width == 32) {
      std::memcpy(reinterpret_cast<std::uint32_t*>(mask) + first / 32, &bits, sizeof(bits));
    } else {
      const std::uint64_t before = first % 64 ? mask[first / 64] : 0;
      mask[first / 64] = before | std::uint64_t{bits} << (first % 64);
    }
  }
  /// Set bits of mask word m among the first n bits of the mask.
  FPSYNTH_INLINE static std::uint32_t bits_of(const std::uint64_t* mask, std::uint32_t m,
                                              std::size_t n) {
    return std::uint32_t(words::count_bits(mask[m] & words::low_mask(n - 64 * std::size_t(m))));
  }
  /// Set bits up to and including bit i.
  FPSYNTH_INLINE static std::uint32_t rank(const std::uint32_t* before, const std::uint64_t* mask,
                                           std::size_t i) {
    return before[i / 64] +
           std::uint32_t(words::count_bits(mask[i / 64] & words::low_mask(i % 64 + 1)));
  }

  struct Offsets {
    std::uint32_t before;  ///< sum over the lanes below this one
    std::uint32_t all;     ///< sum over all lanes
  };
  /// With one barrier: two sets of partial sums take turns, so that a slow lane may still read the
  /// last but one.
  FPSYNTH_INLINE Offsets offsets_of(std::uint32_t value) {
    const std::uint32_t width = hardware_.warp_lanes(), in_warp = lane() % width;
    std::uint32_t upto = value;
    for (std::uint32_t d = 1; d < width; d *= 2) {
      const std::uint32_t below = hardware_.shuffle_up(upto, d);
      if (in_warp >= d) upto += below;
    }
    std::uint32_t* const partials = partials_ + turn_ * kPartials;
    turn_ ^= 1;
    if (in_warp == width - 1) partials[lane() / width] = upto;
    barrier();
    Offsets offsets{upto - value, 0};
    for (std::uint32_t warp = 0; warp < lanes() / width; ++warp) {
      if (warp < lane() / width) offsets.before += partials[warp];
      offsets.all += partials[warp];
    }
    return offsets;
  }
  FPSYNTH_INLINE std::uint32_t sum(std::uint32_t value) { return offsets_of(value).all; }

  /// Into work(), for every mask word, the number of set bits before it; returns that of all.
  FPSYNTH_INLINE std::uint32_t count_before(const std::uint64_t* mask, std::size_t n) {
    barrier();
    std::uint32_t* const before = work<std::uint32_t>();
    const std::uint32_t masks = std::uint32_t(words::words_for(n, 64));
    std::uint32_t base = 0;
    for (std::uint32_t first = 0; first < masks; first += lanes()) {
      const std::uint32_t m = first + lane();
      const Offsets offsets = offsets_of(m < masks ? bits_of(mask, m, n) : 0);
      if (m < masks) before[m] = base + offsets.before;
      base += offsets.all;
    }
    barrier();
    return base;
  }

  template <class W, class Op>
  FPSYNTH_INLINE static void scan_run(Op op, const W* in, std::uint32_t begin, std::uint32_t end,
                                      std::uint32_t stride, W before, W* out) {
    for (std::uint32_t i = begin; i < end; i += stride) {
      before = op(before, in[i]);
      out[i] = before;
    }
  }
  /// Of the lanes' totals, lane g * stride + c having that of group g in column c, the total of the
  /// groups before in the same column.
  template <class W, class Op>
  FPSYNTH_INLINE W total_before(Op op, W total, std::uint32_t stride, std::uint32_t groups) {
    W* const totals = work<W>();
    totals[lane()] = total;
    barrier();
    const std::uint32_t width = hardware_.warp_lanes(), parts = width / stride;
    if (parts < 2) {
      for (std::uint32_t c = lane(); c < stride; c += lanes()) {
        replace_by_before(op, totals + c, groups, stride, W{0});
      }
    } else if (lane() <
               width) {  // one warp: the same again, with a scan of registers in the middle
      const std::uint32_t rows = (groups + parts - 1) / parts | 1;
      const std::uint32_t part = lane() / stride, first = part * rows;
      const std::uint32_t left = part < parts && first < groups ? groups - first : 0;
      const std::uint32_t count = left < rows ? left : rows;
      W* const mine = totals + first * stride + lane() % stride;
      W upto{0};
      for (std::uint32_t r = 0; r < count; ++r) upto = op(upto, mine[r * stride]);
      for (std::uint32_t d = stride; d < width; d *= 2) {
        const W below = hardware_.shuffle_up(upto, d);
        if (lane() >= d) upto = op(below, upto);
      }
      const W below = hardware_.shuffle_up(upto, stride);
      replace_by_before(op, mine, count, stride, lane() < stride ? W{0} : below);
    }
    barrier();
    return totals[lane()];
  }
  template <class W, class Op>
  FPSYNTH_INLINE static void replace_by_before(Op op, W* totals, std::uint32_t count,
                                               std::uint32_t stride, W before) {
    for (std::uint32_t r = 0; r < count; ++r) {
      const W total = totals[r * stride];
      totals[r * stride] = before;
      before = op(before, total);
    }
  }

  /// Rows are bytes, the first one lowest; columns are counted from a byte's most significant bit.
  FPSYNTH_INLINE static std::uint64_t transposed_8x8(std::uint64_t x) {
    std::uint64_t t = (x ^ x >> 9) & 0x0055005500550055;
    x ^= t ^ t << 9;
    t = (x ^ x >> 18) & 0x0000333300003333;
    x ^= t ^ t << 18;
    t = (x ^ x >> 36) & 0x000000000f0f0f0f;
    return x ^ t ^ t << 36;
  }
  template <class W>
  FPSYNTH_INLINE void transpose_alone(const W* in, std::uint32_t tiles, W* out) {
    constexpr std::uint32_t w = words::kBits<W>;
    for (std::uint32_t i = 0; i < tiles * w; ++i) {
      const W* const tile = in + i / w * w;
      W word = 0;
      for (std::uint32_t j = 0; j < w; ++j) word = W(word << 1 | (tile[j] >> (w - 1 - i % w) & 1));
      out[i] = word;
    }
  }
  /// A tile a warp, its rows in registers: halves of ever smaller squares change places.
  template <class W>
  FPSYNTH_INLINE void transpose_by_warps(const W* in, std::uint32_t tiles, W* out) {
    constexpr std::uint32_t w = words::kBits<W>, kRows = w / 32;
    const std::uint32_t in_warp = lane() % 32;
    for (std::uint32_t tile = lane() / 32; tile < tiles; tile += lanes() / 32) {
      W rows[kRows];
      for (std::uint32_t r = 0; r < kRows; ++r) rows[r] = in[tile * w + 32 * r + in_warp];
      W low = W(~W{0}) >> (w / 2);  // the right half of each square
      if constexpr (kRows == 2) {
        const W t = (rows[0] ^ rows[1] >> 32) & low;
        rows[0] ^= t;
        rows[1] ^= t << 32;
        low ^= low << 16;
      }
      for (std::uint32_t j = 16; j > 0; low ^= W(low << j / 2), j /= 2) {
        for (std::uint32_t r = 0; r < kRows; ++r) {
          const W other = hardware_.shuffle_xor(rows[r], j);
          rows[r] = in_warp & j ? (rows[r] & low) | (W(other << j) & W(~low))
                                : (rows[r] & W(~low)) | (other >> j & low);
        }
      }
      for (std::uint32_t r = 0; r < kRows; ++r) out[tile * w + 32 * r + in_warp] = rows[r];
    }
  }

  /// Where deinterleaving n words (less than 2^26) in k (1..64) dimensions puts word i. Division by
  /// k is a multiplication with its reciprocal.
  class Places {
   public:
    FPSYNTH_INLINE Places(std::size_t n, std::size_t k)
        : k_(std::uint32_t(k)), reciprocal_(0xffffffffu / k_ + 1) {
      each_ = std::uint32_t(n) / k_;
      longer_ = std::uint32_t(n) % k_;
    }
    FPSYNTH_INLINE std::uint32_t of(std::size_t i) const {
      const std::uint32_t row =
          k_ == 1 ? std::uint32_t(i) : std::uint32_t(std::uint64_t{reciprocal_} * i >> 32);
      const std::uint32_t d = std::uint32_t(i) - row * k_;
      return d * each_ + (d < longer_ ? d : longer_) + row;
    }

   private:
    std::uint32_t k_, reciprocal_, each_, longer_;
  };

  Hardware hardware_;
  std::uint32_t* partials_;
  std::byte* work_;
  std::uint32_t turn_ = 0;
};

}  // namespace fpsynth::teams
