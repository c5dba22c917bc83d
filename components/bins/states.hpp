#pragma once
// The symbols of BINS in states: asymmetric numeral systems (rANS) of 32 bits, which give and take
// numbers of 16 bits. Symbol i is in state i modulo the number of states.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__AVX2__)
#include "components/teams/simd/avx2_states.hpp"
#endif
#include "components/bins/code.hpp"
#include "components/bins/work.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

/// No state is below it between two symbols.
inline constexpr std::uint32_t kLeastState = 1u << 16;
inline constexpr std::size_t kNoPlace = ~std::size_t{0};

/// 2^64 / n, rounded up, for n of 2 and more. The upper half of its product with a number of 32 bits
/// is the number divided by n, if n has no more than 16 bits. For 1, it is 1 less than that.
FPSYNTH_INLINE constexpr std::uint64_t reciprocal(std::uint32_t n) {
  return n > 1 ? ~std::uint64_t{0} / n + 1 : ~std::uint64_t{0};
}
inline __attribute__((always_inline)) std::uint32_t upper_half(std::uint64_t a, std::uint32_t b) {
  __extension__ using Wide = unsigned __int128;
  return std::uint32_t(Wide{a} * b >> 64);
}

/// How teams that go word by word put a symbol into a state: what divides by its share, what the
/// state becomes greater by, in all and for each time that the share is in it.
struct Divisor {
  std::uint64_t reciprocal;
  std::uint32_t more;
  std::uint16_t share, more_each;
};
struct Divisors {
  Divisor of[kSymbols];
  FPSYNTH_INLINE void make(const Code& code) {
    const std::uint32_t values = 1u << code.scale;
    for (std::uint32_t s = code.first, end = s + code.span; s < end; ++s) {
      const std::uint32_t share = code.share[s];
      of[s] = {reciprocal(share), code.begin[s] + (share == 1 ? values - 1 : 0),
               std::uint16_t(share), std::uint16_t(values - share)};
    }
  }
};
/// How they take one out: by the state's value, the symbol, its share, and how far into it.
struct Meanings {
  static constexpr std::uint32_t kTogether = 4;
  std::uint32_t of[(1u << Code::kMostScale) + kTogether];
  FPSYNTH_INLINE void make(const Code& code) {
    for (std::uint32_t s = code.first, end = s + code.span; s < end; ++s) {
      const std::uint32_t share = code.share[s], own = share << 20 | s;
      std::uint32_t* const at = of + code.begin[s];
      // The next symbol overwrites what is too much.
      for (std::uint32_t k = 0; k < share; k += kTogether) {
        for (std::uint32_t j = 0; j < kTogether; ++j) at[k + j] = own + ((k + j) << 8);
      }
    }
  }
};
/// Rows of a table, one for each code, that are made when they are first needed. `Team`
/// distinguishes what is compiled for its instruction set. Teams of lanes have none.
template <class Team, class Row>
class Rows {
 public:
  FPSYNTH_INLINE const Row* row(const Work& work, std::uint32_t k) {
    if (!(made_ >> k & 1)) {
      made_ |= 1u << k;
      rows_[k].make(work.codes[k]);
    }
    return &rows_[k];
  }

 private:
  std::uint32_t made_ = 0;
  Row rows_[kCodes];
};
struct NoRows {
  FPSYNTH_INLINE const void* row(const Work&, std::uint32_t) const { return nullptr; }
};
template <class Team, class Row>
using RowsOf = std::conditional_t<Team::kInOrder, Rows<Team, Row>, NoRows>;

/// What 32 symbols are coded with.
template <class Row>
struct Coded {
  const Code* code;
  const Row* row;
  std::uint32_t scale;
  bool ends;  ///< there is no place for these symbols, or they are not in the block
};
template <class Row>
Coded(const Code*, const Row*, std::uint32_t, bool) -> Coded<Row>;  // clang 14 needs it

