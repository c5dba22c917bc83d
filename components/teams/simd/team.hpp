#pragma once
// The simd team: one CPU core, a pack of items at a time. The vocabulary is that of all teams; L
// (see Portable) has the operations that differ between instruction sets.

#include <bit>
#include <type_traits>

#include "components/scratch_view.hpp"
#include "components/teams/item.hpp"
#include "components/teams/simd/count.hpp"
#include "components/teams/simd/dimension_bits.hpp"
#include "components/teams/simd/pack.hpp"
#include "components/teams/simd/planes.hpp"
#include "components/teams/team.hpp"

namespace fpsynth::teams {

template <class L>
struct SimdTeam {
  static constexpr bool kInOrder = true;
  static constexpr std::size_t kPackBytes = L::kBytes;

  template <class W>
  using PackOf = Pack<W, L>;
  template <class W>
  using Items = PackItem<W, L>;

  /// The last pack may extend past `end`. Phases write in ascending order, so a later phase or item
  /// overwrites the excess.
  template <class W, class F>
  FPSYNTH_INLINE void for_each(std::size_t begin, std::size_t end, F f) {
#pragma GCC unroll 4
    for (std::size_t i = begin; i < end; i += PackOf<W>::lanes) f(Items<W>{i});
  }
  template <class F>
  FPSYNTH_INLINE void single(F f) {
    f();
  }
  FPSYNTH_INLINE void barrier() {}

  template <class W, class F>
  FPSYNTH_INLINE void flags(std::size_t n, std::uint64_t* mask, F f) {
    for_each_mask<W>(n, f, [=](std::size_t word, std::uint64_t bits) { mask[word] = bits; });
  }
  template <class W, class F>
  FPSYNTH_INLINE std::size_t count_if(std::size_t n, F f) {
    std::size_t count = 0;
    if constexpr (sizeof(W) == 1 && L::kFindsEqual && kTestsDifference<W, F>) {
      constexpr std::size_t lanes = PackOf<W>::lanes;
      const std::size_t whole = n / lanes, rest = n % lanes;
      count = lanes * whole - L::count_equal_bytes(whole, [=](std::size_t pack) {
                const auto found = f(Items<W>{lanes * pack});
                return found.a == found.b;
              });
      if (rest == 0) return count;
      const std::uint64_t last = f(Items<W>{n - rest}).bits() & words::low_mask(rest);
      return count + std::size_t(__builtin_popcountll(last));
    }
    for_each_mask<W>(n, f, [&](std::size_t, std::uint64_t bits) {
      count += std::size_t(__builtin_popcountll(bits));
    });
    return count;
  }
  FPSYNTH_INLINE std::size_t count_bits(const std::uint64_t* mask, std::size_t n) {
    std::size_t count = L::count_bits(mask, n / 64);
    if (n % 64) count += std::size_t(__builtin_popcountll(mask[n / 64] & words::low_mask(n % 64)));
    return count;
  }
  FPSYNTH_INLINE Counts count_bits(const std::uint64_t* first, const std::uint64_t* second,
                                   std::size_t n) {
    return {count_bits(first, n), count_bits(second, n)};
  }

  /// The counts of count_block(), in one pass; the words that are not zero are always counted. Each
  /// of the masks is one of a Scratch.
  template <class W, bool = true>
  FPSYNTH_INLINE BlockCounts block_counts(const W* in, std::size_t n, std::uint64_t* mask,
                                          std::uint64_t* starts, std::uint64_t* runs) {
    return BlockCounter<L>::template count<W>(reinterpret_cast<const std::byte*>(in), n * sizeof(W),
                                              mask, starts, runs);
  }

  /// The counts of components::count_runs().
  FPSYNTH_INLINE WordCounts count_runs(std::uint64_t* literals, std::size_t n,
                                       std::uint64_t* memory) {
    return BlockCounter<L>::runs(literals, n, memory);
  }

