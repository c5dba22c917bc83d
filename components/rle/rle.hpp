#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "components/block_counts.hpp"
#include "components/count_runs.hpp"
#include "components/family.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components {

/// RLE: the literal words, then token bytes packed into words (MPC paper, IV.D). A block is
/// alternating runs of literals (words that differ from their predecessor) and repeats; a token
/// covers up to 128 words of a run: length - 1, and 0x80 for repeats.
///
/// Everything is done on bit masks with one bit per word. For the block  a a a b c c :
///
///     literals  1 0 0 1 1 0      1 if a word differs from its predecessor
///     starts    1 1 0 1 0 1      1 if a token starts at a word: literals ^ (literals << 1),
///                                and after every 128 words of a longer run
///     values    a b c            the words at set bits of `literals`
///     tokens    00 81 01 80      the distances between set bits of `starts`
struct Rle : Reducer<Rle> {
  static constexpr std::string_view name = "RLE", suffix = "";
  static constexpr std::uint8_t wire = 7;
  static constexpr bool parametric = false, identity = false;
  static constexpr bool heeds_room = true;
  static constexpr std::uint8_t frame_fields = 2;
  static constexpr std::uint8_t kRepeat = 0x80;
  static constexpr std::uint64_t kLongest = kLongestToken;

  template <class W>
  static constexpr std::size_t bound(std::size_t n) {
    return n + (n + 1) / 2;
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void count(Team& team, const W* in, std::size_t n, const Scratch& scratch,
                                   teams::WordCounts& counts) {
    team.template flags<W>(n, scratch.mask, [=](auto i) { return i.load(in) != i.load(in, -1); });
    const teams::WordCounts runs = count_runs(team, n, scratch);
    counts.literals = runs.literals;
    counts.tokens = runs.tokens;
  }
  template <class W>
  FPSYNTH_INLINE static Extent measured(const teams::WordCounts& counts, std::size_t) {
    return extent<W>(counts.literals, counts.tokens);
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static Extent encode(Team& team, const W* in, std::size_t n, W* out, auto,
                                      const Scratch& scratch) {
    std::uint64_t* const literals = scratch.mask;
    using Byte = std::uint8_t;
    std::size_t tokens = 0;
    if constexpr (Team::kInOrder) {
      find_literals<W>(team, in, n, literals);
    } else {
      find_runs<W>(team, in, n, scratch);
      // Before the output is written, where scratch.starts may be.
      tokens = begins_by_masks(team, n, scratch);
    }
    const std::size_t values =
        team.template compact<W>(n, literals, out, [=](auto i) { return i.load(in); });
    Byte* const bytes = reinterpret_cast<Byte*>(out + values);
    if constexpr (Team::kInOrder) tokens = tokens_in_order(team, n, scratch, bytes);
    const Extent result = extent<W>(values, tokens);
    if constexpr (!Team::kInOrder) {
      if (result.words * sizeof(W) > scratch.room) return result;
      tokens_of_begins(team, tokens, scratch.bytes, bytes);
    }
    team.template for_each<Byte>(tokens, (result.words - values) * sizeof(W),
                                 [=](auto i) { i.store(bytes, Byte{0}); });
    return result;
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static bool decode(Team& team, const W* in, Extent extent, W* out, std::size_t n,
                                    auto, const Scratch& scratch) {
    if (extent.values > extent.words || extent.values > n) return false;
    if constexpr (Team::kInOrder) {
      return decode_in_order<W>(team, in, extent, out, n);
    } else {
      return decode_by_masks<W>(team, in, extent, out, n, scratch);
    }
  }

 private:
  /// For teams of many lanes, after find_runs(): writes where the tokens begin, and their kinds, to
  /// scratch.bytes; returns their number.
  template <teams::Team Team>
  FPSYNTH_INLINE static std::size_t begins_by_masks(Team& team, std::size_t n,
                                                    const Scratch& scratch) {
    using words::top_unless;
    using Byte = std::uint8_t;
    const std::uint64_t* const literals = scratch.mask;
    Byte* const begins = scratch.bytes;
    // A token's length is the distance to the next token. It is at most 128, so positions modulo
    // 128 suffice, which leaves the top bit of a byte for the kind.
    const std::size_t count = team.template compact<Byte>(n, scratch.starts, begins, [=](auto i) {
      return (i.index() & Byte(kLongest - 1)) | top_unless(i.bit(literals));
    });
    team.single([=] { begins[count] = Byte(n % kLongest); });
    return count;
  }
  /// Then, after a barrier, the tokens.
  template <teams::Team Team>
  FPSYNTH_INLINE static void tokens_of_begins(Team& team, std::size_t count,
                                              const std::uint8_t* begins, std::uint8_t* tokens) {
    using Byte = std::uint8_t;
    team.template for_each<Byte>(0, count, [=](auto i) {
      const auto begin = i.load(begins), end = i.load(begins, 1);
      i.store(tokens, ((end - begin - Byte(1)) & Byte(kLongest - 1)) | (begin & kRepeat));
    });
  }

  /// For teams that process a block in ascending order, after find_literals(): the distances
  /// between the starts of runs, whose kinds alternate. Only distances over 128 need more than one
  /// token.
  template <teams::Team Team>
  static std::size_t tokens_in_order(Team& team, std::size_t n, const Scratch& scratch,
                                     std::uint8_t* tokens) {
    using Mask = std::uint64_t;
    constexpr std::size_t kMasks = 64;
    constexpr std::uint64_t kTurn = kRepeat * 0x0101010101010101u;
    const Mask* const literals = scratch.mask;
    Mask *const starts = scratch.starts, *const some = scratch.runs;
    const std::size_t masks = words::words_for(n, 64);
    // Bit i of `some`: whether a run starts in mask word i.
    team.template flags<Mask>(masks, some, [=](auto i) {
      const auto literal = i.load(literals);
      const auto start = literal ^ (literal << 1 | i.load(literals, -1) >> 63);
      i.store(starts, start);
      return start != Mask{0};
    });
    starts[0] &= ~Mask{1};  // the first run
    starts[masks - 1] &= words::low_mask(n - 64 * (masks - 1));

    const std::uint8_t* const first = tokens;
    std::uint16_t found[64 * kMasks + 128];                    // the starts among kMasks mask words
    std::size_t begin = 0;                                     // of the last run
    std::uint64_t token = (kLongest - 1) * (kTurn / kRepeat);  // its longest token, eight times
    for (std::size_t m = 0; m < masks; m += kMasks) {
      std::size_t count = 0;
      for (Mask rest = some[m / kMasks]; rest != 0; rest &= rest - 1) {
        const std::size_t i = std::size_t(__builtin_ctzll(rest));
        count += team.positions(starts[m + i], std::uint16_t(64 * i), found + count);
      }
      if (count == 0) continue;
      tokens = put_run(team, 64 * m + found[0] - begin, token, tokens);
      token ^= kTurn;
      for (std::size_t k = 1; k < count;) {
        if (k + 8 <= count) {
          if (std::uint8_t* const put = team.put_distances(found + k, token, kRepeat, tokens)) {
            tokens = put;
            k += 8;
            continue;
          }
        }
        for (const std::size_t stop = k + 8 < count ? k + 8 : count; k < stop; ++k) {
          tokens = put_run(team, std::size_t(found[k] - found[k - 1]), token, tokens);
          token ^= kTurn;
        }
      }
      begin = 64 * m + found[count - 1];
    }
    return std::size_t(put_run(team, n - begin, token, tokens) - first);
  }
  /// The tokens of a run; `token` is its longest token, eight times. Returns where they end; up to
  /// a pack after them is overwritten.
  template <teams::Team Team>
  FPSYNTH_INLINE static std::uint8_t* put_run(Team& team, std::size_t length, std::uint64_t token,
                                              std::uint8_t* tokens) {
    const std::size_t whole = (length - 1) / kLongest;
    std::memcpy(tokens, &token, 8);
    if (whole > 8) team.template fill<std::uint8_t>(std::uint8_t(token), whole, tokens);
    tokens[whole] = std::uint8_t(((length - 1) & (kLongest - 1)) | (token & kRepeat));
    return tokens + whole + 1;
  }

  /// For teams of many lanes.
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static bool decode_by_masks(Team& team, const W* in, Extent extent, W* out,
                                             std::size_t n, const Scratch& scratch) {
    const std::uint8_t* const tokens = reinterpret_cast<const std::uint8_t*>(in + extent.values);
    const std::size_t available = (extent.words - extent.values) * sizeof(W);
    std::uint64_t* const literals = scratch.mask;
    const std::size_t masks = words::words_for(n, 64);
    if (available == 0 || tokens[0] & kRepeat) return false;

    // Mark the words where the kind of run changes; the running parity of the marks is the literal
    // mask.
    team.template for_each<std::uint64_t>(0, masks,
                                          [=](auto i) { i.store(literals, std::uint64_t{0}); });
    struct Token {
      std::uint32_t length, changes;  ///< changes: 1 if its kind is not that of the one before it
      FPSYNTH_INLINE explicit operator std::size_t() const { return length; }
    };
    const bool complete = team.lay(
        available, n,
        [=](std::size_t k) {
          const std::uint32_t token = tokens[k], before = k ? tokens[k - 1] : kRepeat;
          return Token{(token & std::uint32_t(kLongest - 1)) + 1, (token ^ before) >> 7};
        },
        [=, &team](std::size_t, std::size_t begin, Token token) {
          team.flip(literals, begin, token.changes);
        });
    if (!complete) return false;
    running_parity(team, literals, masks, scratch.runs);
    team.single([=] { literals[masks - 1] &= words::low_mask(n - 64 * (masks - 1)); });
    return team.template expand_last<W>(n, literals, in, extent.values, out);
  }

  template <class W>
  FPSYNTH_INLINE static Extent extent(std::size_t values, std::size_t tokens) {
    return {std::uint32_t(values + words::words_for(tokens, sizeof(W))), std::uint32_t(values)};
  }

  /// The tuned body for teams that process a block in ascending order with wide stores. It writes
  /// run after run in whole packs; the next run overwrites the excess. Far from the ends of the
  /// values and the block, it writes a fixed number of words, so that the processor need not
  /// predict lengths.
  template <class W, teams::Team Team>
  static bool decode_in_order(Team& team, const W* in, Extent extent, W* out, std::size_t n) {
    const W *const values_end = in + extent.values, *values = in;
    W* const end = out + n;
    const std::uint8_t* token = reinterpret_cast<const std::uint8_t*>(values_end);
    const std::uint8_t* const tokens_end = token + (extent.words - extent.values) * sizeof(W);
    if (token == tokens_end || *token & kRepeat) return false;

    constexpr std::uint64_t kEach = 0x0101010101010101;
    constexpr std::uint64_t kShort =
        words::larger<std::size_t>(32, Team::kPackBytes) / sizeof(W);  // words
    constexpr auto kMargin = std::ptrdiff_t(words::larger<std::size_t>(8 * kShort, 2 * kLongest));
    while (tokens_end - token >= 8 && end - out >= kMargin && values_end - values >= kMargin) {
      std::uint64_t eight;
      std::memcpy(&eight, token, 8);
      if ((eight & kEach * (256 - kShort)) == 0x8000800080008000) {
        // Literals and repeats in turn, all of them short.
        for (int pair = 0; pair < 4; ++pair) {
          team.template copy<W>(values, kShort, out);
          const std::size_t literals = token[2 * pair] + std::size_t{1};
          values += literals;
          out += literals;
          team.template fill<W>(values[-1], kShort, out);
          out += token[2 * pair + 1] - std::size_t{kRepeat - 1};
        }
        token += 8;
        continue;
      }
      const std::uint8_t kind = *token & kRepeat;
      const std::size_t length = (*token & (kLongest - 1)) + std::size_t{1};
      if (*token++ >= kRepeat + (sizeof(W) > 1 ? 0 : kShort)) {
        team.template fill<W>(values[-1], length, out);
      } else if constexpr (sizeof(W) > 1) {
        team.template copy<W>(values, length, out);
      } else {
        // Literals are hard to predict, so that nothing here branches and the length is fixed.
        team.template copy_or_fill<W>(values, kind, kShort, out);
        team.template copy<W>(values + kShort, kLongest - kShort, out + kShort);
      }
      values += length & (std::size_t{kind} / kRepeat - 1);
      out += length;
    }
    while (out != end) {
      if (token == tokens_end) return false;
      const std::size_t length = (*token & (kLongest - 1)) + 1;
      if (length > std::size_t(end - out)) return false;
      if (*token++ & kRepeat) {
        team.template fill<W>(values[-1], length, out);
      } else {
        if (length > std::size_t(values_end - values)) return false;
        team.template copy<W>(values, length, out);
        values += length;
      }
      out += length;
    }
    return values == values_end;
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void find_literals(Team& team, const W* in, std::size_t n,
                                           std::uint64_t* literals) {
    team.template flags<W>(n, literals, [=](auto i) { return i.load(in) != i.load(in, -1); });
    team.single([=] { literals[0] |= 1; });
  }

  /// Fills scratch.mask with the literals and scratch.starts with the token starts. The caller must
  /// call a collective next, which has the barrier.
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void find_runs(Team& team, const W* in, std::size_t n,
                                       const Scratch& scratch) {
    team.template flags<W>(n, scratch.mask, [=](auto i) { return i.load(in) != i.load(in, -1); });
    mark_tokens(team, n, scratch);
  }

  /// Replaces every bit of `mask` by the parity of the bits up to and including it.
  template <teams::Team Team>
  FPSYNTH_INLINE static void running_parity(Team& team, std::uint64_t* mask, std::size_t masks,
                                            std::uint64_t* memory) {
    using Mask = std::uint64_t;
    team.template with_prefix<Mask>(
        words::Xor{}, masks, memory,
        [=](auto i) {
          auto bits = i.load(mask);
          bits = bits ^ bits << 1;
          bits = bits ^ bits << 2;
          bits = bits ^ bits << 4;
          bits = bits ^ bits << 8;
          bits = bits ^ bits << 16;
          bits = bits ^ bits << 32;
          i.store(mask, bits);
          return bits >> 63;
        },
        // Inverts the word if the parity of the words before it is odd.
        [=](auto i, auto odd) { i.store(mask, i.load(mask) ^ (Mask{0} - odd)); });
  }
};

}  // namespace fpsynth::components
