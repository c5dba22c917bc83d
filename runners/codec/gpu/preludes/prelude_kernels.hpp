#pragma once
// Kernels of the steps of preludes that have side data: exceptions (DEC, RAT) and ranks (DICT,
// DICTM).

#include <cstddef>
#include <cstdint>

#include "components/preludes/shape.hpp"
#include "components/teams/hardware.hpp"
#include "components/words/bits.hpp"
#include "runners/codec/gpu/preludes/word_kernels.hpp"

namespace fpsynth::codec {

/// A warp's position in its launch, and its lanes.
template <teams::Hardware Hardware>
struct WarpInLaunch {
  std::uint32_t lanes, lane;
  std::uint64_t index, count;

  FPSYNTH_INLINE explicit WarpInLaunch(Hardware hardware)
      : lanes(hardware.warp_lanes()),
        lane(hardware.lane() % lanes),
        index(std::uint64_t{hardware.block()} * (hardware.lanes() / lanes) +
              hardware.lane() / lanes),
        count(std::uint64_t{hardware.blocks()} * (hardware.lanes() / lanes)) {}
  /// The number of lanes below this one that are set in a ballot.
  FPSYNTH_INLINE std::uint32_t before(std::uint32_t ballot) const {
    return words::count_bits32(ballot & std::uint32_t(words::low_mask(lane)));
  }
  /// work(block, begin, words) for those of the blocks of 2^shift of n words that the warp takes;
  /// the last one may be shorter.
  template <class Work>
  FPSYNTH_INLINE void each_block(std::uint64_t n, std::uint32_t shift, const Work& work) const {
    const std::uint64_t most = std::uint64_t{1} << shift;
    for (std::uint64_t block = index; block << shift < n; block += count) {
      const std::uint64_t begin = block << shift, left = n - begin;
      work(block, begin, left < most ? left : most);
    }
  }
};

/// Sets *fault to 1 unless items[0..count) ascend.
template <class T>
struct AscendingKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const T* items;
    std::uint64_t count;
    std::uint32_t* fault;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const LaneInLaunch<Hardware> lane(hardware);
    bool ascending = true;
    for (std::uint64_t i = 1 + lane.index; i < args.count; i += lane.count) {
      ascending = ascending && args.items[i - 1] < args.items[i];
    }
    if (!ascending) hardware.atomic_or(args.fault, 1);
  }
};

// The scales of steps with exceptions.

/// One for all words.
struct OneScale {
  double scale;
  FPSYNTH_INLINE double of(std::uint64_t) const { return scale; }
};

/// One for each block of 2^shift words, which a selector names.
struct BlockScales {
  static constexpr std::uint32_t kSelectors = 16;
  static_assert(preludes::kMostDivisors < kSelectors);

  double scales[kSelectors];  ///< by selector; the first one is 0
  std::uint8_t* selectors;    ///< which may be anything
  std::uint32_t shift;

  FPSYNTH_INLINE double of(std::uint64_t i) const {
    return scales[selectors[i >> shift] % kSelectors];
  }
};

/// Chooses the selectors of blocks, each of which a warp takes.
template <class Step, class W>
struct SelectKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::byte* in;
    std::uint64_t n;
    preludes::Divisors divisors;
    std::uint8_t* selectors;
    std::uint32_t shift;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const ReadWords<W> in(args.in);
    const WarpInLaunch<Hardware> warp(hardware);
    const auto choose = [&](std::uint64_t block, std::uint64_t begin, std::uint64_t words) {
      typename Step::template Choice<W> choice(words);
      for (std::uint32_t d = 0; d < args.divisors.count; ++d) {
        const std::uint64_t divisor = args.divisors.of[d];
        std::uint64_t exceptions = 0;
        for (std::uint64_t row = 0; row < words && choice.may_win(divisor, exceptions);
             row += warp.lanes) {
          const std::uint64_t i = row + warp.lane;
          W integer;
          const bool exception =
              i < words && !Step::forward(in.load(begin + i), double(divisor), integer);
          exceptions += words::count_bits32(hardware.ballot(exception));
        }
        choice.offer(d + 1, divisor, exceptions);
      }
      if (warp.lane == 0) args.selectors[block] = std::uint8_t(choice.selector());
    };
    warp.each_block(args.n, args.shift, choose);
  }
};

/// Sets *fault to 1 unless items[0..count) are at most `most`.
struct AtMostKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::uint8_t* items;
    std::uint64_t count;
    std::uint32_t most;
    std::uint32_t* fault;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const LaneInLaunch<Hardware> lane(hardware);
    bool inside = true;
    for (std::uint64_t i = lane.index; i < args.count; i += lane.count) {
      inside = inside && args.items[i] <= args.most;
    }
    if (!inside) hardware.atomic_or(args.fault, 1);
  }
};

