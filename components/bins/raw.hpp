#pragma once
// The raw bits of BINS, of all words in order. The first 16 for each state are in the states.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "components/bins/binning.hpp"
#include "components/bins/group.hpp"
#include "components/bins/raw_group.hpp"
#include "components/bins/raw_stream.hpp"
#include "components/bins/work.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/planes.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

/// The raw bits of group g of n words of up to 16 bits, on teams that go through a block in order,
/// and in `own` the symbols, of words behind the last one 0.
template <class W, teams::Team Team>
FPSYNTH_INLINE RawOfGroup<W> raw_of_group(Team& team, const Work& work, Binning<W> binning,
                                          const Scratch& scratch, std::size_t n, std::size_t g,
                                          Byte (&own)[kGroup]) {
  const std::uint32_t c = classes_of(scratch)[g];
  std::memcpy(own, scratch.bytes + kGroup * g, kGroup);
  for (std::size_t k = teams::words_of_group(n, g); k < kGroup; ++k) own[k] = 0;
  const bool special = c == kSpecialGroup;
  return {team, binning, own, special, special ? 0 : binning.last_key(work.bin_of(c))};
}

/// For longer words, one by one: what the symbols of every class stand for, found when the class
/// is first met. Team distinguishes what is compiled for its instruction set.
template <class Team, class W>
class SymbolTable {
 public:
  static constexpr std::uint8_t kImpossible = 0x80;
  struct Row {
    W first[kSymbols];           ///< the word without its raw bits
    W mask[kSymbols];            ///< the raw bits
    std::uint8_t raw[kSymbols];  ///< their number, or kImpossible
  };

  FPSYNTH_INLINE SymbolTable(const Work& work, Binning<W> binning)
      : work_(work), binning_(binning) {}
  FPSYNTH_INLINE const Row& row(std::uint32_t c) {
    if (!(made_ >> c & 1)) make_row(c);
    return rows_[c];
  }

 private:
  void make_row(std::uint32_t c) {
    made_ |= 1u << c;
    Row& row = rows_[c];
    const Code& code = work_.codes[work_.code_of[c]];
    const std::uint32_t last = c == kSpecialGroup ? 0 : binning_.last_key(work_.bin_of(c));
    for (std::uint32_t s = code.first, end = s + code.span; s < end; ++s) {
      const bool possible = c == kSpecialGroup ? s == 0 : binning_.possible(s, last);
      const std::uint32_t raw = possible ? binning_.raw_bits(s, last) : 0;
      row.first[s] = possible ? binning_.word(s, last, 0) : W{0};
      row.mask[s] = W(words::low_mask(raw));
      row.raw[s] = possible ? std::uint8_t(raw) : kImpossible;
    }
  }

  const Work& work_;
  Binning<W> binning_;
  std::uint32_t made_ = 0;
  Row rows_[kClasses];
};

/// Shorter words, which go by groups, have none.
struct NoSymbolTable {
  template <class W>
  FPSYNTH_INLINE NoSymbolTable(const Work&, const Binning<W>&) {}
};
template <class Team, class W>
using SymbolTableOf = std::conditional_t<(sizeof(W) > 2), SymbolTable<Team, W>, NoSymbolTable>;

