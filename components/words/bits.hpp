#pragma once
// Bit operations on single words. The component bodies are written against these names; the packs
// of the simd team overload them.

#include <bit>
#include <climits>
#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#define FPSYNTH_INLINE __host__ __device__ __forceinline__
#define FPSYNTH_INLINED __attribute__((always_inline))
#else
#define FPSYNTH_INLINED
#ifndef FPSYNTH_INLINE
#define FPSYNTH_INLINE inline __attribute__((always_inline))
#endif
#endif

// FPSYNTH_INLINED stands after a lambda's parameters: nvcc inlines it at any level of optimization.
// The interpreter of the tests knows no calls.

// Before a loop of device code: unrolls it if the compiler knows how often it runs; or leaves it a
// loop, where one lane works alone, or the body is large.
#if defined(__CUDA_ARCH__)
#define FPSYNTH_UNROLL _Pragma("unroll")
#define FPSYNTH_ROLLED _Pragma("unroll 1")
#else
#define FPSYNTH_UNROLL
#define FPSYNTH_ROLLED
#endif

namespace fpsynth::words {

/// Bits in a word of type W: the w of the component definitions.
template <class W>
inline constexpr std::size_t kBits = sizeof(W) * CHAR_BIT;

/// The number of words of `bits` bits that hold `items` bits.
FPSYNTH_INLINE constexpr std::size_t words_for(std::size_t items, std::size_t bits) {
  return (items + bits - 1) / bits;
}

/// A word whose `count` lowest bits are set; all bits if `count` is 64 or more.
FPSYNTH_INLINE constexpr std::uint64_t low_mask(std::size_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// 1 << count, or 0 if `count` is 64 or more.
FPSYNTH_INLINE constexpr std::uint64_t bit_at(std::uint64_t count) {
  return count < 64 ? std::uint64_t{1} << count : 0;
}

/// Position of the highest set bit, or -1 (all ones) if there is none.
FPSYNTH_INLINE constexpr std::uint64_t highest_bit(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return std::uint64_t(63 - __clzll(static_cast<long long>(word)));
#else
  return std::uint64_t(63 - std::countl_zero(word));
#endif
}

/// The same for 32 bits, for which a GPU has a separate instruction.
FPSYNTH_INLINE std::uint32_t highest_bit32(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  std::uint32_t bit;
  asm("bfind.u32 %0, %1;" : "=r"(bit) : "r"(word));
  return bit;
#else
  return std::uint32_t(31 - std::countl_zero(word));
#endif
}

/// Position of the lowest set bit. If there is none, the result has no meaning.
FPSYNTH_INLINE constexpr std::uint32_t lowest_bit32(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  return std::uint32_t(__clz(static_cast<int>(__brev(word))));
#else
  return std::uint32_t(std::countr_zero(word));
#endif
}

/// The number of set bits.
FPSYNTH_INLINE constexpr std::size_t count_bits(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return std::size_t(__popcll(word));
#else
  return std::size_t(std::popcount(word));
#endif
}

FPSYNTH_INLINE constexpr std::uint32_t count_bits32(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  return std::uint32_t(__popc(word));
#else
  return std::uint32_t(std::popcount(word));
#endif
}

/// The 32 bits of the 64-bit value `high`, `low` that start at bit `shift` (0..32).
FPSYNTH_INLINE constexpr std::uint32_t funnel_right(std::uint32_t low, std::uint32_t high,
                                                    std::uint32_t shift) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_rc(low, high, shift);
#else
  return std::uint32_t((std::uint64_t{high} << 32 | low) >> shift);
#endif
}

/// The upper 32 bits of the 64-bit value `high`, `low` shifted to the left by 0..32 bits.
FPSYNTH_INLINE constexpr std::uint32_t funnel_left(std::uint32_t high, std::uint32_t low,
                                                   std::uint32_t shift) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_lc(low, high, shift);
#else
  return std::uint32_t((std::uint64_t{high} << 32 | low) << shift >> 32);
#endif
}

/// The same for a shift by `shift` modulo 32.
FPSYNTH_INLINE constexpr std::uint32_t funnel_left_around(std::uint32_t high, std::uint32_t low,
                                                          std::uint32_t shift) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_l(low, high, shift);
