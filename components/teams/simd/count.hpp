#pragma once
// Counts a block as words and as bytes in one pass, on the simd team.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/teams/block_counts.hpp"
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
                           std::uint64_t* word_literals, std::uint64_t* gaps) {
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
    counts.bytes = runs(byte_literals, bytes, gaps);
    counts.bytes.nonzero = std::uint32_t(nonzero.second);
    if constexpr (sizeof(W) == 1) {
      counts.words = counts.bytes;
    } else {
      counts.words = runs(word_literals, bytes / sizeof(W), gaps);
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
      sums = L::sum_runs(literals, masks, memory);
      sums.second += tokens_within_runs(literals, masks, n, memory);
    }
    const std::size_t excess = ends_literal ? masks * 64 - n : 0;
    return {0, std::uint32_t(sums.first - excess), std::uint32_t(sums.second)};
  }

 private:
  static constexpr std::size_t kGroup = 64;    ///< bytes per word of byte_literals
  static constexpr std::size_t kMaskStep = 8;  ///< mask words that a level may process at a time
  static constexpr std::size_t kMostTogether = 128;  ///< most words of a token

  static std::uint64_t begins(const std::uint64_t* literals, std::size_t i) {
    return literals[i] ^ (literals[i] << 1 | literals[std::ptrdiff_t(i) - 1] >> 63);
  }

  /// The tokens, besides the first, of runs of more than 128 words. Within such a run, no run
  /// begins in at least one whole mask word, which is a bit of `gaps`. The run is the last one that
  /// begins before that gap, and ends where the first run after the gap begins.
  static std::size_t tokens_within_runs(const std::uint64_t* literals, std::size_t masks,
                                        std::size_t n, const std::uint64_t* gaps) {
    std::size_t tokens = 0, begin = 0;
    std::uint64_t open = 0;  // whether a gap has reached the end of a word of `gaps`
    for (std::size_t word = 0; word < masks; word += 64) {
      const std::uint64_t here = gaps[word / 64], before = here << 1 | open;
      std::uint64_t starts = here & ~before;
      std::uint64_t ends = before & ~here & words::low_mask(masks - word);
      const auto start = [&] {
        const std::size_t gap = word + std::size_t(__builtin_ctzll(starts));
        begin = 64 * gap - 1 - std::size_t(__builtin_clzll(begins(literals, gap - 1)));
        starts &= starts - 1;
      };
      const auto end = [&] {
        const std::size_t gap_end = word + std::size_t(__builtin_ctzll(ends));
        const auto next = 64 * gap_end + std::size_t(__builtin_ctzll(begins(literals, gap_end)));
        tokens += (next - begin - 1) / kMostTogether;
        ends &= ends - 1;
      };
      if (open && ends) end();
      while (ends) {
        start();
        end();
      }
      if (starts) start();
      open = here >> 63;
    }
    // The last gap may reach the end of the block.
    const bool last = gaps[(masks - 1) / 64] >> (masks - 1) % 64 & 1;
    return last ? tokens + (n - begin - 1) / kMostTogether : tokens;
  }
};

}  // namespace fpsynth::teams
