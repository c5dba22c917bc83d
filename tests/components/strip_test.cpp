// Operations of a lane of a thread block on several bytes at once, compared with single bytes.

#include "components/teams/strip.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "components/scratch.hpp"
#include "components/teams/block.hpp"
#include "components/teams/byte_scan.hpp"
#include "components/teams/byte_stream.hpp"
#include "tests/support/emulated/hardware.hpp"

namespace fpsynth::teams {
namespace {

std::uint8_t byte_of(Quad quad, int place) { return std::uint8_t(quad.bytes >> 8 * place); }
template <int N>
std::uint8_t byte_of(const Quads<N>& quads, int place) {
  return byte_of(quads.part[place / 4], place % 4);
}

class Noise {
 public:
  std::uint32_t next() { return state_ = state_ * 1664525 + 1013904223; }
  std::uint32_t below(std::uint32_t end) { return (next() >> 8) % end; }

 private:
  std::uint32_t state_ = 12345;
};

TEST(Quads, ComputeLikeBytes) {
  Noise noise;
  int wrong = 0;
  for (int x = 0; x < 256; ++x) {
    for (int y = 0; y < 256; ++y) {
      for (int place = 0; place < 4; ++place) {
        const std::uint32_t others = ~(0xffu << 8 * place), random = noise.next();
        const Quad a{(random & others) | std::uint32_t(x) << 8 * place};
        const Quad b{(random * 7 & others) | std::uint32_t(y) << 8 * place};
        wrong += byte_of(a + b, place) != std::uint8_t(x + y);
        wrong += byte_of(a - b, place) != std::uint8_t(x - y);
        wrong += ((a != b).bits() >> place & 1) != unsigned(x != y);
        wrong += ((a == b).bits() >> place & 1) != unsigned(x == y);
        wrong += byte_of(select(a == b, a, ~b), place) != std::uint8_t(x == y ? x : ~y);
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

template <int N>
void compute_like_bytes() {
  Noise noise;
  for (int round = 0; round < 1000; ++round) {
    Quads<N> a, b;
    for (int k = 0; k < N; ++k) {
      a.part[k] = {noise.next()};
      b.part[k] = {noise.below(4) ? noise.next() : a.part[k].bytes};
    }
    const std::uint8_t plain = byte_of(a, 5);
    const QuadsFlags<N> equal = a == b, other = a != plain;
    const Quads<N> sum = a + b, chosen = select(equal, a - b, plain | (b & std::uint8_t{0x7f}));
    for (int k = 0; k < 4 * N; ++k) {
      const std::uint8_t x = byte_of(a, k), y = byte_of(b, k);
      EXPECT_EQ(byte_of(sum, k), std::uint8_t(x + y));
      EXPECT_EQ(byte_of(~(a ^ b), k), std::uint8_t(~(x ^ y)));
      EXPECT_EQ(byte_of(chosen, k), x == y ? 0 : plain | (y & 0x7f));
      EXPECT_EQ(equal.bits() >> k & 1, unsigned(x == y));
      EXPECT_EQ(other.bits() >> k & 1, unsigned(x != plain));
    }
    EXPECT_EQ(equal.count(), unsigned(std::popcount(equal.bits())));
  }
}

TEST(Pairs, ComputeLikeBytes) { compute_like_bytes<2>(); }
TEST(Strips, ComputeLikeBytes) { compute_like_bytes<4>(); }

template <int N>
void load_and_store() {
  alignas(16) std::uint8_t in[256], out[256];
  for (int k = 0; k < 256; ++k) in[k] = std::uint8_t(k * 37);
  const QuadsItem<N> item{96};
  for (int offset = -64; offset <= 64; ++offset) {
    for (std::size_t base = 0; base < 16; ++base) {
      std::fill(std::begin(out), std::end(out), std::uint8_t{0xa5});
      item.store(out + base, item.load(in, offset));
      for (std::size_t k = 0; k < 256; ++k) {
        const bool written = k >= base + 96 && k < base + 96 + 4 * N;
        ASSERT_EQ(out[k], written ? in[k - base + std::size_t(offset)] : 0xa5) << base << " " << k;
      }
    }
  }
}

TEST(Pairs, LoadAtAnyOffsetAndStoreToAnyAddress) { load_and_store<2>(); }
TEST(Strips, LoadAtAnyOffsetAndStoreToAnyAddress) { load_and_store<4>(); }

template <int N>
void know_numbers_and_bits() {
  const std::uint64_t mask[] = {0x0123456789abcdef, 0xfedcba9876543210};
  for (std::size_t i = 0; i < 512; i += 4 * N) {
    const QuadsItem<N> item{i};
    for (int k = 0; k < 4 * N; ++k) {
      const std::size_t place = i + std::size_t(k);
      EXPECT_EQ(byte_of(item.index(), k), std::uint8_t(place));
      if (i < 128) {
        EXPECT_EQ(item.bit(mask).bits() >> k & 1, mask[place / 64] >> (place % 64) & 1);
      }
    }
  }
}

TEST(Pairs, KnowTheirNumbersAndBits) { know_numbers_and_bits<2>(); }
TEST(Strips, KnowTheirNumbersAndBits) { know_numbers_and_bits<4>(); }

/// A buffer larger than the output, so that writes outside of the output are detected.
struct GuardedBuffer {
  alignas(4) std::uint8_t bytes[128];
  GuardedBuffer() { std::fill(std::begin(bytes), std::end(bytes), std::uint8_t{0xa5}); }
};

struct Tables : QuadTables {
  alignas(4) std::byte memory[QuadTables::kBytes];
  Tables() : QuadTables(memory) {
    fill(1, 2);
    fill(0, 2);
  }
};

TEST(ByteStreams, SqueezeAndExpandBytesFromAndToAnyAddress) {
  const Tables tables;
  Noise noise;
  for (int round = 0; round < 20000; ++round) {
    const std::uint32_t from = noise.below(8),
                        bits = noise.next() & (noise.below(2) ? noise.next() : ~0u);
    alignas(8) std::uint8_t values[32], kept[33];
    std::uint32_t count = 0;
    for (std::uint32_t k = 0; k < 32; ++k) {
      values[k] = std::uint8_t(noise.next() >> 8);
      if (bits >> k & 1) kept[count++] = values[k];
    }
    GuardedBuffer buffer;
    ByteSink sink(buffer.bytes + 16 + from);
    for (std::uint32_t k = 0; k < 8; ++k) {
      sink.put(tables.squeezed(Quad(load_four(values + 4 * k)), bits >> 4 * k & 0xf));
    }
    sink.finish();
    for (std::uint32_t k = 0; k < 128; ++k) {
      const std::uint32_t place = k - 16 - from;
      ASSERT_EQ(buffer.bytes[k], place < count ? kept[place] : 0xa5) << round << " " << k;
    }
    ByteSource zeros(buffer.bytes + 16 + from), again(buffer.bytes + 15 + from);
    std::uint8_t last = 0xa5;
    for (std::uint32_t k = 0; k < 4; ++k) {
      const std::uint32_t eight = bits >> 8 * k & 0xff;
      const Pair expanded = tables.expanded(zeros.next(), eight);
      const Pair repeated = tables.expanded_last(again.next(), eight);
      for (int b = 0; b < 8; ++b) {
        const std::size_t i = 8 * k + std::size_t(b);
        if (eight >> b & 1) last = values[i];
        ASSERT_EQ(byte_of(expanded, b), eight >> b & 1 ? values[i] : 0);
        ASSERT_EQ(byte_of(repeated, b), last);
      }
      zeros.skip(words::count_bits32(eight));
      again.skip(words::count_bits32(eight));
    }
  }
}

TEST(ByteStreams, LanesWriteRunsSideBySide) {
  Noise noise;
  for (int round = 0; round < 20000; ++round) {
    constexpr std::uint32_t kLanes = 5, kMost = 20;
    const std::uint32_t from = noise.below(4);
    // Many lanes have nothing, or less than a word.
    std::uint32_t counts[kLanes], all = 0;
    for (std::uint32_t& count : counts) {
      count = noise.below(3) == 0 ? noise.below(kMost) : noise.below(3);
      all += count;
    }
    std::uint8_t bytes[kLanes * kMost];
    for (std::uint8_t& byte : bytes) byte = std::uint8_t(noise.next() >> 8);
    GuardedBuffer buffer;
    std::uint8_t* const to = buffer.bytes + 16 + from;
    std::vector<RunSink> sinks;
    for (std::uint32_t lane = 0, at = 0; lane < kLanes; at += counts[lane++]) {
      sinks.emplace_back(to + at);
    }
    // In descending order, so that lanes overwrite what those after them have written.
    for (std::uint32_t lane = kLanes, at = all; lane-- > 0;) {
      at -= counts[lane];
      for (std::uint32_t k = 0; k < counts[lane];) {
        const std::uint32_t some = std::min(noise.below(5), counts[lane] - k);
        std::uint32_t four = noise.next();
        std::memcpy(&four, bytes + at + k, some);
        sinks[lane].put({four, 8 * some});
        k += some;
      }
    }
    for (std::uint32_t k = 0; k < from; ++k) buffer.bytes[16 + k] = 0xa5;
    for (const RunSink& sink : sinks) sink.finish();
    for (std::uint32_t k = 0; k < 128; ++k) {
      const std::uint32_t place = k - 16 - from;
      ASSERT_EQ(buffer.bytes[k], place < all ? bytes[place] : 0xa5) << round << " " << k;
    }
  }
}

/// Scans two runs, of which the second goes on with the totals of the first.
template <class Op, int Doublings>
void scan_in_two_runs(std::uint32_t stride, std::uint32_t run) {
  Noise noise;
  std::vector<std::uint8_t> in(2 * run), out(2 * run), expected(2 * run);
  for (auto& byte : in) byte = std::uint8_t(noise.next() >> 8);
  for (std::size_t i = 0; i < in.size(); ++i) {
    expected[i] = i < stride ? in[i] : Op{}(in[i], expected[i - stride]);
  }
  const auto pair = [&](std::uint32_t i) {
    Pair bytes;
    std::memcpy(bytes.part, in.data() + i, 8);
    return bytes;
  };
  ByteTotals<Op> totals(stride);
  ByteScan<Op, Doublings> first(stride);
  const auto store = [&](std::uint32_t i, Pair found) {
    std::memcpy(out.data() + i, found.part, 8);
  };
  for (std::uint32_t i = 0; i < run; i += 8) {
    totals.add(pair(i));
    store(i, first.next(pair(i)));
  }
  EXPECT_EQ(first.columns(), totals.columns());
  ByteScan<Op, Doublings> second(stride, totals.columns());
  for (std::uint32_t i = run; i < 2 * run; i += 8) store(i, second.next(pair(i)));
  EXPECT_EQ(out, expected);
}

TEST(ByteScans, WithEveryStride) {
  for (std::uint32_t stride = 1; stride <= kMostColumns; ++stride) {
    for (std::uint32_t rows = 1; rows <= 3; ++rows) {
      SCOPED_TRACE(stride);
      const std::uint32_t run = rows * bytes_of_columns(stride);
      EXPECT_EQ(bytes_of_columns(stride) % 16, 8u);
      EXPECT_EQ(run % stride, 0u);
      if (stride < 2) {
        scan_in_two_runs<words::Plus, 2>(stride, run);
        scan_in_two_runs<words::Xor, 2>(stride, run);
      } else if (stride < 4) {
        scan_in_two_runs<words::Plus, 1>(stride, run);
        scan_in_two_runs<words::Xor, 1>(stride, run);
      } else {
        scan_in_two_runs<words::Plus, 0>(stride, run);
        scan_in_two_runs<words::Xor, 0>(stride, run);
      }
    }
  }
}

/// BlockTeam::with_prior() on blocks of any length, by one lane or by whole warps.
void subtract_prior(std::uint32_t lanes, std::size_t n, std::size_t distance) {
  using Team = BlockTeam<EmulatedHardware>;
  SCOPED_TRACE(::testing::Message()
               << distance << " before, " << lanes << " lanes, " << n << " bytes");
  Noise noise;
  components::BlockBuffer in(n), out(n);
  auto* const from = reinterpret_cast<std::uint8_t*>(in.data());
  auto* const to = reinterpret_cast<std::uint8_t*>(out.data());
  for (std::size_t i = 0; i < n; ++i) from[i] = std::uint8_t(noise.below(256));
  emulate({1, lanes, Team::memory_bytes(n, lanes)}, [&](EmulatedHardware hardware) {
    Team team(hardware, hardware.shared());
    const auto f = [](auto value, auto prior) { return value - prior; };
    EXPECT_TRUE(team.with_prior(from, n, distance, to, f));
    EXPECT_FALSE(team.with_prior(from, n, 9, to, f));
    EXPECT_FALSE(team.with_prior(from, n, distance, to + 8, f));
  });
  int wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    wrong += to[i] != std::uint8_t(from[i] - (i < distance ? 0 : from[i - distance]));
  }
  EXPECT_EQ(wrong, 0);
}

TEST(WithPrior, EqualsOneByteAfterTheOther) {
  for (const std::uint32_t lanes : {1, 32, 64}) {
    for (const std::size_t n : {0, 1, 5, 15, 16, 17, 500, 3583, 3584, 3600, 4096, 8192, 9001}) {
      for (const std::size_t distance : {1, 3, 4, 5, 8}) subtract_prior(lanes, n, distance);
    }
  }
}

}  // namespace
}  // namespace fpsynth::teams