/// Puts n symbols into the states, the last one first; code_of(g) is the number of the code of
/// symbols 32 g and so on. With `Keep`, the numbers that the states give go to `out`, from number
/// `taken` on, which is how many they have given. Returns how many they have given then, or kNoPlace
/// if `taken` or these are more than `most`. The states are visible to all lanes, before and after.
template <bool Keep, teams::Team Team, class CodeOf>
FPSYNTH_INLINE std::size_t put_symbols(Team& team, const Byte* symbols, std::size_t n,
                                       CodeOf code_of, Work& work, std::size_t taken,
                                       std::size_t most, Byte* out) {
  if (taken > most) return kNoPlace;
  RowsOf<Team, Divisors> rows;
  taken = team.template run_states<true>(
      work.state_count, n, work.states, taken,
      [=, &work, &rows](std::size_t g, std::size_t given) FPSYNTH_INLINED {
        const std::uint32_t k = code_of(g);
        return Coded{&work.codes[k], rows.row(work, k), work.codes[k].scale, given > most};
      },
      [=](const auto& with, std::size_t i, std::uint32_t& state) FPSYNTH_INLINED {
        // Without branches: what a state gives is hard to predict.
        std::uint64_t share;
        if constexpr (Team::kInOrder) {
          share = with.row->of[symbols[i]].share;
        } else {
          share = with.code->share[symbols[i]];
        }
        return std::uint32_t(((share << (32 - with.scale)) - 1 - state) >> 63);
      },
      [=](const auto& with, std::size_t i, std::uint32_t& state, std::uint32_t gives,
          std::size_t given) FPSYNTH_INLINED {
        const std::uint32_t symbol = symbols[i];
        if constexpr (Team::kInOrder) {
          if (Keep) put_number<Team>(out, given, state);
          state >>= 16 * gives;
          const Divisor& by = with.row->of[symbol];
          state += by.more + upper_half(by.reciprocal, state) * by.more_each;
        } else {
          if (Keep && gives != 0) put_number<Team>(out, given, state);
          state >>= 16 * gives;
          const std::uint32_t share = with.code->share[symbol], times = state / share;
          state = (times << with.scale) + (state - times * share) + with.code->begin[symbol];
        }
      });
  return taken <= most ? taken : kNoPlace;
}