  template <class W, class F>
  FPSYNTH_INLINE std::size_t compact(std::size_t n, const std::uint64_t* mask, W* out, F f) {
    constexpr std::size_t lanes = PackOf<W>::lanes;
    W* const first = out;
    std::size_t i = 0;
    if constexpr (lanes < 64) {
      for (; i + 64 <= n; i += 64) {
        const std::uint64_t dropped = ~mask[i / 64];
        if (sizeof(W) > 1 ? dropped == 0 : (dropped & (dropped - 1)) == 0) {
          // At most one is dropped: all, and again what follows that one.
          const std::size_t one = dropped != 0;
          for (std::size_t lane = 0; lane < 64; lane += lanes)
            f(Items<W>{i + lane}).store(out + lane);
          if constexpr (sizeof(W) == 1) {
            const std::size_t hole = std::size_t(__builtin_ctzll(dropped | std::uint64_t{1} << 63));
            for (std::size_t lane = 0; lane < 64; lane += lanes) {
              f(Items<W>{i + hole + one + lane}).store(out + hole + lane);
            }
          }
          out += 64 - one;
          continue;
        }
        for (std::size_t lane = 0; lane < 64; lane += lanes) {
          const std::uint64_t bits = ~dropped >> lane & words::low_mask(lanes);
          L::template compact<W>(bits, f(Items<W>{i + lane}).v, out);
          out += __builtin_popcountll(bits);
        }
      }
    }
    for (; i < n; i += lanes) {
      const Items<W> items{i};
      const std::uint64_t bits = items.bit(mask).bits();
      L::template compact<W>(bits, f(items).v, out);
      out += __builtin_popcountll(bits);
    }
    return std::size_t(out - first);
  }
  template <class W>
  FPSYNTH_INLINE bool expand(std::size_t n, const std::uint64_t* mask, const W* values,
                             std::size_t count, W* out) {
    if (count_bits(mask, n) != count) return false;
    constexpr std::size_t lanes = PackOf<W>::lanes;
    std::size_t i = 0;
    if constexpr (lanes < 64) {
      for (; i + 64 <= n; i += 64) {
        const std::uint64_t missing = ~mask[i / 64];
        if (sizeof(W) > 1 ? missing == 0 : (missing & (missing - 1)) == 0) {
          // At most one is missing: all, and again what follows that one.
          const std::size_t one = missing != 0;
          copy<W>(values, 64, out + i);
          if constexpr (sizeof(W) == 1) {
            const std::size_t hole = std::size_t(__builtin_ctzll(missing | std::uint64_t{1} << 63));
            out[i + hole] = 0;
            copy<W>(values + hole, 64, out + i + hole + one);
          }
          values += 64 - one;
          continue;
        }
        for (std::size_t lane = 0; lane < 64; lane += lanes) {
          const std::uint64_t bits = ~missing >> lane & words::low_mask(lanes);
          PackOf<W>{L::template expand<W>(bits, values)}.store(out + i + lane);
          values += __builtin_popcountll(bits);
        }
      }
    }
    for (; i < n; i += lanes) {
      const Items<W> items{i};
      const std::uint64_t bits = items.bit(mask).bits();
      items.store(out, PackOf<W>{L::template expand<W>(bits, values)});
      values += __builtin_popcountll(bits);
    }
    return true;
  }
  template <class W>
  FPSYNTH_INLINE bool expand_last(std::size_t n, const std::uint64_t* mask, const W* values,
                                  std::size_t count, W* out) {
    if (count_bits(mask, n) != count) return false;
    constexpr std::size_t lanes = PackOf<W>::lanes;
    std::size_t i = 0;
    for (; i + 64 <= n; i += 64) {
      const std::uint64_t present = mask[i / 64];
      if (present == 0) {
        fill<W>(values[-1], 64, out + i);
      } else if (present == ~std::uint64_t{0}) {
        copy<W>(values, 64, out + i);
        values += 64;
      } else {
        for (std::size_t lane = 0; lane < 64; lane += lanes) {
          const std::uint64_t bits = present >> lane & words::low_mask(lanes);
          PackOf<W>{L::template expand_last<W>(bits, values)}.store(out + i + lane);
          values += __builtin_popcountll(bits);
        }
      }
    }
    for (; i < n; i += lanes) {
      const Items<W> items{i};
      const std::uint64_t bits = items.bit(mask).bits();
      items.store(out, PackOf<W>{L::template expand_last<W>(bits, values)});
      values += __builtin_popcountll(bits);
    }
    return true;
  }

  template <class W>
  FPSYNTH_INLINE std::size_t longest_bits(const W* in, std::size_t n, std::uint8_t* bits) {
    return BitPlanes<L>::template longest<W>(in, n, bits);
  }
  template <class W>
  FPSYNTH_INLINE void pack_planes(const W* in, std::size_t n, const std::uint8_t* bits,
                                  std::uint8_t* out) {
    BitPlanes<L>::template pack<W>(in, n, bits, out);
  }
  template <class W>
  FPSYNTH_INLINE std::size_t unpack_planes(const std::uint8_t* in, std::size_t most,
                                           const std::uint8_t* bits, std::size_t n, W* out) {
    return BitPlanes<L>::template unpack<W>(in, most, bits, n, out);
  }