#else
  return funnel_left(high, low, shift % 32);
#endif
}

/// Byte k of the result is a byte of the 64-bit value `high`, `low`; hexadecimal digit k of
/// `selector` is its number (0..7), counted from the lowest byte.
FPSYNTH_INLINE std::uint32_t permute_bytes(std::uint32_t low, std::uint32_t high,
                                           std::uint32_t selector) {
#if defined(__CUDA_ARCH__)
  // __byte_perm() spends an instruction on digits above 7.
  std::uint32_t result = 0;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(selector));
  return result;
#else
  const std::uint64_t bytes = std::uint64_t{high} << 32 | low;
  std::uint32_t result = 0;
  for (std::uint32_t k = 0; k < 4; ++k) {
    result |= std::uint32_t(bytes >> 8 * (selector >> 4 * k & 7) & 0xff) << 8 * k;
  }
  return result;
#endif
}

/// `sum` plus the products of the four bytes of `a` with those of `b`.
FPSYNTH_INLINE constexpr std::uint32_t dot_bytes(std::uint32_t a, std::uint32_t b,
                                                 std::uint32_t sum) {
#if defined(__CUDA_ARCH__)
  return __dp4a(a, b, sum);
#else
  for (std::uint32_t k = 0; k < 32; k += 8) sum += (a >> k & 0xff) * (b >> k & 0xff);
  return sum;
#endif
}

/// Any function of three bits, for 32 bits at once, which is one instruction of a GPU. Bit 4a + 2b
/// + c of `Table` is its value for bits a, b and c.
template <std::uint32_t Table>
FPSYNTH_INLINE std::uint32_t of_three(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t result = 0;
#if defined(__CUDA_ARCH__)
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(a), "r"(b), "r"(c), "n"(Table));
#else
  for (std::uint32_t k = 0; k < 8; ++k) {
    if (Table >> k & 1) result |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  }
#endif
  return result;
}
/// ~(a ^ b) & mask
FPSYNTH_INLINE std::uint32_t same_of(std::uint32_t a, std::uint32_t b, std::uint32_t mask) {
  return of_three<0x82>(a, b, mask);
}
/// (a ^ b) & mask
FPSYNTH_INLINE std::uint32_t different_of(std::uint32_t a, std::uint32_t b, std::uint32_t mask) {
  return of_three<0x28>(a, b, mask);
}
/// (a | b) & mask
FPSYNTH_INLINE std::uint32_t either_of(std::uint32_t a, std::uint32_t b, std::uint32_t mask) {
  return of_three<0xa8>(a, b, mask);
}
/// a | b | c
FPSYNTH_INLINE std::uint32_t any_of(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return of_three<0xfe>(a, b, c);
}
/// (a & mask) | (b & ~mask)
FPSYNTH_INLINE std::uint32_t either_by(std::uint32_t mask, std::uint32_t a, std::uint32_t b) {
  return of_three<0xca>(mask, a, b);
}
/// (a ^ b) | more
FPSYNTH_INLINE std::uint32_t different_or(std::uint32_t a, std::uint32_t b, std::uint32_t more) {
  return of_three<0xbe>(a, b, more);
}

template <class C, class T>
FPSYNTH_INLINE constexpr T select(C condition, T yes, T no) {
  return condition ? yes : no;
}

/// The top bit of a byte, or 0 if a condition is true.
FPSYNTH_INLINE constexpr std::uint8_t top_unless(bool condition) { return condition ? 0 : 0x80; }

/// Operators of a scan. 0 is the neutral element of each.
struct Plus {
  template <class T>
  FPSYNTH_INLINE constexpr T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct Xor {
  template <class T>
  FPSYNTH_INLINE constexpr T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
template <class T>
FPSYNTH_INLINE constexpr T larger(T a, T b) {
  return a > b ? a : b;
}
struct Max {
  template <class T>
  FPSYNTH_INLINE constexpr T operator()(T a, T b) const {
    return static_cast<T>(larger(a, b));
  }
};

}  // namespace fpsynth::words
