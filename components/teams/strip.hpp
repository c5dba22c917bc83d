#pragma once
// Eight or sixteen adjacent bytes in registers. In a thread block, phases over bytes work on strips
// of sixteen, because a lane accesses 16 bytes with one instruction, as fast as a single byte.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "components/teams/item.hpp"
#include "components/teams/quad.hpp"

namespace fpsynth::teams {

/// The result of comparing N quads.
template <int N>
struct QuadsFlags {
  QuadFlags part[N];

  /// Bit k for byte k.
  FPSYNTH_INLINE std::uint32_t bits() const {
    std::uint32_t bits = 0;
    for (int k = 0; k < N; k += 2) {
      // The flags, which are 0x80, weighted with the bits' values.
      const std::uint32_t eight = words::dot_bytes(part[k + 1].flags, 0x80402010,
                                                   words::dot_bytes(part[k].flags, 0x08040201, 0));
      bits |= k == 0 ? eight >> 7 : eight << (4 * k - 7);
    }
    return bits;
  }
  FPSYNTH_INLINE std::uint32_t count() const {
    std::uint32_t flags = 0;
    for (int k = 0; k < N; ++k) flags |= part[k].flags >> k;
    return words::count_bits32(flags);
  }
};

/// N adjacent quads.
template <int N>
struct Quads {
  using Flags = QuadsFlags<N>;
  Quad part[N];

  Quads() = default;
  template <class... More>
  requires(sizeof...(More) == N - 1) FPSYNTH_INLINE Quads(Quad first, More... more)
      : part{first, more...} {}
  /// A plain byte stands for copies of it.
  FPSYNTH_INLINE Quads(std::uint8_t byte) : Quads(each<Quads>([=](int) { return Quad(byte); })) {}

  /// The bytes that begin `distance` (1..8) bytes before these, of which the first are the last of
  /// `before`. `Far`: the distance is more than 4.
  template <bool Far>
  FPSYNTH_INLINE Quads after(Quads before, std::uint32_t distance) const {
    const std::uint32_t selector = 0x6543 - 0x1111 * ((distance - 1) % 4);
    return each<Quads>([&, this](int k) {
      const auto quad = [&, this](int q) { return q < 0 ? before.part[q + N] : part[q]; };
      const int last = k - Far;  // the quad with the last of four bytes, or before it
      return Quad{words::permute_bytes(quad(last - 1).bytes, quad(last).bytes, selector)};
    });
  }

  FPSYNTH_INLINE friend Quads operator+(Quads a, Quads b) {
    return each<Quads>([&](int k) { return a.part[k] + b.part[k]; });
  }
  FPSYNTH_INLINE friend Quads operator-(Quads a, Quads b) {
    return each<Quads>([&](int k) { return a.part[k] - b.part[k]; });
  }
  FPSYNTH_INLINE friend Quads operator^(Quads a, Quads b) {
    return each<Quads>([&](int k) { return a.part[k] ^ b.part[k]; });
  }
  FPSYNTH_INLINE friend Quads operator&(Quads a, Quads b) {
    return each<Quads>([&](int k) { return a.part[k] & b.part[k]; });
  }
  FPSYNTH_INLINE friend Quads operator|(Quads a, Quads b) {
    return each<Quads>([&](int k) { return a.part[k] | b.part[k]; });
  }
  FPSYNTH_INLINE friend Quads operator~(Quads a) {
    return each<Quads>([&](int k) { return ~a.part[k]; });
  }
  FPSYNTH_INLINE friend Quads operator>>(Quads a, int count) {
    return each<Quads>([&](int k) { return a.part[k] >> count; });
  }
  FPSYNTH_INLINE friend Flags operator!=(Quads a, Quads b) {
    return each<Flags>([&](int k) { return a.part[k] != b.part[k]; });
  }
  FPSYNTH_INLINE friend Flags operator==(Quads a, Quads b) {
    return each<Flags>([&](int k) { return a.part[k] == b.part[k]; });
  }
  FPSYNTH_INLINE friend Quads select(Flags condition, Quads yes, Quads no) {
    return each<Quads>([&](int k) { return select(condition.part[k], yes.part[k], no.part[k]); });
  }

