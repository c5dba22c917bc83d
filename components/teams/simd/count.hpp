#pragma once
// Counts a block as words and as bytes in one pass, on the simd team.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/block_counts.hpp"
#include "components/teams/item.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// One pass over the block sets a bit for every word, and for every byte, that differs from its
/// predecessor, and counts those that are not zero. Everything else follows from these bits. L is
/// the level.
///
///     words      a a a b c c        literal bits  1 0 0 1 1 0
///     runs begin where the literal bit changes    1 1 0 1 0 1
///     a token covers up to 128 words of a run, so a run of k words needs 1 + (k - 1) / 128
template <class L>
struct BlockCounter {
  /// `bytes` > 0, a multiple of sizeof(W); 64 bytes before and after the block may be read. Each of
  /// the masks holds a bit per byte of the block, and has a zero word before it and 8 words of
  /// slack after it.
  template <class W>
  static BlockCounts count(const std::byte* in, std::size_t bytes, std::uint64_t* byte_literals,
                           std::uint64_t* word_literals, std::uint64_t* memory) {
    BlockCounts counts;
    Counts nonzero{};  // words, bytes
    const std::size_t whole = bytes / kGroup, rest = bytes % kGroup;
    L::template literals<W>(in, whole, byte_literals, word_literals, nonzero);
    if (rest) {
      // The last group, followed by zeros, which are not counted, and preceded by a word.
      alignas(64) std::byte group[3 * kGroup] = {};
      std::memcpy(group + kGroup - sizeof(W), in + bytes - rest - sizeof(W), sizeof(W) + rest);
      std::uint64_t byte_bits = 0, word_bits = 0;
      L::template literals<W>(group + kGroup, 1, &byte_bits, &word_bits, nonzero);
      byte_literals[whole] = byte_bits;
      std::memcpy(reinterpret_cast<std::byte*>(word_literals) + whole * (8 / sizeof(W)), &word_bits,
                  8 / sizeof(W));
    }
    counts.bytes = runs(byte_literals, bytes, memory);
    counts.bytes.nonzero = std::uint32_t(nonzero.second);
    if constexpr (sizeof(W) == 1) {
      counts.words = counts.bytes;
    } else {
      counts.words = runs(word_literals, bytes / sizeof(W), memory);
      counts.words.nonzero = std::uint32_t(nonzero.first);
    }
    return counts;
  }

  /// Literals and tokens of n words, n > 0, from their literal bits.
  static WordCounts runs(std::uint64_t* literals, std::size_t n, std::uint64_t* memory) {
    literals[0] |= 1;
    // The last run continues after the block, so that no run begins there.
    const std::size_t last = (n - 1) / 64, in_last = (n - 1) % 64 + 1;
    const std::uint64_t after = ~words::low_mask(in_last);
    const bool ends_literal = literals[last] >> (in_last - 1) & 1;
    literals[last] = ends_literal ? literals[last] | after : literals[last] & ~after;
    const std::size_t masks = (last + kMaskStep) / kMaskStep * kMaskStep;
    for (std::size_t i = last + 1; i < masks; ++i) literals[i] = std::uint64_t{0} - ends_literal;

    Counts sums;  // literals, tokens
    if constexpr (requires { L::sum_tokens(literals, masks, n, memory); }) {
      sums = L::sum_tokens(literals, masks, n, memory);
    } else {
      sums = sum_tokens(literals, masks, n, memory);
    }
    const std::size_t excess = ends_literal ? masks * 64 - n : 0;
    return {0, std::uint32_t(sums.first - excess), std::uint32_t(sums.second)};
  }

 private:
  static constexpr std::size_t kGroup = 64;    ///< bytes per word of byte_literals
  static constexpr std::size_t kMaskStep = 8;  ///< mask words that a level may process at a time
  static constexpr std::size_t kMostTogether = 128;  ///< most words of a token

  /// The numbers of literals and of tokens of n words.
  ///
  /// A mask word in which no run begins is a gap. Only a run with gaps can need several tokens. If
  /// it begins at bit p of the mask word before its gaps, and the next run at bit q of the one
  /// after them, it has 64 * gaps + 63 - p + q words after its first. For these it needs gaps / 2
  /// more tokens, rounded up if q > p and down otherwise.
  static Counts sum_tokens(const std::uint64_t* literals, std::size_t masks, std::size_t n,
                           std::uint64_t* begins) {
    Counts sums{};
    std::size_t gap = 0;  // the first of the gaps that have not ended
    bool open = false;    // whether there are any
    for (std::size_t first = 0; first < masks; first += 64) {
      const std::size_t count = masks - first < 64 ? masks - first : 64;
      const std::uint64_t gaps = L::sum_runs(literals + first, count, begins + first, sums);
      const std::uint64_t before = gaps << 1 | std::uint64_t{open};
      std::uint64_t starts = gaps & ~before, ends = before & ~gaps & words::low_mask(count);
      const auto next_gap = [&] {
        gap = first + std::size_t(std::countr_zero(starts));
        starts &= starts - 1;
      };
      if (!open) next_gap();
      for (; ends != 0; ends &= ends - 1) {
        const std::size_t end = first + std::size_t(std::countr_zero(ends));
        const std::uint64_t lowest = begins[end] & (~begins[end] + 1);
        sums.second += (end - gap + std::size_t{begins[gap - 1] < lowest}) / 2;
        next_gap();
      }
      open = gaps >> (count - 1) & 1;
    }
    if (open) {  // the last run, which has no next one
      const std::size_t begin = 64 * (gap - 1) + words::highest_bit(begins[gap - 1]);
      sums.second += (n - begin - 1) / kMostTogether;
    }
    return sums;
  }
};

}  // namespace fpsynth::teams
