#pragma once
// The serial team: obvious code, one item after the other. Tests compare every other team with it,
// so it has no optimizations.

#include <cstddef>
#include <cstdint>

#include "components/teams/item.hpp"
#include "components/teams/planes.hpp"
#include "components/teams/team.hpp"

namespace fpsynth::teams {

struct SerialTeam {
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
      const auto interval = length(k);
      call_with_interval(f, k, begin, interval);
      begin += std::size_t(interval);
    }
    return begin == n;
  }
  void flip(std::uint64_t* mask, std::size_t bit, std::uint64_t on) {
    mask[bit / 64] ^= on << (bit % 64);
  }
  void put_bits(std::uint32_t* cells, std::size_t bit, std::uint64_t number) {
    for (; number != 0; number >>= 1, ++bit)
      cells[bit / 32] |= std::uint32_t(number & 1) << bit % 32;
  }
  template <bool Down, class Begin, class Ask, class Go>
  std::size_t run_states(std::size_t states, std::size_t n, std::uint32_t* state, std::size_t count,
                         Begin begin, Ask ask, Go go, auto) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = Down ? n - 1 - k : k;
      const auto with = begin(i / kGroupWords, count);
      if (with.ends) break;
      std::uint32_t& own = state[i % states];
      const std::uint32_t one = ask(with, i, own);
      go(with, i, own, one, count);
      count += one;
    }
    return count;
  }
  void add(std::uint32_t* counter, std::uint32_t amount) { *counter += amount; }
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

  template <class W>
  std::size_t longest_bits(const W* in, std::size_t n, std::uint8_t* bits) {
    for (std::size_t g = 0; g < group_count(n); ++g) {
      bits[g] = longest_bits_of(in + kGroupWords * g, words_of_group(n, g));
    }
    return planes_bytes_of_block<W>(bits, n, kNoPlanes);
  }
  template <class W>
  void pack_planes(const W* in, std::size_t n, const std::uint8_t* bits, std::uint8_t* out) {
    for (std::size_t g = 0; g < group_count(n); ++g) {
      pack_group(in + kGroupWords * g, words_of_group(n, g), bits[g], out);
      out += planes_bytes(words_of_group(n, g), bits[g]);
    }
  }
  template <class W>
  std::size_t unpack_planes(const std::uint8_t* in, std::size_t most, const std::uint8_t* bits,
                            std::size_t n, W* out) {
    const std::size_t bytes = planes_bytes_of_block<W>(bits, n, most);
    if (bytes == kNoPlanes) return kNoPlanes;
    bool good = true;
    for (std::size_t g = 0; g < group_count(n); ++g) {
      good &= unpack_group(in, words_of_group(n, g), bits[g], out + kGroupWords * g);
      in += planes_bytes(words_of_group(n, g), bits[g]);
    }
    return good ? bytes : kNoPlanes;
  }
};
static_assert(Team<SerialTeam>);

}  // namespace fpsynth::teams