/// Takes n symbols out of the states, the first one first, as put_symbols() put them in. The
/// numbers that the states take end at number `end` of `in`; `taken` of them have been taken.
/// Returns how many have been taken then, or kNoPlace if these are more than `most`.
template <teams::Team Team, class CodeOf>
FPSYNTH_INLINE std::size_t get_symbols(Team& team, const Byte* in, std::size_t end, std::size_t n,
                                       CodeOf code_of, Work& work, std::size_t taken,
                                       std::size_t most, Byte* symbols) {
  RowsOf<Team, Meanings> rows;
#if defined(__AVX2__)
  if constexpr (Team::kInOrder) {
    const std::uint32_t mask = work.state_count - 1;
    alignas(32) std::uint32_t running[32];
    std::memcpy(running, work.states, 4 * work.state_count);
    const std::size_t groups = n / 32;
    for (std::size_t g = 0; g < groups; ++g) {
      if (taken > most) return kNoPlace;
      const std::uint32_t k = code_of(g), scale = work.codes[k].scale;
      const Meanings& row = *rows.row(work, k);
      const __m128i down = _mm_cvtsi32_si128(int(scale));
      const __m256i values = _mm256_set1_epi32(int((1u << scale) - 1)), low12 = _mm256_set1_epi32(0xfff);
      const Byte* at = in + 2 * (end - taken) - 16;
      __m256i found[4];
#pragma GCC unroll 4
      for (int h = 0; h < 4; ++h) {
        __m256i* const own = reinterpret_cast<__m256i*>(running + (8 * h & mask));
        const __m256i x = _mm256_load_si256(own);
        const __m256i e = _mm256_i32gather_epi32(reinterpret_cast<const int*>(row.of), _mm256_and_si256(x, values), 4);
        found[h] = e;
        const __m256i y = _mm256_add_epi32(_mm256_mullo_epi32(_mm256_srli_epi32(e, 20), _mm256_srl_epi32(x, down)),
                                           _mm256_and_si256(_mm256_srli_epi32(e, 8), low12));
        const __m256i small = _mm256_cmpeq_epi32(_mm256_srli_epi32(y, 16), _mm256_setzero_si256());
        const std::uint32_t m = std::uint32_t(_mm256_movemask_ps(_mm256_castsi256_ps(small)));
        const __m256i numbers = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
        const __m256i which = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(teams::kTakenNumbers.of[m])));
        const __m256i more = _mm256_or_si256(_mm256_slli_epi32(y, 16), _mm256_permutevar8x32_epi32(numbers, which));
        _mm256_store_si256(own, _mm256_blendv_epi8(y, more, small));
        at -= 2 * __builtin_popcount(m);
      }
      taken = end - std::size_t(at + 16 - in) / 2;
      const __m256i low8 = _mm256_set1_epi32(0xff);
      for (auto& f : found) f = _mm256_and_si256(f, low8);
      const __m256i bytes = _mm256_packus_epi16(_mm256_packus_epi32(found[0], found[1]), _mm256_packus_epi32(found[2], found[3]));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(symbols + 32 * g), _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
    }
    std::memcpy(work.states, running, 4 * work.state_count);
    if (n % 32 == 0) return taken <= most ? taken : kNoPlace;
    const std::size_t r = team.template run_states<false>(
        work.state_count, n - 32 * groups, work.states, taken,
        [=, &work, &rows](std::size_t, std::size_t so_far) FPSYNTH_INLINED {
          const std::uint32_t k = code_of(groups);
          return Coded{&work.codes[k], rows.row(work, k), work.codes[k].scale, so_far > most};
        },
        [=](const auto& with, std::size_t i, std::uint32_t& state) FPSYNTH_INLINED {
          const std::uint32_t scale = with.scale, value = state & ((1u << scale) - 1);
          const std::uint32_t meaning = with.row->of[value];
          symbols[32 * groups + i] = Byte(meaning);
          state = (meaning >> 20) * (state >> scale) + (meaning >> 8 & 0xfff);
          return std::uint32_t((std::uint64_t{state} - kLeastState) >> 63);
        },
        [=](const auto&, std::size_t, std::uint32_t& state, std::uint32_t takes, std::size_t so_far) {
          state = state << 16 * takes | (number_at<Team>(in, end - 1 - so_far) & (0u - takes));
        });
    return r <= most ? r : kNoPlace;
  }
#endif
  taken = team.template run_states<false>(
      work.state_count, n, work.states, taken,
      [=, &work, &rows](std::size_t g, std::size_t so_far) FPSYNTH_INLINED {
        const std::uint32_t k = code_of(g);
        return Coded{&work.codes[k], rows.row(work, k), work.codes[k].scale, so_far > most};
      },
      [=](const auto& with, std::size_t i, std::uint32_t& state) FPSYNTH_INLINED {
        const std::uint32_t scale = with.scale, value = state & ((1u << scale) - 1);
        if constexpr (Team::kInOrder) {
          const std::uint32_t meaning = with.row->of[value];
          symbols[i] = Byte(meaning);
          state = (meaning >> 20) * (state >> scale) + (meaning >> 8 & 0xfff);
        } else {
          const std::uint32_t symbol = with.code->symbol(value);
          symbols[i] = Byte(symbol);
          state = with.code->share[symbol] * (state >> scale) + value - with.code->begin[symbol];
        }
        return std::uint32_t((std::uint64_t{state} - kLeastState) >> 63);
      },
      [=](const auto&, std::size_t, std::uint32_t& state, std::uint32_t takes, std::size_t so_far)
          FPSYNTH_INLINED {
            if constexpr (Team::kInOrder) {
              state = state << 16 * takes |
                      (number_at<Team>(in, end - 1 - so_far) & (0u - takes));
            } else if (takes != 0) {
              state = state << 16 | number_at<Team>(in, end - 1 - so_far);
            }
          });
  return taken <= most ? taken : kNoPlace;
}

}  // namespace fpsynth::components::bins