 private:
  /// The parts f(0), f(1), ..., without a loop: a kernel has thousands of these.
  template <class Result, class F>
  FPSYNTH_INLINE static Result each(F f) {
    if constexpr (N == 2) {
      return {f(0), f(1)};
    } else {
      static_assert(N == 4);
      return {f(0), f(1), f(2), f(3)};
    }
  }
};

/// The top bits of bytes whose flag is not set.
template <int N>
FPSYNTH_INLINE Quads<N> top_unless(QuadsFlags<N> flags) {
  Quads<N> tops;
  for (int k = 0; k < N; ++k) tops.part[k] = {~flags.part[k].flags & Quad::kTop};
  return tops;
}

/// The 4N items from i on of a block of bytes that is aligned to 4N; i is a multiple of 4N. Loads
/// access up to 4N bytes before and after the bytes they return: other items or the block's slack.
template <int N>
struct QuadsItem {
  using Word = std::uint8_t;
  std::size_t i;

  /// `offset` must be the same for all lanes.
  FPSYNTH_INLINE Quads<N> load(const void* block, std::ptrdiff_t offset = 0) const {
    const std::uint32_t past = std::uint32_t(offset) % kBytes;
    const auto* const at =
        static_cast<const char*>(block) + std::ptrdiff_t(i) + (offset - std::ptrdiff_t(past));
    const Quads<N> low = aligned(at);
    if (past == 0) return low;
    const Quads<N> high = aligned(at + kBytes);
    std::uint32_t words[2 * N];
    std::memcpy(words, low.part, kBytes);
    std::memcpy(words + N, high.part, kBytes);
    if constexpr (N == 4) {
      if (past & 8) {
        for (int k = 0; k < N + 2; ++k) words[k] = words[k + 2];
      }
    }
    if (past & 4) {
      for (int k = 0; k < N + 1; ++k) words[k] = words[k + 1];
    }
    for (int k = 0; k < N; ++k) {
      words[k] = words::funnel_right(words[k], words[k + 1], 8 * (past % 4));
    }
    Quads<N> quads;
    std::memcpy(quads.part, words, kBytes);
    return quads;
  }
  /// `block` may have any alignment.
  FPSYNTH_INLINE void store(void* block, Quads<N> value) const {
    auto* const at = static_cast<char*>(block) + i;
    if (reinterpret_cast<std::uintptr_t>(at) % kBytes == 0) {
      store_aligned(block, value);
    } else {
      for (std::uint32_t k = 0; k < kBytes; ++k) {
        at[k] = char(value.part[k / 4].bytes >> 8 * (k % 4));
      }
    }
  }
  /// `block` is aligned to 4N.
  FPSYNTH_INLINE void store_aligned(void* block, Quads<N> value) const {
    std::memcpy(__builtin_assume_aligned(static_cast<char*>(block) + i, kBytes), value.part,
                kBytes);
  }
  FPSYNTH_INLINE Quads<N> index() const {
    const Quad first = std::uint8_t(i);  // a multiple of 4N: no carries
    Quads<N> numbers;
    for (int k = 0; k < N; ++k) {
      numbers.part[k] = {first.bytes + 0x03020100 + 0x04040404 * std::uint32_t(k)};
    }
    return numbers;
  }
  FPSYNTH_INLINE QuadsFlags<N> bit(const std::uint64_t* mask) const {
    using Bits = std::conditional_t<N == 2, std::uint8_t, std::uint16_t>;
    const std::uint32_t bits = Item<Bits>{i / kBytes}.load(mask);
    QuadsFlags<N> flags;
    for (int k = 0; k < N; ++k) flags.part[k] = QuadFlags::of(bits >> 4 * k & 0xf);
    return flags;
  }

 private:
  static constexpr std::uint32_t kBytes = 4 * N;

  FPSYNTH_INLINE static Quads<N> aligned(const char* at) {
    Quads<N> quads;
    std::memcpy(quads.part, __builtin_assume_aligned(at, kBytes), kBytes);
    return quads;
  }
};

using Pair = Quads<2>;
using PairItem = QuadsItem<2>;
using Strip = Quads<4>;
using StripItem = QuadsItem<4>;

}  // namespace fpsynth::teams
