#pragma once

#include "components/block_counts.hpp"
#include "components/count_runs.hpp"
#include "components/family.hpp"

namespace fpsynth::components {

/// DIMn: groups the values of each of n dimensions: words 0, n, 2n, ..., then 1, n+1, ... (MPC
/// paper, IV.D). Works for any block length. After the cut it separates byte positions (V.A.1).
struct Dim : SizePreserving<Dim> {
  static constexpr std::string_view name = "DIM", suffix = "";
  static constexpr std::uint8_t wire = 3;
  static constexpr bool parametric = true, identity = false, moves_words = true;

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void forward(Team& team, const W* in, std::size_t n, W* out,
                                     auto dimensions) {
    team.template deinterleave<W>(in, n, dimensions, out);
  }
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void backward(Team& team, const W* in, std::size_t n, W* out,
                                      auto dimensions) {
    team.template interleave<W>(in, n, dimensions, out);
  }

  /// The number of zero words stays. A word is a literal in the output if it differs from the
  /// one `dimensions` words before it, which is found in the order of the input, so that only a bit
  /// per word has to be moved, or a byte of bits per word of 8 bytes. Known for as many dimensions
  /// as the team can move bits.
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static bool count_output(Team& team, const CountedBlock& in, std::size_t n,
                                          std::size_t dimensions, const Scratch& scratch,
                                          teams::BlockCounts& counts) {
    if constexpr (sizeof(W) == 4 || sizeof(W) == 2 ||
                  !requires { team.deinterleave_bits(n, dimensions, scratch); }) {
      return false;
    } else {
      if (!team.can_deinterleave_bits(n, dimensions)) return false;
      static_assert(32 * sizeof(W) <= CountedBlock::kZeros);
      counts = in.counts;
      const auto runs = count_words<W>(team, in.block, n, dimensions, scratch);
      if constexpr (sizeof(W) == 1) {
        set_runs(counts.bytes, runs);
        counts.words = counts.bytes;
      } else {
        set_runs(counts.words, runs);
        set_runs(counts.bytes, count_bytes_of_words<W>(team, in.block, n, dimensions, scratch));
      }
      return true;
    }
  }

 private:
  FPSYNTH_INLINE static void set_runs(teams::WordCounts& counts, const teams::WordCounts& runs) {
    counts.literals = runs.literals;
    counts.tokens = runs.tokens;
  }

  /// Sets bit c of the mask, for the first word of every dimension c but the first, to
  /// differs(c, the last word of the dimension before it).
  template <class Differs>
  FPSYNTH_INLINE static void join_dimensions(std::size_t n, std::size_t dimensions, Differs differs,
                                             std::uint64_t* mask, std::size_t bits_per_word) {
    for (std::size_t c = 1; c < dimensions; ++c) {
      const std::size_t bit = c * bits_per_word, last = (n - c) / dimensions * dimensions + c - 1;
      const std::uint64_t literal = differs(c, last);
      mask[bit / 64] = (mask[bit / 64] & ~(std::uint64_t{1} << bit % 64)) | literal << bit % 64;
    }
  }

  template <class W, class Team>
  FPSYNTH_INLINE static teams::WordCounts count_words(Team& team, const std::byte* block,
                                                      std::size_t n, std::size_t dimensions,
                                                      const Scratch& scratch) {
    const std::ptrdiff_t before = -std::ptrdiff_t(dimensions);
    team.template flags<W>(n, scratch.mask,
                           [=](auto i) { return i.load(block) != i.load(block, before); });
    const W* const words = reinterpret_cast<const W*>(block);
    join_dimensions(
        n, dimensions, [=](std::size_t a, std::size_t b) { return words[a] != words[b]; },
        scratch.mask, 1);
    return count_moved(team, n, scratch, team.deinterleave_bits(n, dimensions, scratch));
  }

  /// The bits of a word's bytes are a byte of the mask. All but the lowest, which belongs to the
  /// byte after another word's last, are as they are in the block.
  template <class W, class Team>
  FPSYNTH_INLINE static teams::WordCounts count_bytes_of_words(Team& team, const std::byte* block,
                                                               std::size_t n,
                                                               std::size_t dimensions,
                                                               const Scratch& scratch) {
    static_assert(sizeof(W) == 8);
    const std::size_t bytes = n * sizeof(W);
    std::uint64_t *const mask = scratch.mask, *const first = scratch.starts;
    const std::ptrdiff_t before = std::ptrdiff_t(sizeof(W) - 1 - dimensions * sizeof(W));
    team.template flags<std::uint8_t>(bytes, mask,
                                      [=](auto i) { return i.load(block) != i.load(block, -1); });
    team.template flags<std::uint8_t>(
        bytes, first, [=](auto i) { return i.load(block) != i.load(block, before); });
    team.template for_each<std::uint64_t>(0, words::words_for(bytes, 64), [=](auto i) {
      constexpr std::uint64_t kFirst = 0x0101010101010101;
      i.store(mask, (i.load(mask) & ~kFirst) | (i.load(first) & kFirst));
    });
    join_dimensions(
        n, dimensions,
        [=](std::size_t a, std::size_t b) {
          return block[a * sizeof(W)] != block[b * sizeof(W) + sizeof(W) - 1];
        },
        mask, sizeof(W));
    auto* const moved = reinterpret_cast<std::uint8_t*>(scratch.starts);
    team.template deinterleave<std::uint8_t>(reinterpret_cast<const std::uint8_t*>(mask), n,
                                             dimensions, moved);
    return count_moved(team, bytes, scratch, scratch.starts);
  }

  template <class Team>
  FPSYNTH_INLINE static teams::WordCounts count_moved(Team& team, std::size_t n,
                                                      const Scratch& scratch,
                                                      std::uint64_t* literals) {
    Scratch moved = scratch;
    moved.mask = literals;
    return count_runs(team, n, moved);
  }
};

}  // namespace fpsynth::components