/// Writes the raw bits of n words, from the symbols in scratch.bytes and the classes: the first
/// ones to work.carried, the rest to `out`, unless it is null. `out` is aligned to 4; of lanes, it
/// and work.carried hold zeros. Ends without a barrier.
template <class W, teams::Team Team>
FPSYNTH_INLINE void put_raw(Team& team, const W* in, std::size_t n, Binning<W> binning,
                            const Scratch& scratch, Byte* out) {
  Work& work = work_of(scratch);
  const Byte *const classes = classes_of(scratch), *const symbols = scratch.bytes;
  const std::size_t carried = 16 * work.state_count;
  if constexpr (Team::kInOrder) {
    with_map<true, W>(binning.map, [&](auto map) {
      const Binning<W> own{map, binning.zeros, binning.special, binning.parts};
      // A group that the carried bits end in may go on behind them.
      Byte beyond[8 * kGroup + 16];
      RawSink sink(work.carried, carried / 8, out != nullptr ? out : beyond);
      SymbolTableOf<Team, W> table(work, own);
      for (std::size_t g = 0; g < teams::group_count(n); ++g) {
        if (out == nullptr && sink.in_rest(work.carried)) break;
        if constexpr (sizeof(W) <= 2) {
          Byte group[kGroup];
          const auto raw = raw_of_group(team, work, own, scratch, n, g, group);
          OfGroup<W> words;
          OfGroup<Number<W>> values;
          map_group(team, in, n, g, own, words);
          for (std::size_t k = 0; k < kGroup; ++k) values.of[k] = words.of[k] & raw.masks.of[k];
          put_together<kGroup>(values, raw.counts,
                               [&](auto value, auto count) { sink.put(value, count); });
        } else {
          const auto& row = table.row(classes[g]);
          const W* const from = in + kGroup * g;
          const Byte* const own_symbols = symbols + kGroup * g;
          // Words that have 64 bits together are one number.
          constexpr std::size_t kTogether = 8 / sizeof(W);
          // Compiled apart for whole groups, the number of whose words is a constant.
          const auto put = [&](auto some) {
            for (std::size_t k = 0; k < some; k += kTogether) {
              std::uint64_t value = 0;
              std::uint32_t count = 0;
#if !defined(__CUDACC__)  // which warns of it
#pragma GCC unroll 8
#endif
              for (std::size_t j = 0; j < kTogether; ++j) {
                if (k + j >= some) break;
                const Byte symbol = own_symbols[k + j];
                value |= std::uint64_t{W(own.mapped(from[k + j]) & row.mask[symbol])} << count;
                count += row.raw[symbol];
              }
              sink.put(value, count);
            }
          };
          const std::size_t some = teams::words_of_group(n, g);
          if (some == kGroup) {
            put(std::integral_constant<std::size_t, kGroup>{});
          } else {
            put(some);
          }
        }
      }
      sink.finish();
    });
  } else {
    const auto bits_of = [=, &work](std::size_t i) {
      const std::uint32_t c = classes[i / kGroup];
      return c == kSpecialGroup ? 0
                                : binning.raw_bits(symbols[i], binning.last_key(work.bin_of(c)));
    };
    auto* const cells = reinterpret_cast<std::uint32_t*>(out);
    auto* const first = reinterpret_cast<std::uint32_t*>(work.carried);
    const std::size_t all = out != nullptr ? work.raw_bits : carried;
    team.lay(n, all, bits_of, [=, &team](std::size_t i, std::size_t begin) {
      const std::uint32_t bits = bits_of(i);
      if (bits == 0) return;
      const std::uint64_t raw = std::uint64_t{binning.mapped(in[i])} & words::low_mask(bits);
      // Of what is carried, put_bits() may write as much again as the longest word.
      if (begin < carried) team.put_bits(first, begin, raw);
      if (out == nullptr || begin + bits <= carried) return;
      const std::size_t before = begin < carried ? carried - begin : 0;
      team.put_bits(cells, begin + before - carried, raw >> before);
    });
  }
}

/// True if all bits behind the first `at` are 0: of the `carried` bits at `first` and of those at
/// `in`, which end with a pair of bytes that has one of them.
template <class Team>
FPSYNTH_INLINE bool zeros_behind(const Byte* first, std::size_t carried, const Byte* in,
                                 std::size_t at) {
  if (at >= carried) {
    const std::size_t bits = at - carried;
    return bits % 16 == 0 || number_at<Team>(in, bits / 16) >> bits % 16 == 0;
  }
  std::uint32_t any = std::uint32_t{number_at<Team>(first, at / 16)} >> at % 16;
  FPSYNTH_ROLLED
  for (std::size_t k = at / 16 + 1; k < carried / 16; ++k) any |= number_at<Team>(first, k);
  return any == 0;
}

