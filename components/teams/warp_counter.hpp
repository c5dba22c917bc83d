#pragma once
// Counts a block as words and as bytes in one pass, on one warp.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "components/teams/block_counts.hpp"
#include "components/teams/hardware.hpp"
#include "components/teams/strip.hpp"

namespace fpsynth::teams {

/// The lanes of a warp take 32 adjacent bytes each in turn. A lane makes a mask of the literals
/// among its words. Where that changes, a run starts; a token covers up to 128 words of a run, so a
/// run from `a` to the next one's start at `b` has 1 + (b - a - 1) / 128. Between two starts in the
/// same 32 bytes there are never that many: only a lane's first start may end a longer run, which
/// begins with the last start of a lane below or of the turns before.
template <Hardware H>
class WarpCounter {
 public:
  FPSYNTH_INLINE explicit WarpCounter(H hardware)
      : hardware_(hardware),
        width_(hardware.warp_lanes()),
        in_warp_(hardware.lane() % width_),
        below_((1u << in_warp_) - 1),
        swapped_(in_warp_ / 4 % 2) {}

  /// `in`: a block of n words, n > 0, of less than 4 GiB, aligned to 16 and with slack. Called by
  /// all lanes of one warp, which get the same counts.
  template <class W>
  FPSYNTH_INLINE BlockCounts count(const W* in, std::size_t n) {
    using Byte = std::uint8_t;
    const std::uint32_t bytes = std::uint32_t(n * sizeof(W)), step = kEach * width_;
    const std::uint32_t whole = bytes / step * step, mine = kEach * in_warp_;
    // The half of a lane's bytes that it loads first, and the other one.
    const auto* const block = reinterpret_cast<const std::byte*>(in) + mine;
    const std::byte *at = block + (swapped_ ? 16 : 0), *other = block + (swapped_ ? 0 : 16);
    Sums<W> words;
    Sums<Byte> singles;
    // Before the block there are words, and bytes, other than its first one.
    Part last;
    last.word[6] = last.word[7] = Quad(Byte(~*reinterpret_cast<const Byte*>(in))).bytes;
    std::uint32_t here = mine;
    for (; here < whole + mine; here += step, at += step, other += step) {
      add(load(at, other), here, kEach, last, words, singles);
    }
    if (whole < bytes) {
      const std::uint32_t behind = here < bytes ? bytes - here : 0;
      const std::uint32_t left = behind < kEach ? behind : kEach;
      add(left > 0 ? load(at, other) : Part(), here, left, last, words, singles);
    }
    BlockCounts counts;
    counts.bytes = totals(singles, bytes);
    counts.words = counts.bytes;
    if constexpr (sizeof(W) > 1) counts.words = totals(words, std::uint32_t(n));
    return counts;
  }

 private:
  static constexpr std::uint32_t kEach = 32;           ///< bytes of a lane in a turn
  static constexpr std::uint32_t kMostTogether = 128;  ///< most words of a token

  /// A lane's bytes of a turn.
  struct Part {
    std::uint32_t word[8] = {};
  };
  /// Of words of type W.
  template <class W>
  struct Sums {
    std::uint32_t nonzero = 0, literals = 0, starts = 0;  ///< of this lane
    std::uint32_t within = 0;           ///< tokens besides the first of a run, of this lane
    std::uint32_t last = ~0u;           ///< the last start of all turns; -1: none
    std::uint32_t literals_before = 0;  ///< of the last lane, in lane 0
  };

  /// Lanes 4 to 7 of every 8 load their second half first, because 8 lanes load from different
  /// banks if they load adjacent vectors.
  FPSYNTH_INLINE Part load(const std::byte* at, const std::byte* other) const {
    const Strip a = StripItem{0}.load(at), b = StripItem{0}.load(other);
    Part part;
    for (std::uint32_t k = 0; k < 4; ++k) {
      part.word[k] = swapped_ ? b.part[k].bytes : a.part[k].bytes;
      part.word[4 + k] = swapped_ ? a.part[k].bytes : b.part[k].bytes;
    }
    return part;
  }
  /// The value of the lane below. Lane 0 gets `before`, which becomes the value of the last lane.
  FPSYNTH_INLINE std::uint32_t from_below(std::uint32_t value, std::uint32_t& before) {
    const std::uint32_t below = hardware_.shuffle(value, (in_warp_ + width_ - 1) % width_);
    const std::uint32_t result = in_warp_ == 0 ? before : below;
    before = below;
    return result;
  }

