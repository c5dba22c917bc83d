#pragma once
// The serial team: the vocabulary in obvious code, one item after the other. It is the oracle that
// every other team is held against, so nothing here is clever.
//
// The vocabulary of all teams, in which component bodies are written. Phases:
//
//   for_each<W>(begin, end, f)   f(item) for every item; items must not depend on each other
//   single(f)                    f() once
//   barrier()                    what was written before it is visible behind it
//
// and collectives, which every lane calls and which have a barrier before and behind them:
//
//   flags<W>(n, mask, f)
//       bit i of the mask = f(item i); the bits from n to the end of its word are 0
//   count_if<W>(n, f), count_bits(mask, n), count_bits(first, second, n)
//       how many items have f(item); how many of the first n bits are set, of one mask or of two
//   compact<W>(n, mask, out, f)
//       f(item) of the items whose bit is set, in order; returns their number
//   expand<W>(n, mask, values, count, out)
//       its inverse: the next value where the bit is set, 0 elsewhere. False where not `count` bits
//       are set; `out` is then unspecified
//   expand_last<W>(n, mask, values, count, out)
//       the same, with the last value again where the bit is not set; bit 0 must be set
//   scan<W>(op, in, n, stride, out)
//       out[i] = in[i] op out[i - stride]; in may be out
//   with_prefix<W>(op, n, memory, value, use)
//       value(item) of all items, then use(item, before) with the op of the values before the
//       item's (0 for the first). Values are below 2^32; `memory` is for n words behind a zero
//       guard word
//   lay(count, n, length, f)
//       lays intervals of length(k), k < count, end to end from 0; f(k, begin) for those that begin
//       before n; true if one of them ends at n
//   flip(mask, bit, on)
//       in f of lay, with ascending bits, each at most once, on a mask of zeros: inverts a bit of
//       the mask if `on` is 1
//   transpose_tiles<W>(in, tiles, out)
//       in tiles of w words, bit k of word j to bit j of word k, counted from the most significant
//   deinterleave<W>(in, n, k, out), interleave<W>(in, n, k, out)
//       words 0, k, 2k, ..., then 1, k + 1, ...; and the inverse

#include <cstddef>
#include <cstdint>

#include "components/teams/item.hpp"

namespace fpsynth::teams {

struct SerialTeam {
  /// Whether one thread works through a block from front to back: such a team has fill() and copy()
  /// in place of expand_last(), lay() and flip().
  static constexpr bool kInOrder = false;

  template <class W, class F>
  void for_each(std::size_t begin, std::size_t end, F f) {
    for (std::size_t i = begin; i < end; ++i) f(Item<W>{i});
  }
  template <class F>
  void single(F f) {
    f();
  }
  void barrier() {}

  template <class W, class F>
  void flags(std::size_t n, std::uint64_t* mask, F f) {
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 64 == 0) mask[i / 64] = 0;
      mask[i / 64] |= std::uint64_t(f(Item<W>{i})) << (i % 64);
    }
  }
  template <class W, class F>
  std::size_t count_if(std::size_t n, F f) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) count += f(Item<W>{i});
    return count;
  }
  std::size_t count_bits(const std::uint64_t* mask, std::size_t n) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) count += mask[i / 64] >> (i % 64) & 1;
    return count;
  }
  Counts count_bits(const std::uint64_t* first, const std::uint64_t* second, std::size_t n) {
    return {count_bits(first, n), count_bits(second, n)};
  }
  template <class W, class F>
  std::size_t compact(std::size_t n, const std::uint64_t* mask, W* out, F f) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Item<W> item{i};
      if (item.bit(mask)) out[count++] = static_cast<W>(f(item));
    }
    return count;
  }
  template <class W>
  bool expand(std::size_t n, const std::uint64_t* mask, const W* values, std::size_t count,
              W* out) {
    if (count_bits(mask, n) != count) return false;
    for (std::size_t i = 0; i < n; ++i) out[i] = Item<W>{i}.bit(mask) ? *values++ : W{0};
    return true;
  }
  template <class W>
  bool expand_last(std::size_t n, const std::uint64_t* mask, const W* values, std::size_t count,
                   W* out) {
    if (count_bits(mask, n) != count) return false;
    for (std::size_t i = 0; i < n; ++i) {
      if (Item<W>{i}.bit(mask)) ++values;
      out[i] = values[-1];
    }
    return true;
  }
  template <class W, class Op>
  void scan(Op op, const W* in, std::size_t n, std::size_t stride, W* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = i < stride ? in[i] : op(in[i], out[i - stride]);
  }
  template <class W, class Op, class Value, class Use>
  void with_prefix(Op op, std::size_t n, W* memory, Value value, Use use) {
    for (std::size_t i = 0; i < n; ++i) memory[i] = value(Item<W>{i});
    W before = 0;
    for (std::size_t i = 0; i < n; ++i) {
      use(Item<W>{i}, before);
      before = op(before, memory[i]);
    }
  }
  template <class Length, class F>
  bool lay(std::size_t count, std::size_t n, Length length, F f) {
    std::size_t begin = 0;
    for (std::size_t k = 0; k < count && begin < n; ++k) {
      f(k, begin);
      begin += length(k);
    }
    return begin == n;
  }
  void flip(std::uint64_t* mask, std::size_t bit, std::uint64_t on) {
    mask[bit / 64] ^= on << (bit % 64);
  }
  template <class W>
  void transpose_tiles(const W* in, std::size_t tiles, W* out) {
    constexpr std::size_t w = words::kBits<W>;
    for (std::size_t tile = 0; tile < tiles; ++tile, in += w, out += w) {
      for (std::size_t k = 0; k < w; ++k) {
        W word = 0;
        for (std::size_t j = 0; j < w; ++j) {
          word = static_cast<W>(word << 1 | (in[j] >> (w - 1 - k) & 1));
        }
        out[k] = word;
      }
    }
  }
  template <class W>
  void deinterleave(const W* in, std::size_t n, std::size_t k, W* out) {
    for (std::size_t d = 0; d < k; ++d) {
      for (std::size_t i = d; i < n; i += k) *out++ = in[i];
    }
  }
  template <class W>
  void interleave(const W* in, std::size_t n, std::size_t k, W* out) {
    for (std::size_t d = 0; d < k; ++d) {
      for (std::size_t i = d; i < n; i += k) out[i] = *in++;
    }
  }
};

}  // namespace fpsynth::teams
