// Four bytes in a register: every operation against the same on bytes, for all pairs of bytes at
// every place beside other ones.

#include "components/teams/quad.hpp"

#include <gtest/gtest.h>

namespace fpsynth::teams {
namespace {

std::uint8_t byte_of(Quad quad, int place) { return std::uint8_t(quad.bytes >> 8 * place); }

TEST(Quads, ComputeLikeBytes) {
  std::uint32_t noise = 12345;
  int wrong = 0;
  for (int x = 0; x < 256; ++x) {
    for (int y = 0; y < 256; ++y) {
      for (int place = 0; place < 4; ++place) {
        noise = noise * 1664525 + 1013904223;
        const std::uint32_t others = ~(0xffu << 8 * place);
        const Quad a{(noise & others) | std::uint32_t(x) << 8 * place};
        const Quad b{(noise * 7 & others) | std::uint32_t(y) << 8 * place};
        wrong += byte_of(a + b, place) != std::uint8_t(x + y);
        wrong += byte_of(a - b, place) != std::uint8_t(x - y);
        wrong += byte_of(a - std::uint8_t(y), place) != std::uint8_t(x - y);
        wrong += byte_of(std::uint8_t(x) - b, place) != std::uint8_t(x - y);
        wrong += ((a != b).bits() >> place & 1) != unsigned(x != y);
        wrong += ((a == b).bits() >> place & 1) != unsigned(x == y);
        wrong += byte_of(select(a == b, a, ~b), place) != std::uint8_t(x == y ? x : ~y);
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Quads, LoadAndStoreAtAnyAddress) {
  alignas(8) std::uint8_t in[64], out[64];
  for (int k = 0; k < 64; ++k) in[k] = std::uint8_t(k * 37);
  for (std::size_t base = 0; base < 8; ++base) {
    for (int offset = -3; offset <= 3; ++offset) {
      std::fill(std::begin(out), std::end(out), std::uint8_t{0xa5});
      const QuadItem item{20};
      item.store(out + base, item.load(in + base, offset));
      for (std::size_t k = 0; k < 64; ++k) {
        const bool written = k >= base + 20 && k < base + 24;
        EXPECT_EQ(out[k], written ? in[k + std::size_t(offset)] : 0xa5) << base << " " << offset;
      }
    }
  }
}

TEST(Quads, KnowTheirNumbersAndBits) {
  const std::uint64_t mask[] = {0x0123456789abcdef, 0xfedcba9876543210};
  for (std::size_t i = 0; i < 128; i += 4) {
    const QuadItem item{i};
    for (int k = 0; k < 4; ++k) {
      const std::size_t place = i + std::size_t(k);
      EXPECT_EQ(byte_of(item.index(), k), place);
      EXPECT_EQ(item.bit(mask).bits() >> k & 1, mask[place / 64] >> (place % 64) & 1);
    }
  }
}

}  // namespace
}  // namespace fpsynth::teams