  /// `here`: the number of the lane's first byte; `left`: how many of its bytes belong to the
  /// block, the others may be anything.
  template <class W>
  FPSYNTH_INLINE void add(Part part, std::uint32_t here, std::uint32_t left, Part& last,
                          Sums<W>& words, Sums<std::uint8_t>& bytes) {
    if (left < kEach) {
      for (std::uint32_t k = 0; k < 8; ++k) {
        part.word[k] &= left > 4 * k ? std::uint32_t(words::low_mask(8 * (left - 4 * k))) : 0;
      }
    }
    Part before;
    before.word[7] = from_below(part.word[7], last.word[7]);
    if constexpr (sizeof(W) == 8) before.word[6] = from_below(part.word[6], last.word[6]);
    if constexpr (sizeof(W) > 1) {
      std::uint32_t literals = 0;
      words.nonzero += words_of<W>(part, before, literals);
      add_literals(literals, here / std::uint32_t(sizeof(W)), left, words);
    }
    std::uint32_t literals = 0;
    bytes.nonzero = bytes_of(part, before.word[7], literals, bytes.nonzero);
    add_literals(literals, here, left, bytes);
  }
  /// Adds 128 for every byte that is not zero. Sets bit i of `literals` if byte i is one.
  FPSYNTH_INLINE static std::uint32_t bytes_of(const Part& part, std::uint32_t before,
                                               std::uint32_t& literals, std::uint32_t sum) {
    for (std::uint32_t k = 0; k < 8; k += 2) {
      // The flags, which are 0x80, weighted with the bits' values.
      std::uint32_t eight = 0;
      for (std::uint32_t j = k; j < k + 2; ++j) {
        const std::uint32_t four = part.word[j];
        sum = words::dot_bytes((Quad{four} != Quad{0u}).flags, 0x01010101, sum);
        const Quad shifted{words::funnel_right(before, four, 24)};
        eight = words::dot_bytes((Quad{four} != shifted).flags, j == k ? 0x08040201 : 0x80402010,
                                 eight);
        before = four;
      }
      literals = k == 0 ? eight >> 7 : literals + (eight << (4 * k - 7));
    }
    return sum;
  }
  /// The number of words that are not zero. Sets bit i of `literals` if word i is one.
  template <class W>
  FPSYNTH_INLINE static std::uint32_t words_of(const Part& part, const Part& before,
                                               std::uint32_t& literals) {
    constexpr std::uint32_t kParts = sizeof(W) / 4;
    std::uint32_t nonzero = 0;
    for (std::uint32_t i = 0; i < 8; i += kParts) {
      std::uint32_t any = 0, difference = 0;
      for (std::uint32_t k = i; k < i + kParts; ++k) {
        any |= part.word[k];
        difference |= part.word[k] ^ (i == 0 ? before.word[8 - kParts + k] : part.word[k - kParts]);
      }
      nonzero += any != 0;
      literals |= std::uint32_t(difference != 0) << i / kParts;
    }
    return nonzero;
  }
  /// Adds the literals, and the runs that start, among a lane's words, of which `here` is the
  /// first.
  template <class W>
  FPSYNTH_INLINE void add_literals(std::uint32_t literals, std::uint32_t here, std::uint32_t left,
                                   Sums<W>& sums) {
    constexpr std::uint32_t kWords = kEach / sizeof(W);
    // The bit before a lane's first one is the last bit of the lane below.
    const std::uint32_t before = from_below(literals, sums.literals_before) >> (kWords - 1);
    std::uint32_t starts = literals ^ (literals << 1 | before);
    const std::uint32_t valid = std::uint32_t(words::low_mask(left / sizeof(W)));
    if (kWords < 32 || left < kEach) {
      literals &= valid;
      starts &= valid;
    }
    sums.literals += words::count_bits32(literals);
    sums.starts += words::count_bits32(starts);

    const std::uint32_t with = hardware_.ballot(starts != 0), below = with & below_;
    const std::uint32_t mine = here + words::highest_bit32(starts);
    const std::uint32_t latest = hardware_.shuffle(mine, words::highest_bit32(below) % width_);
    const std::uint32_t begin = below ? latest : sums.last;
    const std::uint32_t tokens = (here - 1 - begin + words::lowest_bit32(starts)) / kMostTogether;
    sums.within += starts ? tokens : 0;
    const std::uint32_t last = hardware_.shuffle(mine, words::highest_bit32(with) % width_);
    sums.last = with ? last : sums.last;
  }
  template <class W>
  FPSYNTH_INLINE WordCounts totals(const Sums<W>& sums, std::uint32_t n) {
    const std::uint32_t nonzero = sizeof(W) == 1 ? sums.nonzero / 0x80 : sums.nonzero;
    const std::uint32_t tokens = hardware_.reduce(words::Plus{}, sums.starts + sums.within);
    return {hardware_.reduce(words::Plus{}, nonzero),
            hardware_.reduce(words::Plus{}, sums.literals),
            tokens + (n - 1 - sums.last) / kMostTogether};
  }

  H hardware_;
  std::uint32_t width_, in_warp_, below_;
  bool swapped_;
};

}  // namespace fpsynth::teams
