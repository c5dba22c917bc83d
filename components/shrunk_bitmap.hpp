#pragma once
// A bitmap, seen as bytes, without the bytes that repeat the one before them.

#include <cstddef>
#include <cstdint>

#include "components/bitmap_reducer.hpp"
#include "components/family.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components {

/// Levels of bitmaps of bytes. Level 0 has a bit for every word of a block, bit i mod 8 (lowest
/// first) of byte i div 8 for word i. Level k + 1 has such a bit for every byte of level k: whether
/// it differs from the byte before it, which for the first one is 0. Bits past the end are 0. There
/// is a next level while a level has kLeast bytes or more, and there are at most kMostLevels after
/// level 0. For the bits of ten words  1 1 1 1 1 1 1 1 1 1  and kLeast = 2:
///
///     level 0   ff 03        written are level 1 and, of level 0, the bytes whose bit is set:
///     level 1   03                03 ff 03
///
/// The last level is written whole. Then each level before it, down to level 0, writes its bytes
/// that differ. Zeros follow up to a whole word.
struct ShrunkBitmap {
  /// With 2 or 4, sizes are the same within 0.1 % (more levels for small bitmaps), with 32 they are
  /// 4 % longer where nearly all words are 0 (a simulation's exclusive or with its last period).
  static constexpr std::size_t kLeast = 8;
  static constexpr std::size_t kMostLevels = 3;

  /// The most words that it takes for a block of n words.
  template <class W>
  static constexpr std::size_t bound(std::size_t n) {
    const Levels levels(n);
    std::size_t bytes = levels.bytes(levels.last);
    for (std::size_t k = 0; k < levels.last; ++k) bytes += levels.bytes(k);
    return words::words_for(bytes, sizeof(W));
  }

  /// Writes the bitmap whose level 0 is scratch.mask to `out`; returns its length in words.
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static std::size_t write(Team& team, std::size_t n, W* out,
                                          const Scratch& scratch) {
    const Levels levels(n);
    for (std::size_t k = 0; k < levels.last; ++k) {
      const std::uint64_t* const bitmap = level(scratch, k);
      team.template flags<Byte>(levels.bytes(k), level(scratch, k + 1),
                                [=](auto i) { return i.load(bitmap) != i.load(bitmap, -1); });
    }
    Byte* const bytes = reinterpret_cast<Byte*>(out);
    const std::uint64_t* const last = level(scratch, levels.last);
    std::size_t end = levels.bytes(levels.last);
    team.template for_each<Byte>(0, end, [=](auto i) { i.store(bytes, i.load(last)); });
    for (std::size_t k = levels.last; k-- > 0;) {
      const std::uint64_t* const bitmap = level(scratch, k);
      end += team.template compact<Byte>(levels.bytes(k), level(scratch, k + 1), bytes + end,
                                         [=](auto i) { return i.load(bitmap); });
    }
    const std::size_t whole = words::words_for(end, sizeof(W));
    team.template for_each<Byte>(end, whole * sizeof(W), [=](auto i) { i.store(bytes, Byte{0}); });
    return whole;
  }

  /// The words that write() would return. Leaves scratch.bytes alone.
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static std::size_t measure(Team& team, std::size_t n, const Scratch& scratch) {
    const Levels levels(n);
    std::size_t bytes = levels.bytes(levels.last);
    for (std::size_t k = 0; k < levels.last; ++k) {
      const std::uint64_t* const bitmap = level(scratch, k);
      const auto differs = [=](auto i) { return i.load(bitmap) != i.load(bitmap, -1); };
      if (k + 1 < levels.last) {
        team.template flags<Byte>(levels.bytes(k), level(scratch, k + 1), differs);
        bytes += team.count_bits(level(scratch, k + 1), levels.bytes(k));
      } else {
        bytes += team.template count_if<Byte>(levels.bytes(k), differs);
      }
    }
    return words::words_for(bytes, sizeof(W));
  }

