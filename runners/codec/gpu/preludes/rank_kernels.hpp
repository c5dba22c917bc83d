#pragma once
// Kernels of the steps of preludes that have ranks: DICT.
//
// The distinct keys are collected in a hash table in device memory, open addressing with
// linear probing, sorted by the host, and found again by binary search: a word costs one read of
// the table, which is one of a cache's unless there are many distinct keys, and as many reads of
// the sorted keys as their number has bits.

#include <cstddef>
#include <cstdint>

#include "components/teams/hardware.hpp"
#include "components/words/bits.hpp"
#include "runners/codec/gpu/preludes/prelude_kernels.hpp"

namespace fpsynth::codec {

struct KeyTable {
  /// A free slot. The key with the same bits is not in the table, but in `has_free`.
  static constexpr std::uint64_t kFree = 0;

  std::uint64_t* slots;  ///< kFree at first
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

/// A word with the number of keys that are less than its own, which is one of them.
template <class Step, class W>
struct RankMap {
  const W* keys;  ///< ascending
  std::uint64_t count;

  FPSYNTH_INLINE W operator()(W word) const {
    const W key = Step::key(word);
    std::uint64_t rank = 0;
    for (std::uint64_t length = count; length > 1;) {
      const std::uint64_t half = length / 2;
      if (keys[rank + half] <= key) rank += half;
      length -= half;
    }
    return W(rank);
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
          const W rank = words.load(i);
          inside = inside && rank < args.count;
          return Step::word(args.keys[rank < args.count ? rank : 0]);
        },
        [&](std::uint64_t i, W word) { words.store(i, word); });
    if (!inside) hardware.atomic_or(args.fault, 1);
  }
};

}  // namespace fpsynth::codec