/// Decodes n words from the symbols in scratch.bytes, the classes, the bits in work.carried and the
/// `bytes` bytes at `in`, which is aligned to 4, the first of which are also behind these. Returns
/// false if they are none of an encoding.
template <class W, teams::Team Team>
FPSYNTH_INLINE bool get_raw(Team& team, const Byte* in, std::size_t bytes, Binning<W> binning,
                            std::size_t n, const Scratch& scratch, W* out) {
  Work& work = work_of(scratch);
  const Byte* const classes = classes_of(scratch);
  const Byte* const symbols = scratch.bytes;
  const std::size_t carried = 16 * work.state_count, most = carried + 8 * bytes;
  const Byte* const first = work.carried;
  if constexpr (Team::kInOrder) {
    std::size_t at = 0;
    bool good = true;
    with_map<true, W>(binning.map, [&](auto map) {
      const Binning<W> own{map, binning.zeros, binning.special, binning.parts};
      SymbolTableOf<Team, W> table(work, own);
      for (std::size_t g = 0; g < teams::group_count(n); ++g) {
        const std::size_t some = teams::words_of_group(n, g);
        W* const to = out + kGroup * g;
        const auto from_carried = [=](std::size_t bit) {
          return bit < carried ? first : in - carried / 8;
        };
        const auto from_rest = [=](std::size_t) { return in - carried / 8; };
        if constexpr (sizeof(W) <= 2) {
          Byte group[kGroup];
          const auto raw = raw_of_group(team, work, own, scratch, n, g, group);
          OfGroup<Number<W>> values;
          const auto get = [&](auto from) FPSYNTH_INLINED {
            return get_apart<kGroup>(
                raw.counts, values, [&](std::size_t bits) { return bits <= most - at; },
                [&](std::size_t bits) {
                  const std::size_t bit = at;
                  at += bits;
                  return raw_anywhere<64>(from(bit), bit, ~std::uint64_t{0});
                });
          };
          good = raw.possible && (at < carried ? get(from_carried) : get(from_rest));
          if (!good) return;
          OfGroup<W> words;
          for (std::size_t k = 0; k < kGroup; ++k) {
            const W word = W(raw.first_word(k) | (values.of[k] & raw.masks.of[k]));
            words.of[k] = group[k] == 0 ? own.special : word;
          }
          team.template for_each<W>(
              0, kGroup, [&](auto i) { i.store(words.of, own.unmapped(i.load(words.of))); });
          if (some == kGroup) {
            std::memcpy(to, words.of, kGroup * sizeof(W));
          } else {
            std::memcpy(to, words.of, some * sizeof(W));
          }
        } else {
          const auto& row = table.row(classes[g]);
          const Byte* const own_symbols = symbols + kGroup * g;
          // Close to the end, the bits are counted before they are read.
          if (most - at < kGroup * table.kImpossible) {
            std::size_t sum = 0;
            for (std::size_t k = 0; k < some; ++k) sum += row.raw[own_symbols[k]];
            if (sum > most - at) {
              good = false;
              return;
            }
          }
          std::uint32_t any = 0;
          const auto get = [&](auto from) FPSYNTH_INLINED {
            std::size_t bit = at;
            for (std::size_t k = 0; k < some; ++k) {
              const std::uint32_t symbol = own_symbols[k];
              const W raw = W(raw_anywhere<words::kBits<W>>(from(bit), bit, row.mask[symbol]));
              to[k] = own.unmapped(W(row.first[symbol] | raw));
              bit += row.raw[symbol];
              any |= row.raw[symbol];
            }
            at = bit;
          };
          if (at < carried) {
            get(from_carried);
          } else {
            get(from_rest);
          }
          if ((any & table.kImpossible) != 0) {
            good = false;
            return;
          }
        }
      }
    });
    return good && raw_bytes(at, work.state_count) == bytes &&
           zeros_behind<Team>(first, carried, in, at);
  } else {
    const auto last_of = [=, &work](std::size_t i) {
      const std::uint32_t c = classes[i / kGroup];
      return c == kSpecialGroup ? 0 : binning.last_key(work.bin_of(c));
    };
    each(team, n, [=, &team, &work](std::size_t i) {
      const bool special = classes[i / kGroup] == kSpecialGroup;
      if (special ? symbols[i] != 0 : !binning.possible(symbols[i], last_of(i))) {
        team.add(&work.bad, 1);
      }
    });
    if (is_bad(team, work)) return false;
    const auto bits_of = [=](std::size_t i) { return binning.raw_bits(symbols[i], last_of(i)); };
    team.single([&work] { work.raw_bits = ~0u; });
    team.lay(n, most + 1, bits_of, [=, &work](std::size_t i, std::size_t begin) {
      const std::uint32_t bits = bits_of(i);
      if (i + 1 == n) work.raw_bits = std::uint32_t(begin + bits);
      if (begin + bits > most) return;
      const W raw =
          W(begin < carried ? raw_at(first, begin, bits) : raw_at(in, begin - carried, bits));
      out[i] = binning.unmapped(binning.word(symbols[i], last_of(i), raw));
    });
    team.barrier();
    return work.raw_bits <= most && raw_bytes(work.raw_bits, work.state_count) == bytes &&
           zeros_behind<Team>(first, carried, in, work.raw_bits);
  }
}

}  // namespace fpsynth::components::bins