  /// Reads the bitmap at the start of the `available` words at `in` to scratch.mask, in which bits
  /// past the n-th are unspecified. Returns its length in words, or 0 if it is not one of n > 0
  /// words.
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static std::size_t read(Team& team, const W* in, std::size_t available,
                                         std::size_t n, const Scratch& scratch) {
    const Levels levels(n);
    const Byte* const bytes = reinterpret_cast<const Byte*>(in);
    const std::size_t most = available * sizeof(W);
    std::size_t end = levels.bytes(levels.last);
    if (end > most || has_padding(bytes[end - 1], levels.items(levels.last))) return 0;
    // Levels are in two memories in turn, level 0 in scratch.mask.
    std::uint64_t* const last = levels.last % 2 ? scratch.starts : scratch.mask;
    team.template for_each<Byte>(0, end, [=](auto i) { i.store(last, i.load(bytes)); });
    // The byte before the values is the 0 before the first one: scratch.runs[-1].
    Byte* const values = reinterpret_cast<Byte*>(scratch.runs);
    for (std::size_t k = levels.last; k-- > 0;) {
      const std::uint64_t* const above = k % 2 ? scratch.mask : scratch.starts;
      std::uint64_t* const bitmap = k % 2 ? scratch.starts : scratch.mask;
      const std::size_t differing = team.count_bits(above, levels.bytes(k));
      if (differing > most - end) return 0;
      const std::ptrdiff_t begin = std::ptrdiff_t(end);
      team.template for_each<Byte>(0, differing,
                                   [=](auto i) { i.store(values, i.load(bytes, begin)); });
      team.template expand_last<Byte>(levels.bytes(k), above, values, differing,
                                      reinterpret_cast<Byte*>(bitmap));
      end += differing;
      const Byte* const restored = reinterpret_cast<const Byte*>(bitmap);
      if (has_padding(restored[levels.bytes(k) - 1], levels.items(k))) return 0;
    }
    const std::size_t whole = words::words_for(end, sizeof(W));
    for (; end < whole * sizeof(W); ++end) {
      if (bytes[end] != 0) return 0;
    }
    return whole;
  }

 private:
  using Byte = std::uint8_t;

  /// The bytes of each level of a block of n words.
  struct Levels {
    FPSYNTH_INLINE constexpr explicit Levels(std::size_t words) : n(words) {
      while (last < kMostLevels && bytes(last) >= kLeast) ++last;
    }
    /// Computed, because a GPU would keep a table of them in local memory. (Rounding up an eighth
    /// again and again is rounding up once.)
    FPSYNTH_INLINE constexpr std::size_t bytes(std::size_t k) const {
      return words::words_for(n, std::size_t{8} << 3 * k);
    }
    /// The number of bits of level k that have a meaning.
    FPSYNTH_INLINE constexpr std::size_t items(std::size_t k) const {
      return k == 0 ? n : bytes(k - 1);
    }
    std::size_t n, last = 0;
  };

  /// The place of level k while the bitmap is written. A zero is before every level but the last.
  FPSYNTH_INLINE static std::uint64_t* level(const Scratch& scratch, std::size_t k) {
    return k == 0   ? scratch.mask
           : k == 1 ? scratch.starts
           : k == 2 ? scratch.runs
                    : reinterpret_cast<std::uint64_t*>(scratch.bytes);
  }
  /// True if the last byte of a bitmap has a bit past its `items` items.
  FPSYNTH_INLINE static bool has_padding(Byte last, std::size_t items) {
    return items % 8 != 0 && last >> items % 8 != 0;
  }
};

/// A BitmapReducer whose bitmap is shrunk. Its length does not follow from a block's counts.
template <class Self, class Kept>
struct ShrunkBitmapReducer : BitmapReducer<Self, Kept, ShrunkBitmap> {
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static Extent measure(Team& team, const W* in, std::size_t n, auto,
                                       const Scratch& scratch) {
    Kept::template flags<W>(team, in, n, scratch.mask);
    const std::size_t bitmap = ShrunkBitmap::measure<W>(team, n, scratch);
    return {std::uint32_t(bitmap + team.count_bits(scratch.mask, n)), 0};
  }
};

}  // namespace fpsynth::components