  FPSYNTH_INLINE void add(std::uint32_t* counter, std::uint32_t amount) { *counter += amount; }
  template <bool Down, class Begin, class Ask, class Go, class Group>
  FPSYNTH_INLINE std::size_t run_states(std::size_t states, std::size_t n, std::uint32_t* state,
                                        std::size_t count, Begin begin, Ask ask, Go go,
                                        Group group) {
    const std::size_t groups = group_count(n), mask = states - 1;
    alignas(64) std::uint32_t running[kGroupWords];
    std::memcpy(running, state, states * sizeof *state);
    for (std::size_t k = 0; k < groups; ++k) {
      const std::size_t g = Down ? groups - 1 - k : k, first = kGroupWords * g;
      const auto with = begin(g, count);
      if (with.ends) break;
      const auto run = [&](std::size_t i, std::uint32_t& own) FPSYNTH_INLINED {
        std::uint32_t value = own;
        const std::uint32_t one = ask(with, i, value);
        go(with, i, value, one, count);
        own = value;
        count += one;
      };
      const std::size_t some = words_of_group(n, g);
      if constexpr (L::kHasStates) {
        if (some == kGroupWords) {
          count = group(typename L::States{}, with, first, running, count);
          continue;
        }
      }
      if (some < kGroupWords) {
        for (std::size_t j = 0; j < some; ++j) {
          const std::size_t i = first + (Down ? some - 1 - j : j);
          run(i, running[i & mask]);
        }
        continue;
      }
      for (std::size_t h = 0; h < kGroupWords; h += 8) {
        const std::size_t at = Down ? kGroupWords - 8 - h : h;
        std::uint32_t* const own = running + (at & mask);
#pragma GCC unroll 8
        for (std::size_t j = 0; j < 8; ++j) {
          const std::size_t lane = Down ? 7 - j : j;
          run(first + at + lane, own[lane]);
        }
      }
    }
    std::memcpy(state, running, states * sizeof *state);
    return count;
  }
  template <class W, class Op>
  FPSYNTH_INLINE void scan(Op op, const W* in, std::size_t n, std::size_t stride, W* out) {
    L::template scan<W>(op, in, n, stride, out);
  }

  template <class W, class Op, class Value, class Use>
  FPSYNTH_INLINE void with_prefix(Op op, std::size_t n, W* memory, Value value, Use use) {
    if constexpr (L::kBytes < 64) {
      // Packs of few words take longer than the words one by one (`bench_parts`, RLE).
      W before = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const Item<W> item{i};
        const W own = value(item);
        use(item, before);
        before = op(before, own);
      }
    } else {
      for_each<W>(0, n, [=](auto i) { i.store(memory, value(i)); });
      scan<W>(op, memory, n, 1u, memory);
      for_each<W>(0, n, [=](auto i) { use(i, i.load(memory, -1)); });
    }
  }

  /// Writes `length` copies of `value` to `out`, in whole packs.
  template <class W>
  FPSYNTH_INLINE void fill(W value, std::size_t length, W* out) {
    const PackOf<W> pack = PackOf<W>::all(value);
    for (std::size_t i = 0; i < length; i += PackOf<W>::lanes) pack.store(out + i);
  }
  /// Copies `length` words from `in` to `out`, in whole packs.
  template <class W>
  FPSYNTH_INLINE void copy(const W* in, std::size_t length, W* out) {
    for (std::size_t i = 0; i < length; i += PackOf<W>::lanes) {
      PackOf<W>::load(in + i).store(out + i);
    }
  }

  /// Writes base + the position of every set bit; returns their number. Up to 64 positions and a
  /// pack are overwritten.
  FPSYNTH_INLINE std::size_t positions(std::uint64_t bits, std::uint16_t base, std::uint16_t* out) {
    L::positions(bits, base, out);
    return std::size_t(__builtin_popcountll(bits));
  }
  /// Writes the distances d between eight positions and their predecessors as bytes d - 1. In front
  /// of the byte of a d over 128, which is (d - 1) mod 128, stands (d - 1) / 128 times the byte of
  /// which `eight_most` has eight. All bytes get that byte's bits among `turn`, inverted after
  /// every distance. Returns where they end, or null, without writing, if a distance is over 1024.
  /// Up to eight bytes after them are overwritten.
  FPSYNTH_INLINE std::uint8_t* put_distances(const std::uint16_t* positions,
                                             std::uint64_t eight_most, std::uint8_t turn,
                                             std::uint8_t* out) {
    using Shorts = VectorOf<std::uint16_t, 16>;
    Shorts ends, begins;
    std::memcpy(&ends, positions, sizeof(ends));
    std::memcpy(&begins, positions - 1, sizeof(begins));
    const Shorts less = ends - begins - 1;
    const auto halves = (VectorOf<std::uint64_t, 16>)less;
    const std::uint64_t any = halves[0] | halves[1];
    constexpr std::uint64_t kEach = 0x0001000100010001;
    const std::uint16_t kind = std::uint16_t(eight_most & turn);
    const auto turns = (Shorts)(VectorOf<std::uint32_t, 16>{} + (std::uint32_t{turn} << 16));
    const Shorts lasts = (less & 0x7f) ^ turns ^ kind;
    if ((any & 0xff80 * kEach) == 0) {
      const auto bytes = __builtin_convertvector(lasts, VectorOf<std::uint8_t, 8>);
      std::memcpy(out, &bytes, sizeof(bytes));
      return out + 8;
    }
    if (any & 0xfc00 * kEach) return nullptr;
    const Shorts wholes = less >> 7;
    std::uint16_t last[8], whole[8];
    std::memcpy(last, &lasts, sizeof(last));
    std::memcpy(whole, &wholes, sizeof(whole));
    const std::uint64_t most[2] = {eight_most, eight_most ^ turn * 0x0101010101010101u};
    for (int k = 0; k < 8; ++k) {
      std::memcpy(out, most + k % 2, 8);
      out[whole[k]] = std::uint8_t(last[k]);
      out += whole[k] + 1;
    }
    return out;
  }

