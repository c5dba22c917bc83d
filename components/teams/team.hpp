#pragma once
// The concept Team: the vocabulary in which component bodies are written.

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "components/teams/item.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// Stands for any function that is passed to a team, in the checks of the concept.
struct DeclaredFunction {
  template <class... Arguments>
  std::uint64_t operator()(Arguments...) const;
};

/// The members of a Team that are templates on a word type, for the word type W.
template <class T, class W>
concept TeamOnWords = requires(T team, DeclaredFunction f, words::Plus op, std::size_t n,
                               std::uint64_t* mask, const W* in, W* out, std::uint8_t* bytes) {
  team.template for_each<W>(n, n, f);
  team.template flags<W>(n, mask, f);
  { team.template count_if<W>(n, f) } -> std::same_as<std::size_t>;
  { team.template compact<W>(n, mask, out, f) } -> std::same_as<std::size_t>;
  { team.template expand<W>(n, mask, in, n, out) } -> std::same_as<bool>;
  { team.template expand_last<W>(n, mask, in, n, out) } -> std::same_as<bool>;
  team.template scan<W>(op, in, n, n, out);
  team.template transpose_tiles<W>(in, n, out);
  team.template deinterleave<W>(in, n, n, out);
  team.template interleave<W>(in, n, n, out);
  { team.template longest_bits<W>(in, n, bytes) } -> std::same_as<std::size_t>;
  team.template pack_planes<W>(in, n, bytes, bytes);
  { team.template unpack_planes<W>(bytes, n, bytes, n, out) } -> std::same_as<std::size_t>;
  requires !T::kInOrder || requires(W value, bool fill) {
    team.template fill<W>(value, n, out);
    team.template copy<W>(in, n, out);
    team.template copy_or_fill<W>(in, fill, n, out);
  };
};

/// A team executes the bodies of components on a block. It is one thread, or the lanes of a thread
/// block, each of which has its own team object and calls the same members in the same order.
/// Phases:
///
///   for_each<W>(begin, end, f)   f(item) for every item; items must not depend on each other
///   single(f)                    f() once
///   barrier()                    writes before it are visible to all lanes after it
///   add(counter, amount)         in a phase: adds to a counter of 32 bits, which lanes share
///
/// and collectives, which every lane calls and which begin and end with a barrier:
///
///   flags<W>(n, mask, f)
///       bit i of the mask = f(item i); the bits from n to the end of its word are 0
///   count_if<W>(n, f), count_bits(mask, n), count_bits(first, second, n)
///       the number of items for which f(item) is true; the number of set bits among the first n
///       bits of one mask, or of each of two
///   compact<W>(n, mask, out, f)
///       f(item) of the items whose bit is set, in order; returns their number. The bits from n to
///       the end of its word must be 0
///   expand<W>(n, mask, values, count, out)
///       its inverse: the next value if the item's bit is set, 0 otherwise. False if the number of
///       set bits is not `count`; `out` is then unspecified
///   expand_last<W>(n, mask, values, count, out)
///       like expand, but repeats the last value if the bit is not set: values[-1] before the first
///   scan<W>(op, in, n, stride, out)
///       out[i] = in[i] op out[i - stride]; in may be out
///   with_prefix<uint64_t>(op, n, memory, value, use)
///       value(item) of all items; use(item, before) with the op of the values before the item's (0
///       for the first), after the item's value, but maybe before that of later items. Values are
///       below 2^32 and, if op is Xor, 0 or 1; if it is Max, those other than 0 ascend. `memory`
///       has n words, after a guard word that is zero
///   transpose_tiles<W>(in, tiles, out)
///       in tiles of w words, moves bit k of word j to bit j of word k, counted from the most
///       significant
///   deinterleave<W>(in, n, k, out), interleave<W>(in, n, k, out)
///       words 0, k, 2k, ..., then 1, k + 1, ...; and the inverse
///   longest_bits<W>(in, n, bits)
///       bits[g] = the bits of the longest of the words 32 g to 32 g + 31; returns the bytes of the
///       planes of all groups
///   pack_planes<W>(in, n, bits, out)
///       the lowest bits[g] bits of the words of each group, as bit planes
///   unpack_planes<W>(in, most, bits, n, out)
///       its inverse; returns the bytes of the planes. kNoPlanes if these are more than `most`,
///       if bits[g] > w, or if a bit past the last word is set; `out` is then unspecified
///
///   run_states<Down>(states, n, state, count, begin, ask, go)
///       item i of n, from the first one on or down from the last one, has state i mod `states`,
///       which lanes share: 8, 16 or 32. with = begin(i / 32, count of the items before, or of some
///       of them that are all but fewer than 32); all ends if with.ends. one = ask(with, i, state),
///       which is 0 or 1; go(with, i, state, one, count of the items before); one is counted.
///       Returns the count
///
/// A team for which kInOrder is true processes a block in ascending order and has
///
///   fill<W>(value, n, out), copy<W>(in, n, out)
///       n words, written in whole packs: up to a pack (kPackBytes) after them is overwritten
///   copy_or_fill<W>(in, fill, n, out)
///       fill(in[-1], n, out) or copy(in, n, out), without a branch
///   positions(bits, base, out)
///       base + the position of every set bit of a mask word; returns their number. 64 positions
///       and a pack are overwritten
///   put_distances(positions, eight_most, turn, out)
///       the distances between eight positions and their predecessors, as bytes; see SimdTeam
///
/// and all others have
///
///   lay(count, n, length, f)
///       lays intervals of length(k), k < count, end to end from 0; calls f(k, begin, length(k)),
///       or f(k, begin), for those that begin before n; true if one of them ends at n. length(k)
///       may be a struct that converts to its length: what f needs of interval k, read beforehand
///   flip(mask, bit, on)
///       inverts a bit of the mask if `on` is 1. Called only in f of lay, on a mask of zeros, with
///       ascending bits, each at most once
///   put_bits(cells, bit, number)
///       writes a number of up to 64 bits at a bit of cells of 32 bits that hold zeros. Called only
///       in f of lay
template <class T>
concept Team = TeamOnWords<T, std::uint8_t> && TeamOnWords<T, std::uint16_t> &&
    TeamOnWords<T, std::uint32_t> && TeamOnWords<T, std::uint64_t> &&
    requires(T team, DeclaredFunction f, words::Plus op, std::size_t n, std::uint64_t* mask,
             std::uint8_t* bytes, std::uint32_t* counter) {
  { T::kInOrder } -> std::convertible_to<bool>;
  team.single(f);
  team.barrier();
  { team.count_bits(mask, n) } -> std::same_as<std::size_t>;
  { team.count_bits(mask, mask, n) } -> std::same_as<Counts>;
  team.template with_prefix<std::uint64_t>(op, n, mask, f, f);
  { team.template run_states<true>(n, n, counter, n, f, f, f, f) } -> std::same_as<std::size_t>;
  team.add(counter, *counter);
  requires !T::kInOrder ||
      requires(std::uint64_t bits, std::uint16_t * positions, std::uint8_t * out) {
    { T::kPackBytes } -> std::convertible_to<std::size_t>;
    { team.positions(bits, std::uint16_t{}, positions) } -> std::same_as<std::size_t>;
    { team.put_distances(positions, bits, std::uint8_t{}, out) } -> std::same_as<std::uint8_t*>;
  };
  requires T::kInOrder || requires(std::uint64_t on) {
    { team.lay(n, n, f, f) } -> std::same_as<bool>;
    team.flip(mask, n, on);
    team.put_bits(counter, n, on);
  };
};

}  // namespace fpsynth::teams
