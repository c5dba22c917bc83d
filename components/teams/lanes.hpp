#pragma once
// The vocabulary (serial.hpp) for teams of many lanes: every collective as phases over lanes with
// barriers between them. A Self provides
//
//   lanes()                    how many
//   phase(f)                   f(lane) on every lane
//   barrier()                  by all lanes
//   shared<T>(items)           memory that all lanes see
//   atomic_xor, atomic_or      on 64-bit words of shared memory
//
// and may hide a collective here by one that its hardware does better (ballots, shuffles).

#include <cstddef>
#include <cstdint>

#include "components/teams/item.hpp"

namespace fpsynth::teams {

template <class Self>
class LaneTeam {
 public:
  static constexpr bool kInOrder = false;

  template <class W, class F>
  FPSYNTH_INLINE void for_each(std::size_t begin, std::size_t end, F f) {
    self().phase([=, lanes = self().lanes()](std::size_t lane) {
      for (std::size_t i = begin + lane; i < end; i += lanes) f(Item<W>{i});
    });
  }
  template <class F>
  FPSYNTH_INLINE void single(F f) {
    self().phase([=](std::size_t lane) {
      if (lane == 0) f();
    });
  }

  template <class W, class F>
  FPSYNTH_INLINE void flags(std::size_t n, std::uint64_t* mask, F f) {
    self().barrier();
    items(words::words_for(n, 64), [=](std::size_t word) { mask[word] = 0; });
    self().barrier();
    items(n, [=, this](std::size_t i) {
      if (f(Item<W>{i})) self().atomic_or(&mask[i / 64], std::uint64_t{1} << (i % 64));
    });
    self().barrier();
  }
  template <class W, class F>
  FPSYNTH_INLINE std::size_t count_if(std::size_t n, F f) {
    return sum(n, [=](std::size_t i) { return std::size_t(f(Item<W>{i})); });
  }
  FPSYNTH_INLINE std::size_t count_bits(const std::uint64_t* mask, std::size_t n) {
    return sum(words::words_for(n, 64), [=](std::size_t word) {
      return words::count_bits(mask[word] & words::low_mask(n - 64 * word));
    });
  }

  template <class W, class F>
  FPSYNTH_INLINE std::size_t compact(std::size_t n, const std::uint64_t* mask, W* out, F f) {
    const std::size_t* const before = counts_before(mask, n);
    items(n, [=](std::size_t i) {
      const Item<W> item{i};
      if (item.bit(mask)) out[rank(before, mask, i) - 1] = static_cast<W>(f(item));
    });
    self().barrier();
    return before[words::words_for(n, 64)];
  }
  template <class W>
  FPSYNTH_INLINE void expand(std::size_t n, const std::uint64_t* mask, const W* values, W* out) {
    const std::size_t* const before = counts_before(mask, n);
    items(n, [=](std::size_t i) {
      out[i] = Item<W>{i}.bit(mask) ? values[rank(before, mask, i) - 1] : W{0};
    });
    self().barrier();
  }
  template <class W>
  FPSYNTH_INLINE void expand_last(std::size_t n, const std::uint64_t* mask, const W* values,
                                  W* out) {
    const std::size_t* const before = counts_before(mask, n);
    items(n, [=](std::size_t i) { out[i] = values[rank(before, mask, i) - 1]; });
    self().barrier();
  }

  /// By doubling distances, every round into fresh memory.
  template <class W, class Op>
  FPSYNTH_INLINE void scan(Op op, const W* in, std::size_t n, std::size_t stride, W* out) {
    self().barrier();
    W* now = self().template shared<W>(n);
    W* next = self().template shared<W>(n);
    items(n, [=](std::size_t i) { now[i] = in[i]; });
    self().barrier();
    for (std::size_t distance = stride; distance < n; distance *= 2) {
      items(n, [=](std::size_t i) {
        next[i] = i < distance ? now[i] : op(now[i], now[i - distance]);
      });
      self().barrier();
      W* const swap = now;
      now = next;
      next = swap;
    }
    items(n, [=](std::size_t i) { out[i] = now[i]; });
    self().barrier();
  }