  /// Copies `length` words or, if `fill`, writes as many copies of values[-1]; without a branch.
  template <class W>
  FPSYNTH_INLINE void copy_or_fill(const W* values, bool fill, std::size_t length, W* out) {
    const PackOf<W> repeated = PackOf<W>::all(values[-1]);
    const PackOf<W> chosen = PackOf<W>::all(static_cast<W>(0 - W(fill)));
    for (std::size_t i = 0; i < length; i += PackOf<W>::lanes) {
      ((PackOf<W>::load(values + i) & ~chosen) | (repeated & chosen)).store(out + i);
    }
  }

  /// Returns whether the blocks are equal, then sets out = ~in. One pass over both.
  FPSYNTH_INLINE bool equal_then_invert(const std::uint8_t* in, std::size_t bytes,
                                        std::uint8_t* out) {
    using Bytes = PackOf<std::uint8_t>;
    Bytes different = Bytes::all(0);
    std::size_t i = 0;
#pragma GCC unroll 4
    for (; i + Bytes::lanes <= bytes; i += Bytes::lanes) {
      const Bytes pack = Bytes::load(in + i);
      different = different | (pack ^ Bytes::load(out + i));
      (~pack).store(out + i);
    }
    std::uint64_t bits = (different != std::uint8_t{0}).bits();
    if (i < bytes) {
      const Bytes pack = Bytes::load(in + i);
      bits |= (pack != Bytes::load(out + i)).bits() & words::low_mask(bytes - i);
      (~pack).store(out + i);
    }
    return bits == 0;
  }

  template <class W>
  FPSYNTH_INLINE void transpose_tiles(const W* in, std::size_t tiles, W* out) {
    L::template transpose_tiles<W>(in, tiles, out);
  }
  template <class W>
  FPSYNTH_INLINE void deinterleave(const W* in, std::size_t n, std::size_t k, W* out) {
    L::template deinterleave<W>(in, n, k, out);
  }
  FPSYNTH_INLINE static bool can_deinterleave_bits(std::size_t n, std::size_t k) {
    return DimensionBits<L>::can_deinterleave(n, k);
  }
  FPSYNTH_INLINE std::uint64_t* deinterleave_bits(std::size_t n, std::size_t k,
                                                  const components::Scratch& scratch) {
    return DimensionBits<L>::deinterleave(n, k, scratch);
  }
  template <class W>
  FPSYNTH_INLINE void interleave(const W* in, std::size_t n, std::size_t k, W* out) {
    L::template interleave<W>(in, n, k, out);
  }

 private:
  template <class W, class F>
  static constexpr bool kTestsDifference =
      std::is_same_v<std::invoke_result_t<F, Items<W>>, Differing<W, L>>;

  /// Calls g(word, bits) for every 64 items; bit k is f(item k), bits past n are 0.
  template <class W, class F, class G>
  FPSYNTH_INLINE void for_each_mask(std::size_t n, F f, G g) {
#pragma GCC unroll 2
    for (std::size_t word = 0; word < n / 64; ++word) g(word, bits_of<W>(64 * word, 64, f));
    if (n % 64) g(n / 64, bits_of<W>(n / 64 * 64, n % 64, f) & words::low_mask(n % 64));
  }
  /// Bit k is f(item `first` + k), for at most 64 items; the bits after these may be set.
  template <class W, class F>
  FPSYNTH_INLINE static std::uint64_t bits_of(std::size_t first, std::size_t count, F f) {
    // A level that finds what is equal inverts all bits together.
    constexpr bool inverts = L::kFindsEqual && kTestsDifference<W, F>;
    std::uint64_t bits = 0;
    for (std::size_t lane = 0; lane < count; lane += PackOf<W>::lanes) {
      const auto found = f(Items<W>{first + lane});
      if constexpr (inverts) {
        bits |= L::template equal<W>(found.a, found.b) << lane;
      } else {
        bits |= found.bits() << lane;
      }
    }
    return inverts ? ~bits : bits;
  }
};

}  // namespace fpsynth::teams