// Exceptions, by tiles of words, each of which a warp takes. Forward is two kernels: the first maps
// the words and counts the exceptions of each tile, the second, which knows how many there are in
// the tiles before, looks for them again. So no warp waits for another one.

/// Number of words of a tile.
inline constexpr std::uint32_t kExceptionTile = 1024;

template <class Step, class W, class Scales>
struct ExceptKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::byte* in;
    std::byte* out;
    std::uint64_t n;
    Scales scales;
    std::uint64_t* counts;  ///< receives the number of each tile's exceptions
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const ReadWords<W> in(args.in);
    const DeviceWords<W> out(args.out);
    const WarpInLaunch<Hardware> warp(hardware);
    constexpr std::uint32_t kAtOnce = 4;
    for (std::uint64_t tile = warp.index; tile * kExceptionTile < args.n; tile += warp.count) {
      const std::uint64_t begin = tile * kExceptionTile + warp.lane;
      std::uint32_t count = 0;
      for (std::uint32_t row = 0; row < kExceptionTile; row += kAtOnce * warp.lanes) {
        W words[kAtOnce];
        for (std::uint32_t k = 0; k < kAtOnce; ++k) {
          const std::uint64_t i = begin + row + k * warp.lanes;
          if (i < args.n) words[k] = in.load(i);
        }
        for (std::uint32_t k = 0; k < kAtOnce; ++k) {
          const std::uint64_t i = begin + row + k * warp.lanes;
          W integer = 0;
          const bool exact = i >= args.n || Step::forward(words[k], args.scales.of(i), integer);
          if (i < args.n) out.store(i, integer);
          count += words::count_bits32(hardware.ballot(!exact));
        }
      }
      if (warp.lane == 0) args.counts[tile] = count;
    }
  }
};

template <class Step, class W, class Scales>
struct TakeExceptionsKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::byte* in;
    std::uint64_t n;
    Scales scales;
    const std::uint64_t* ends;  ///< the number of exceptions up to the end of each tile
    std::uint64_t* positions;
    W* values;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const ReadWords<W> in(args.in);
    const WarpInLaunch<Hardware> warp(hardware);
    for (std::uint64_t tile = warp.index; tile * kExceptionTile < args.n; tile += warp.count) {
      std::uint64_t next = tile == 0 ? 0 : args.ends[tile - 1];
      if (next == args.ends[tile]) continue;
      for (std::uint32_t row = 0; row < kExceptionTile; row += warp.lanes) {
        const std::uint64_t i = tile * kExceptionTile + row + warp.lane;
        W word = 0, integer;
        if (i < args.n) word = in.load(i);
        const bool exception = i < args.n && !Step::forward(word, args.scales.of(i), integer);
        const std::uint32_t exceptions = hardware.ballot(exception);
        if (exception) {
          const std::uint64_t at = next + warp.before(exceptions);
          args.positions[at] = i;
          args.values[at] = word;
        }
        next += words::count_bits32(exceptions);
      }
    }
  }
};

/// Restores in place all words but the exceptions.
template <class Step, class W, class Scales>
struct FromIntegersKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    std::byte* words;
    std::uint64_t n;
    Scales scales;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const DeviceWords<W> words(args.words);
    for_each_word<W>(
        hardware, args.n,
        [&](std::uint64_t i) { return Step::backward(words.load(i), args.scales.of(i)); },
        [&](std::uint64_t i, W word) { words.store(i, word); });
  }
};

/// Puts exceptions back. A position may be anything; *fault becomes 1 if one is not below n.
template <class W>
struct PlaceKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    std::byte* words;
    std::uint64_t n;
    const std::uint64_t* positions;
    const W* values;
    std::uint64_t count;
    std::uint32_t* fault;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const DeviceWords<W> words(args.words);
    const LaneInLaunch<Hardware> lane(hardware);
    bool inside = true;
    for (std::uint64_t i = lane.index; i < args.count; i += lane.count) {
      const std::uint64_t at = args.positions[i];
      if (at < args.n) {
        words.store(at, args.values[i]);
      } else {
        inside = false;
      }
    }
    if (!inside) hardware.atomic_or(args.fault, 1);
  }
};

// Ranks. The distinct keys are collected in a hash table in device memory, open addressing with
// linear probing, sorted by the host, and found again by binary search: a word costs one read of
// the table, which is one of a cache's unless there are many distinct keys, and as many reads of
// the sorted keys as their number has bits.

