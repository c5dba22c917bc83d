#pragma once
// The common part of the components that write a bitmap of the words that they keep, then these
// words.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "components/family.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components {

/// Keeps the words other than 0.
struct NonzeroWords {
  /// Sets the bits of the words that are kept, in a mask of n bits.
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void flags(Team& team, const W* in, std::size_t n, std::uint64_t* mask) {
    team.template flags<W>(n, mask, [=](auto i) { return i.load(in) != W{0}; });
  }
  /// Restores the n words of which `count` are kept. False if the mask keeps another number.
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static bool restore(Team& team, std::size_t n, const std::uint64_t* mask,
                                     const W* kept, std::size_t count, W* out) {
    return team.template expand<W>(n, mask, kept, count, out);
  }
};

/// Keeps the words that differ from the word before them, and the first one.
struct ChangedWords {
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void flags(Team& team, const W* in, std::size_t n, std::uint64_t* mask) {
    team.template flags<W>(n, mask, [=](auto i) { return i.load(in) != i.load(in, -1); });
    team.single([=] { mask[0] |= 1; });
    team.barrier();
  }
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static bool restore(Team& team, std::size_t n, const std::uint64_t* mask,
                                     const W* kept, std::size_t count, W* out) {
    team.barrier();  // the mask may just have been written
    if (!(mask[0] & 1)) return false;
    return team.template expand_last<W>(n, mask, kept, count, out);
  }
};

/// A bitmap in words of the block's size: bit i mod w (lowest first) of word i div w is that of
/// word i; bits past the block are 0.
struct PlainBitmap {
  /// Its length in words, for a block of n words.
  template <class W>
  static constexpr std::size_t bound(std::size_t n) {
    return words::words_for(n, words::kBits<W>);
  }
  /// Writes the bitmap in scratch.mask to `out`; returns its length in words.
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static std::size_t write(Team& team, std::size_t n, W* out,
                                          const Scratch& scratch) {
    // In little-endian order, a mask of 64-bit words has the same bytes as a bitmap of words of any
    // size.
    std::uint64_t* const mask = scratch.mask;
    team.template for_each<W>(0, bound<W>(n), [=](auto i) { i.store(out, i.load(mask)); });
    return bound<W>(n);
  }
  /// Reads the bitmap at the start of the `available` words at `in` to scratch.mask; the caller
  /// must call a collective next, which has the barrier. Returns its length in words, or 0 if it is
  /// not one of n > 0 words.
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static std::size_t read(Team& team, const W* in, std::size_t available,
                                         std::size_t n, const Scratch& scratch) {
    const std::size_t bitmap = bound<W>(n);
    if (available < bitmap) return 0;
    // The mask's last word may reach past the bitmap, and the bitmap's last word has bits past the
    // block, which must be 0.
    const std::size_t last = words::words_for(n, 64) - 1;
    std::uint64_t end;
    std::memcpy(&end, reinterpret_cast<const std::byte*>(in) + 8 * last, sizeof(end));
    end &= words::low_mask(bitmap * words::kBits<W> - 64 * last);
    if (end & ~words::low_mask(n - 64 * last)) return 0;
    std::uint64_t* const mask = scratch.mask;
    team.template for_each<W>(0, last * 64 / words::kBits<W>,
                              [=](auto i) { i.store(mask, i.load(in)); });
    team.single([=] { mask[last] = end; });
    return bitmap;
  }
};

/// The family `Self`: a Bitmap of the words that Kept keeps, then those words, in order.
template <class Self, class Kept, class Bitmap>
struct BitmapReducer : Reducer<Self> {
  static constexpr std::string_view suffix = "";
  static constexpr bool parametric = false, identity = false;
  static constexpr std::uint8_t frame_fields = 1;

  template <class W>
  static constexpr std::size_t bound(std::size_t n) {
    return n + Bitmap::template bound<W>(n);
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static Extent encode(Team& team, const W* in, std::size_t n, W* out, auto,
                                      const Scratch& scratch) {
    Kept::template flags<W>(team, in, n, scratch.mask);
    const std::size_t bitmap = Bitmap::template write<W>(team, n, out, scratch);
    const std::size_t kept =
        team.template compact<W>(n, scratch.mask, out + bitmap, [=](auto i) { return i.load(in); });
    return {std::uint32_t(bitmap + kept), 0};
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static bool decode(Team& team, const W* in, Extent extent, W* out, std::size_t n,
                                    auto, const Scratch& scratch) {
    const std::size_t bitmap = Bitmap::template read<W>(team, in, extent.words, n, scratch);
    if (bitmap == 0) return false;
    return Kept::template restore<W>(team, n, scratch.mask, in + bitmap, extent.words - bitmap,
                                     out);
  }
};

}  // namespace fpsynth::components
