#pragma once
// The raw bits of BINS, of all words in order.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "components/bins/binning.hpp"
#include "components/bins/code.hpp"
#include "components/bins/raw_stream.hpp"
#include "components/bins/work.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/planes.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

/// For teams that go word by word: what the symbols of every class stand for, found when the class
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
    if (!(rows_made_ >> c & 1)) make_row(c);
    return rows_[c];
  }
  /// The symbols of a class by the highest kLongestCode bits that begin with their code.
  FPSYNTH_INLINE const std::uint8_t* symbols(std::uint32_t c) {
    const std::uint32_t k = work_.code_of[c];
    if (!(codes_made_ >> k & 1)) make_symbols(k);
    return symbols_[k];
  }

 private:
  void make_row(std::uint32_t c) {
    rows_made_ |= 1u << c;
    const std::uint32_t top = work_.top - c;
    for (std::uint32_t s = 0; s < kSymbols; ++s) {
      const bool possible = c == kSpecialGroup ? s == 0 : binning_.possible(s, top);
      rows_[c].first[s] = possible ? binning_.word(s, top, 0) : W{0};
      rows_[c].mask[s] = possible ? W(words::low_mask(binning_.raw_bits(s, top))) : W{0};
      rows_[c].raw[s] = possible ? std::uint8_t(binning_.raw_bits(s, top)) : kImpossible;
    }
  }
  void make_symbols(std::uint32_t k) {
    codes_made_ |= 1u << k;
    const Code& code = work_.codes[k];
    std::memset(symbols_[k], code.first, sizeof symbols_[k]);
    if (code.alone) return;
    for (std::uint32_t s = code.first; s <= code.last; ++s) {
      const std::uint32_t length = code.length[s];
      if (length > 0) {
        const std::uint32_t begin = code.bits[s] ^ (0x80u >> length);
        std::memset(symbols_[k] + begin / 2, int(s), kSpace / 2 >> length);
      }
    }
  }

  const Work& work_;
  Binning<W> binning_;
  std::uint32_t rows_made_ = 0, codes_made_ = 0;
  Row rows_[kSymbols];
  std::uint8_t symbols_[kMostCodes + 1][kSpace / 2];
};

/// Writes the raw bits of n words to `out`, which is aligned to 4 and holds zeros; from the symbols
/// in scratch.bytes and the classes.
template <class W, teams::Team Team>
FPSYNTH_INLINE void put_raw(Team& team, const W* in, std::size_t n, Binning<W> binning,
                            const Scratch& scratch, Byte* out) {
  const Work& work = work_of(scratch);
  const Byte *const classes = classes_of(scratch), *const symbols = scratch.bytes;
  if constexpr (Team::kInOrder) {
    with_map<true, W>(binning.map, [&](auto map) {
      const Binning<W> own{map, binning.zeros, binning.special};
      RawSink sink(out);
      SymbolTable<Team, W> table(work, own);
      for (std::size_t g = 0; g < teams::group_count(n); ++g) {
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
      sink.finish();
    });
  } else {
    const auto bits_of = [=, &work](std::size_t i) {
      return binning.raw_bits(symbols[i], work.top - classes[i / kGroup]);
    };
    auto* const cells = reinterpret_cast<std::uint32_t*>(out);
    team.lay(n, work.raw_bits, bits_of, [=, &team](std::size_t i, std::size_t begin) {
      const std::uint32_t bits = bits_of(i);
      if (bits > 0) {
        team.put_bits(cells, begin, std::uint64_t{binning.mapped(in[i])} & words::low_mask(bits));
      }
    });
  }
}

/// Decodes n words from the codes in scratch.bytes and the `bytes` bytes of raw bits at `in`, which
/// is aligned to 4. Returns false if they are none of an encoding.
template <class W, teams::Team Team>
FPSYNTH_INLINE bool get_raw(Team& team, const Byte* in, std::size_t bytes, Binning<W> binning,
                            std::size_t n, const Scratch& scratch, W* out) {
  Work& work = work_of(scratch);
  const Byte* const classes = classes_of(scratch);
  Byte* const symbols = scratch.bytes;
  const std::size_t most = 8 * bytes;
  if constexpr (Team::kInOrder) {
    std::size_t at = 0;
    bool good = true;
    with_map<true, W>(binning.map, [&](auto map) {
      const Binning<W> own{map, binning.zeros, binning.special};
      SymbolTable<Team, W> table(work, own);
      for (std::size_t g = 0; g < teams::group_count(n); ++g) {
        const auto& row = table.row(classes[g]);
        const Byte* const by_code = table.symbols(classes[g]);
        const std::size_t some = teams::words_of_group(n, g);
        W* const to = out + kGroup * g;
        const Byte* const codes = symbols + kGroup * g;
        std::uint32_t any = 0, bits[kGroup];
        W words[kGroup];
        std::size_t sum = 0;
        for (std::size_t k = 0; k < some; ++k) {
          const std::uint32_t symbol = by_code[codes[k] / 2];
          bits[k] = row.raw[symbol];
          words[k] = row.first[symbol];
          any |= bits[k];
          sum += bits[k];
        }
        if ((any & table.kImpossible) != 0 || sum > most - at) {
          good = false;
          return;
        }
        for (std::size_t k = 0; k < some; ++k) {
          const W raw = W(raw_anywhere<words::kBits<W>>(in, at, bits[k]));
          to[k] = own.unmapped(W(words[k] | raw));
          at += bits[k];
        }
      }
    });
    return good && most - at < words::kBits<W>;
  } else {
    const std::uint32_t top = work.top;
    const auto top_of = [=](std::size_t g) { return top - classes[g]; };
    each(team, teams::group_count(n), [=, &team, &work](std::size_t g) {
      const Code& code = work.codes[work.code_of[classes[g]]];
      for (std::size_t i = kGroup * g, end = i + teams::words_of_group(n, g); i < end; ++i) {
        symbols[i] = Byte(code.symbol(symbols[i]));
        if (!binning.possible(symbols[i], top_of(g))) team.add(&work.bad, 1);
      }
    });
    team.barrier();
    if (work.bad) return false;
    const auto bits_of = [=](std::size_t i) {
      return binning.raw_bits(symbols[i], top_of(i / kGroup));
    };
    team.single([&work] { work.raw_bits = ~0u; });
    team.lay(n, most + 1, bits_of, [=, &work](std::size_t i, std::size_t begin) {
      const std::uint32_t bits = bits_of(i);
      if (i + 1 == n) work.raw_bits = std::uint32_t(begin + bits);
      if (begin + bits > most) return;
      const W raw = W(raw_at(in, begin, bits));
      out[i] = binning.unmapped(binning.word(symbols[i], top_of(i / kGroup), raw));
    });
    team.barrier();
    return work.raw_bits <= most && most - work.raw_bits < words::kBits<W>;
  }
}

}  // namespace fpsynth::components::bins