struct KeyTable {
  /// A free slot. The key with the same bits is not in the table, but in `has_free`.
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  std::uint64_t* slots;
  std::uint32_t bits;    ///< there are 2^bits slots
  std::uint64_t most;    ///< keys; with more, the table is too small
  std::uint64_t probes;  ///< at most for one key; with more, the table is too small
  /// Words that are 0 at first: the number of keys, whether kFree is one, and whether the table is
  /// too small, in which case nothing else has a meaning.
  std::uint64_t *keys, *has_free, *overflow;

  /// Adds a key. Called by any lane.
  template <teams::Hardware Hardware>
  FPSYNTH_INLINE void add(Hardware hardware, std::uint64_t key) const {
    if (key == kFree) {
      if (hardware.atomic_load(has_free) == 0) hardware.atomic_max(has_free, 1);
      return;
    }
    const std::uint64_t last = words::low_mask(bits);
    std::uint64_t at = key * 0x9e3779b97f4a7c15u >> (64 - bits);
    for (std::uint64_t probe = 0; probe < probes; ++probe) {
      std::uint64_t found = hardware.atomic_load(slots + at);
      if (found == kFree) found = hardware.atomic_exchange_if(slots + at, kFree, key);
      if (found == kFree && hardware.atomic_add(keys, std::uint64_t{1}) >= most) break;
      if (found == kFree || found == key) return;
      at = (at + 1) & last;
    }
    hardware.atomic_max(overflow, 1);
  }
};

/// Frees all slots.
struct FreeSlotsKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    std::uint64_t* slots;
    std::uint64_t count;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    for_each_word<std::uint64_t>(
        hardware, args.count, [](std::uint64_t) { return KeyTable::kFree; },
        [&](std::uint64_t i, std::uint64_t word) { args.slots[i] = word; });
  }
};

template <class Step, class W>
struct CollectKeysKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::byte* in;
    std::uint64_t n;
    KeyTable table;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const ReadWords<W> in(args.in);
    const LaneInLaunch<Hardware> lane(hardware);
    for (std::uint64_t i = lane.index; i < args.n && hardware.atomic_load(args.table.overflow) == 0;
         i += lane.count) {
      args.table.add(hardware, Step::key(in.load(i)));
    }
  }
};

/// Writes the keys of a table side by side, in any order.
template <class W>
struct ListKeysKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::uint64_t* slots;
    std::uint64_t count;  ///< of slots, a multiple of 32
    std::uint64_t* next;  ///< 0 at first
    W* keys;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const WarpInLaunch<Hardware> warp(hardware);
    for (std::uint64_t begin = warp.index * warp.lanes; begin < args.count;
         begin += warp.count * warp.lanes) {
      const std::uint64_t key = args.slots[begin + warp.lane];
      const std::uint32_t keys = hardware.ballot(key != KeyTable::kFree);
      std::uint64_t at = 0;
      if (warp.lane == 0 && keys != 0) {
        at = hardware.atomic_add(args.next, std::uint64_t{words::count_bits32(keys)});
      }
      at = hardware.shuffle(at, 0) + warp.before(keys);
      if (key != KeyTable::kFree) args.keys[at] = W(key);
    }
  }
};

/// out[i] = in[i] with the number of keys that are less than its own, which is one of them.
template <class Step, class W>
struct RankKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::byte* in;
    std::byte* out;
    std::uint64_t n;
    const W* keys;  ///< ascending
    std::uint64_t count;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const ReadWords<W> in(args.in);
    const DeviceWords<W> out(args.out);
    for_each_word<W>(
        hardware, args.n, [&](std::uint64_t i) { return in.load(i); },
        [&](std::uint64_t i, W word) {
          const W key = Step::key(word);
          std::uint64_t rank = 0;
          for (std::uint64_t length = args.count; length > 1;) {
            const std::uint64_t half = length / 2;
            if (args.keys[rank + half] <= key) rank += half;
            length -= half;
          }
          out.store(i, Step::ranked(word, W(rank)));
        });
  }
};

/// Restores words in place. A rank may be anything; *fault becomes 1 if one is not below `count`.
template <class Step, class W>
struct LookUpKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    std::byte* words;
    std::uint64_t n;
    const W* keys;
    std::uint64_t count;  ///< at least 1
    std::uint32_t* fault;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const DeviceWords<W> words(args.words);
    bool inside = true;
    for_each_word<W>(
        hardware, args.n,
        [&](std::uint64_t i) {
          const W ranked = words.load(i), rank = Step::rank(ranked);
          inside = inside && rank < args.count;
          return Step::restored(Step::word(args.keys[rank < args.count ? rank : 0]), ranked);
        },
        [&](std::uint64_t i, W word) { words.store(i, word); });
    if (!inside) hardware.atomic_or(args.fault, 1);
  }
};

}  // namespace fpsynth::codec