  template <class Length, class F>
  FPSYNTH_INLINE bool lay(std::size_t count, std::size_t n, Length length, F f) {
    self().barrier();
    std::size_t* const end = self().template shared<std::size_t>(count + 1);
    std::uint64_t* const meets = self().template shared<std::uint64_t>(1);
    items(count, [=](std::size_t k) { end[k + 1] = length(k); });
    single([=] { end[0] = *meets = 0; });
    self().barrier();
    scan(words::Plus{}, end, count + 1, 1, end);
    items(count, [=, this](std::size_t k) {
      if (end[k] < n) f(k, end[k]);
      if (end[k + 1] == n) self().atomic_or(meets, 1);
    });
    self().barrier();
    return *meets;
  }
  FPSYNTH_INLINE void flip(std::uint64_t* mask, std::size_t bit, std::uint64_t on) {
    self().atomic_xor(&mask[bit / 64], on << (bit % 64));
  }

  template <class W>
  FPSYNTH_INLINE void transpose_tiles(const W* in, std::size_t tiles, W* out) {
    constexpr std::size_t w = words::kBits<W>;
    items(tiles * w, [=](std::size_t i) {
      const W* const tile = in + i / w * w;
      W word = 0;
      for (std::size_t j = 0; j < w; ++j) {
        word = static_cast<W>(word << 1 | (tile[j] >> (w - 1 - i % w) & 1));
      }
      out[i] = word;
    });
  }
  template <class W>
  FPSYNTH_INLINE void deinterleave(const W* in, std::size_t n, std::size_t k, W* out) {
    items(n, [=](std::size_t i) { out[place(i, n, k)] = in[i]; });
  }
  template <class W>
  FPSYNTH_INLINE void interleave(const W* in, std::size_t n, std::size_t k, W* out) {
    items(n, [=](std::size_t i) { out[i] = in[place(i, n, k)]; });
  }

 private:
  FPSYNTH_INLINE Self& self() { return static_cast<Self&>(*this); }

  template <class F>
  FPSYNTH_INLINE void items(std::size_t n, F f) {
    self().phase([=, lanes = self().lanes()](std::size_t lane) {
      for (std::size_t i = lane; i < n; i += lanes) f(i);
    });
  }
  template <class F>
  FPSYNTH_INLINE std::size_t sum(std::size_t n, F f) {
    self().barrier();
    std::size_t* const counts = self().template shared<std::size_t>(n + 1);
    items(n, [=](std::size_t i) { counts[i + 1] = f(i); });
    single([=] { counts[0] = 0; });
    self().barrier();
    scan(words::Plus{}, counts, n + 1, 1, counts);
    return counts[n];
  }
  /// For every mask word the number of set bits before it; behind the last word the number of all.
  FPSYNTH_INLINE const std::size_t* counts_before(const std::uint64_t* mask, std::size_t n) {
    self().barrier();
    const std::size_t masks = words::words_for(n, 64);
    std::size_t* const counts = self().template shared<std::size_t>(masks + 1);
    items(masks, [=](std::size_t word) {
      counts[word + 1] = words::count_bits(mask[word] & words::low_mask(n - 64 * word));
    });
    single([=] { counts[0] = 0; });
    self().barrier();
    scan(words::Plus{}, counts, masks + 1, 1, counts);
    return counts;
  }
  /// Set bits up to and including bit i.
  FPSYNTH_INLINE static std::size_t rank(const std::size_t* before, const std::uint64_t* mask,
                                         std::size_t i) {
    return before[i / 64] + words::count_bits(mask[i / 64] & words::low_mask(i % 64 + 1));
  }
  /// Where deinterleaving n words in k dimensions puts word i.
  FPSYNTH_INLINE static std::size_t place(std::size_t i, std::size_t n, std::size_t k) {
    const std::size_t d = i % k, longer = n % k;
    return d * (n / k) + (d < longer ? d : longer) + i / k;
  }
};

}  // namespace fpsynth::teams
