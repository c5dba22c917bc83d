#pragma once
// Compaction and expansion of blocks of bytes by a mask, on the lanes of a thread block. Each lane
// works on a run of adjacent bytes, 32 at a time: first it reads all that these need, then it
// writes. The compiler does not know that what is written is not what is read next, so that a warp
// would otherwise wait for shared memory with every few bytes.

#include <cstddef>
#include <cstdint>

#include "components/teams/block_planes.hpp"
#include "components/teams/byte_stream.hpp"
#include "components/teams/hardware.hpp"
#include "components/teams/strip.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// Adds compact_bytes() and expand_bytes() to what lanes share. All lanes call them.
template <Hardware H>
class BlockBytes : protected BlockPlanes<H> {
  using Lanes = BlockLanes<H>;
  using Masks = BlockMasks<H>;

 protected:
  using BlockPlanes<H>::BlockPlanes;
  using Lanes::barrier, Lanes::hardware_, Lanes::lane, Lanes::lanes, Lanes::make_tables;
  using Lanes::over_lanes, Lanes::tables_;
  using Masks::half_word;

  template <class F>
  FPSYNTH_INLINE std::size_t compact_bytes(std::uint32_t n, const std::uint64_t* mask,
                                           std::uint8_t* out, F f) {
    make_tables();
    barrier();
    const std::uint32_t before = std::uint32_t(reinterpret_cast<std::uintptr_t>(out) % 4);
    std::uint8_t* const begun = out - before;
    const std::uint32_t overwritten = load_four(begun);
    const Run mine = run(n);
    const std::uint32_t count = count_run(mask, mine);
    const auto found = over_lanes(words::Plus{}, count);
    std::uint8_t* to = out + found.before;
    // If no lane of the warp has more than a few set bits, going bit by bit is faster.
    const bool few = hardware_.ballot(count > mine.most / 4) == 0;
    RunSink sink(to);
    if (!few) {
      each_pairs(mask, mine, [&]<int Pairs>(std::uint32_t at, std::uint32_t bits) {
        squeeze<Pairs>(at, bits, f, sink);
      });
    }
    barrier();
    // Another lane may have overwritten what was in the first word before.
    for (std::uint32_t k = 0; lane() == 0 && k < before; ++k) {
      begun[k] = std::uint8_t(overwritten >> 8 * k);
    }
    if (few) {
      std::uint32_t h = mine.begin / 32, bits = 0;
      if (count > 0) bits = half_word(mask, h) & (~0u << mine.begin % 32);
      for (std::uint8_t* const end = to + count; to < end; bits &= bits - 1) {
        while (bits == 0) bits = half_word(mask, ++h);
        *to++ = std::uint8_t(f(Item<std::uint8_t>{32 * h + words::lowest_bit32(bits)}));
      }
    } else {
      sink.finish();
    }
    barrier();
    return found.all;
  }
  /// Returns false, without reading values, if the number of set bits of the mask is not `count`.
  template <class Expand>
  FPSYNTH_INLINE bool expand_bytes(std::uint32_t n, const std::uint64_t* mask,
                                   const std::uint8_t* values, std::uint32_t count,
                                   std::uint8_t* out, Expand expand) {
    make_tables();
    barrier();
    const Run mine = run(n);
    const auto found = over_lanes(words::Plus{}, count_run(mask, mine));
    if (found.all != count) return false;
    ByteSource source(values + found.before);
    each_pairs(mask, mine, [&]<int Pairs>(std::uint32_t at, std::uint32_t bits) {
      Pair pairs[Pairs];
      FPSYNTH_UNROLL
      for (int k = 0; k < Pairs; ++k) {
        const std::uint32_t eight = bits >> 8 * k & 0xff;
        pairs[k] = expand(source.next(), eight);
        source.skip(words::count_bits32(eight));
      }
      FPSYNTH_UNROLL
      for (int k = 0; k < Pairs; ++k) {
        PairItem{at + 8 * std::uint32_t(k)}.store_aligned(out, pairs[k]);
      }
    });
    barrier();
    return true;
  }

 private:
  /// A lane's part of a block of bytes: whole pairs of quads, but for the block's last bytes. Their
  /// number is odd, so that pairs at the same place of 16 runs are in all banks.
  struct Run {
    std::uint32_t begin, end;
    std::uint32_t most;  ///< pairs of any lane
  };
  FPSYNTH_INLINE Run run(std::uint32_t n) const {
    const std::uint32_t pairs = (n + 8 * lanes() - 1) / (8 * lanes()) | 1;
    const std::uint32_t begin = 8 * pairs * lane(), end = begin + 8 * pairs;
    return {begin < n ? begin : n, end < n ? end : n, pairs};
  }
  /// Set bits in a run's part of a mask.
  FPSYNTH_INLINE static std::uint32_t count_run(const std::uint64_t* mask, Run run) {
    BitSource bits(mask, run.begin / 8);
    std::uint32_t count = 0, at = run.begin;
    constexpr std::uint32_t kWords = 8;  // whose waits overlap
    for (; at + 32 * kWords <= run.end; at += 32 * kWords) {
      FPSYNTH_UNROLL
      for (std::uint32_t k = 0; k < kWords; ++k) count += words::count_bits32(bits.next());
    }
    for (; at + 32 <= run.end; at += 32) count += words::count_bits32(bits.next());
    return count + words::count_bits32(bits.next() & ((1u << (run.end - at)) - 1));
  }
  /// f<Pairs>(at, bits) for the pairs of a run: four from byte `at` on, and their bits of the mask,
  /// or one with its bits and others behind them.
  template <class F>
  FPSYNTH_INLINE static void each_pairs(const std::uint64_t* mask, Run run, F f) {
    BitSource source(mask, run.begin / 8);
    std::uint32_t at = run.begin, bits = source.next();
    for (; at + 32 <= run.end; at += 32) {
      const std::uint32_t next = source.next();
      f.template operator()<4>(at, bits);
      bits = next;
    }
    for (; at < run.end; at += 8, bits >>= 8) f.template operator()<1>(at, bits);
  }
  /// Puts the bytes whose bit is set among those of `Pairs` pairs.
  template <int Pairs, class F>
  FPSYNTH_INLINE void squeeze(std::uint32_t at, std::uint32_t bits, F f, RunSink& sink) const {
    FewBytes found[2 * Pairs];
    FPSYNTH_UNROLL
    for (int k = 0; k < 2 * Pairs; k += 2) {
      const Pair pair = f(PairItem{at + 4 * std::uint32_t(k)});
      found[k] = tables_.squeezed(pair.part[0], bits >> 4 * k & 0xf);
      found[k + 1] = tables_.squeezed(pair.part[1], bits >> (4 * k + 4) & 0xf);
    }
    FPSYNTH_UNROLL
    for (int k = 0; k < 2 * Pairs; ++k) sink.put(found[k]);
  }
};

}  // namespace fpsynth::teams
