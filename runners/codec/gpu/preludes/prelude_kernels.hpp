#pragma once
// Kernels of the steps of preludes that have exceptions (DEC, RAT), and those that check side data.

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

}  // namespace fpsynth::codec
