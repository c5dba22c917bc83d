#pragma once
// Sixteen adjacent bytes in four registers. In a thread block, phases over bytes work on strips,
// because a lane accesses 16 bytes with one instruction, as fast as a single byte.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/teams/quad.hpp"

namespace fpsynth::teams {

struct StripFlags {
  QuadFlags part[4];

  /// Bit k for byte k.
  FPSYNTH_INLINE std::uint32_t bits() const {
    // The flags, which are 0x80, weighted with the bits' values.
    const std::uint32_t low =
        words::dot_bytes(part[1].flags, 0x80402010, words::dot_bytes(part[0].flags, 0x08040201, 0));
    const std::uint32_t high =
        words::dot_bytes(part[3].flags, 0x80402010, words::dot_bytes(part[2].flags, 0x08040201, 0));
    return low >> 7 | high << 1;
  }
  FPSYNTH_INLINE std::uint32_t count() const {
    return words::count_bits32(part[0].flags | part[1].flags >> 1 | part[2].flags >> 2 |
                               part[3].flags >> 3);
  }
};

struct Strip {
  Quad part[4];

  Strip() = default;
  FPSYNTH_INLINE Strip(Quad a, Quad b, Quad c, Quad d) : part{a, b, c, d} {}
  /// A plain byte stands for 16 copies of it.
  FPSYNTH_INLINE Strip(std::uint8_t byte) : Strip(Quad(byte), Quad(byte), Quad(byte), Quad(byte)) {}

  FPSYNTH_INLINE friend Strip operator+(Strip a, Strip b) {
    return of_quads(a, b, [](Quad x, Quad y) { return x + y; });
  }
  FPSYNTH_INLINE friend Strip operator-(Strip a, Strip b) {
    return of_quads(a, b, [](Quad x, Quad y) { return x - y; });
  }
  FPSYNTH_INLINE friend Strip operator^(Strip a, Strip b) {
    return of_quads(a, b, [](Quad x, Quad y) { return x ^ y; });
  }
  FPSYNTH_INLINE friend Strip operator&(Strip a, Strip b) {
    return of_quads(a, b, [](Quad x, Quad y) { return x & y; });
  }
  FPSYNTH_INLINE friend Strip operator|(Strip a, Strip b) {
    return of_quads(a, b, [](Quad x, Quad y) { return x | y; });
  }
  FPSYNTH_INLINE friend Strip operator~(Strip a) {
    return {~a.part[0], ~a.part[1], ~a.part[2], ~a.part[3]};
  }
  FPSYNTH_INLINE friend StripFlags operator!=(Strip a, Strip b) {
    return {{a.part[0] != b.part[0], a.part[1] != b.part[1], a.part[2] != b.part[2],
             a.part[3] != b.part[3]}};
  }
  FPSYNTH_INLINE friend StripFlags operator==(Strip a, Strip b) {
    return {{a.part[0] == b.part[0], a.part[1] == b.part[1], a.part[2] == b.part[2],
             a.part[3] == b.part[3]}};
  }
  FPSYNTH_INLINE friend Strip select(StripFlags condition, Strip yes, Strip no) {
    Strip chosen;
    for (int k = 0; k < 4; ++k) {
      chosen.part[k] = select(condition.part[k], yes.part[k], no.part[k]);
    }
    return chosen;
  }

 private:
  template <class F>
  FPSYNTH_INLINE static Strip of_quads(const Strip& a, const Strip& b, F f) {
    return {f(a.part[0], b.part[0]), f(a.part[1], b.part[1]), f(a.part[2], b.part[2]),
            f(a.part[3], b.part[3])};
  }
};

/// The items i to i + 15 of a block of bytes that is aligned to 16; i is a multiple of 16. Loads
/// access up to 16 bytes before and after the bytes they return: other items or the block's slack.
struct StripItem {
  using Word = std::uint8_t;
  std::size_t i;

  /// `offset` must be the same for all lanes.
  FPSYNTH_INLINE Strip load(const void* block, std::ptrdiff_t offset = 0) const {
    const std::uint32_t past = std::uint32_t(offset) % 16;
    const auto* const at =
        static_cast<const char*>(block) + std::ptrdiff_t(i) + (offset - std::ptrdiff_t(past));
    const Words low = words_at(at);
    if (past == 0) return strip(low.word);
    const Words high = words_at(at + 16);
    std::uint32_t words[8] = {low.word[0],  low.word[1],  low.word[2],  low.word[3],
                              high.word[0], high.word[1], high.word[2], high.word[3]};
    if (past & 8) {
      for (int k = 0; k < 6; ++k) words[k] = words[k + 2];
    }
    if (past & 4) {
      for (int k = 0; k < 5; ++k) words[k] = words[k + 1];
    }
    for (int k = 0; k < 4; ++k) {
      words[k] = words::funnel_right(words[k], words[k + 1], 8 * (past % 4));
    }
    return strip(words);
  }
  /// `block` may have any alignment.
  FPSYNTH_INLINE void store(void* block, Strip value) const {
    auto* const at = static_cast<char*>(block) + i;
    Words words;
    for (int k = 0; k < 4; ++k) words.word[k] = value.part[k].bytes;
    if (reinterpret_cast<std::uintptr_t>(at) % sizeof(Words) == 0) {
      std::memcpy(__builtin_assume_aligned(at, sizeof(Words)), &words, sizeof(Words));
    } else {
      for (int k = 0; k < 16; ++k) at[k] = char(words.word[k / 4] >> 8 * (k % 4));
    }
  }
  FPSYNTH_INLINE Strip index() const {
    const Quad first = std::uint8_t(i);  // a multiple of 16: no carries
    return {Quad{first.bytes + 0x03020100}, Quad{first.bytes + 0x07060504},
            Quad{first.bytes + 0x0b0a0908}, Quad{first.bytes + 0x0f0e0d0c}};
  }
  FPSYNTH_INLINE StripFlags bit(const std::uint64_t* mask) const {
    const std::uint32_t bits = std::uint32_t(mask[i / 64] >> (i % 64));
    StripFlags flags;
    for (int k = 0; k < 4; ++k) {
      flags.part[k] = QuadFlags::of(bits >> 4 * k & 0xf);
    }
    return flags;
  }

 private:
  struct alignas(16) Words {
    std::uint32_t word[4];
  };
  FPSYNTH_INLINE static Words words_at(const char* at) {
    Words words;
    std::memcpy(&words, __builtin_assume_aligned(at, sizeof(Words)), sizeof(Words));
    return words;
  }
  FPSYNTH_INLINE static Strip strip(const std::uint32_t* words) {
    return {Quad{words[0]}, Quad{words[1]}, Quad{words[2]}, Quad{words[3]}};
  }
};

}  // namespace fpsynth::teams
