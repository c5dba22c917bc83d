#pragma once
// The argument of a phase, on the teams that work item by item.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// The numbers of bits that are set in two masks.
struct Counts {
  std::size_t first, second;
};

/// out[i] = f(item i) for the words begin..end - 1. Teams for which waits for memory are long have
/// put_each(), which reads some words before it writes them.
template <class W, class Team, class F>
FPSYNTH_INLINE void put_each(Team& team, std::size_t begin, std::size_t end, W* out, F f) {
  if constexpr (requires { team.template put_each<W>(begin, end, out, f); }) {
    team.template put_each<W>(begin, end, out, f);
  } else {
    team.template for_each<W>(begin, end, [=](auto i) { i.store(out, f(i)); });
  }
}

/// f of a team's lay(), which may leave out the interval.
template <class F, class Interval>
FPSYNTH_INLINE void call_with_interval(F& f, std::size_t k, std::size_t begin, Interval interval) {
  if constexpr (requires { f(k, begin, interval); }) {
    f(k, begin, interval);
  } else {
    f(k, begin);
  }
}

/// One item of a block of W words. A phase reads and writes memory through it, so that the same
/// phase also runs on packs of items. Memory need not be aligned to W.
template <class W>
struct Item {
  using Word = W;
  std::size_t i;

  /// Word number item + offset of `block`.
  FPSYNTH_INLINE W load(const void* block, std::ptrdiff_t offset = 0) const {
    W word;
    std::memcpy(&word, at(block, std::ptrdiff_t(i) + offset), sizeof(W));
    return word;
  }
  template <class T>
  FPSYNTH_INLINE void store(void* block, T value) const {
    const W word = static_cast<W>(value);
    std::memcpy(const_cast<void*>(at(block, std::ptrdiff_t(i))), &word, sizeof(W));
  }
  /// The item's number, modulo 2^w.
  FPSYNTH_INLINE W index() const { return static_cast<W>(i); }
  /// The item's bit in a mask.
  FPSYNTH_INLINE bool bit(const std::uint64_t* mask) const { return mask[i / 64] >> (i % 64) & 1; }

 private:
  /// GPUs load a word with one instruction only if the compiler knows that it is aligned.
  FPSYNTH_INLINE static const void* at(const void* block, std::ptrdiff_t index) {
    return __builtin_assume_aligned(
        static_cast<const char*>(block) + index * std::ptrdiff_t(sizeof(W)), sizeof(W));
  }
};

}  // namespace fpsynth::teams
