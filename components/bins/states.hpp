#pragma once
// The symbols of BINS in states: asymmetric numeral systems (rANS) of 32 bits, which give and take
// numbers of 16 bits. Symbol i is in state i modulo the number of states.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "components/bins/code.hpp"
#include "components/bins/work.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

/// No state is below it between two symbols.
inline constexpr std::uint32_t kLeastState = 1u << 16;
inline constexpr std::size_t kNoPlace = ~std::size_t{0};

/// The numbers by which teams that go word by word put a symbol into a state: (2^32 - 1) / share,
/// rounded down, the share, and behind it the sum of the shares in front of it.
struct Divisor {
  std::uint32_t reciprocal, share_and_begin;
};
using teams::kShareBits;
/// Reciprocals by the number that describes a share. Not inline: each instruction set has a copy.
struct Reciprocals {
  std::uint32_t of[kRest];
};
constexpr Reciprocals kReciprocals = [] {
  Reciprocals all{{~0u}};
  for (std::uint32_t k = 1; k < kRest; ++k) all.of[k] = ~0u / share_of(k);
  return all;
}();
struct Divisors {
  Divisor of[kSymbols];
  FPSYNTH_INLINE void make(const Code& code) {
    for (std::uint32_t s = code.first, end = s + code.span; s < end; ++s) {
      const std::uint32_t share = code.share[s], number = code.numbers[s];
      of[s] = {number == kRest ? ~0u / share : kReciprocals.of[number],
               share | std::uint32_t{code.begin[s]} << kShareBits};
    }
  }
};
/// The numbers by which they take one out: for each value of a state its symbol, the symbol's
/// share, and how far into that the value is.
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

/// The code of 32 symbols.
template <class Row>
struct Coded {
  const Code* code;
  const Row* row;
  std::uint32_t scale;
  bool ends;  ///< there is no place for these symbols, or they are not in the block
};
/// Code k, with its row of `rows`.
template <class Rows>
FPSYNTH_INLINE auto coded(const Work& work, Rows& rows, std::uint32_t k, bool ends) {
  using Row = std::remove_const_t<std::remove_pointer_t<decltype(rows.row(work, k))>>;
  return Coded<Row>{&work.codes[k], rows.row(work, k), work.codes[k].scale, ends};
}

/// f(count) with the number of vectors of eight states, as a constant.
template <class F>
FPSYNTH_INLINE std::size_t with_vectors(std::uint32_t states, F f) {
  if (states == 8) return f(std::integral_constant<std::size_t, 1>{});
  if (states == 16) return f(std::integral_constant<std::size_t, 2>{});
  return f(std::integral_constant<std::size_t, 4>{});
}

/// Puts n symbols into the states, the last one first; code_of(g) is the number of the code of
/// symbols 32 g and so on. With `Keep`, the numbers that the states give go to `out`, from number
/// `taken` on, which is how many they have given. Returns how many they have given then, or
/// kNoPlace if `taken` or these are more than `most`. The states are visible to all lanes, before
/// and after.
template <bool Keep, teams::Team Team, class CodeOf>
FPSYNTH_INLINE std::size_t put_symbols(Team& team, const Byte* symbols, std::size_t n,
                                       CodeOf code_of, Work& work, std::size_t taken,
                                       std::size_t most, Byte* out) {
  if (taken > most) return kNoPlace;
  if (work.state_count == 0) return taken;
  RowsOf<Team, Divisors> rows;
  taken = team.template run_states<true>(
      work.state_count, n, work.states, taken,
      [=, &work, &rows](std::size_t g, std::size_t given)
          FPSYNTH_INLINED { return coded(work, rows, code_of(g), given > most); },
      [=](const auto& with, std::size_t i, std::uint32_t& state) FPSYNTH_INLINED {
        // Without branches: what a state gives is hard to predict.
        std::uint64_t share;
        if constexpr (Team::kInOrder) {
          share = with.row->of[symbols[i]].share_and_begin & ((1u << kShareBits) - 1);
        } else {
          share = with.code->share[symbols[i]];
        }
        return std::uint32_t(((share << (32 - with.scale)) - 1 - state) >> 63);
      },
      [=](const auto& with, std::size_t i, std::uint32_t& state, std::uint32_t gives,
          std::size_t given) FPSYNTH_INLINED {
        const std::uint32_t symbol = symbols[i];
        std::uint32_t share, begin, times;
        if (Keep && (Team::kInOrder || gives != 0)) put_number<Team>(out, given, state);
        state >>= 16 * gives;
        if constexpr (Team::kInOrder) {
          const Divisor& by = with.row->of[symbol];
          share = by.share_and_begin & ((1u << kShareBits) - 1);
          begin = by.share_and_begin >> kShareBits;
          // At most 1 too few.
          times = std::uint32_t(std::uint64_t{state} * by.reciprocal >> 32);
          times += state - times * share >= share;
        } else {
          share = with.code->share[symbol];
          begin = with.code->begin[symbol];
          times = state / share;
        }
        state = (times << with.scale) + (state - times * share) + begin;
      },
      [=, &work](auto vectors, const auto& with, std::size_t first, std::uint32_t* states,
                 std::size_t given) FPSYNTH_INLINED {
        return with_vectors(work.state_count, [=](auto count) FPSYNTH_INLINED {
          return vectors.template put<Keep, count>(&with.row->of[0].reciprocal, with.scale,
                                                   symbols + first, states, given, out);
        });
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
  if (work.state_count == 0) {
    each(team, n, [=, &work](std::size_t i) {
      symbols[i] = work.codes[code_of(i / teams::kGroupWords)].first;
    });
    return taken;
  }
  RowsOf<Team, Meanings> rows;
  taken = team.template run_states<false>(
      work.state_count, n, work.states, taken,
      [=, &work, &rows](std::size_t g, std::size_t so_far)
          FPSYNTH_INLINED { return coded(work, rows, code_of(g), so_far > most); },
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
              state = state << 16 * takes | (number_at<Team>(in, end - 1 - so_far) & (0u - takes));
            } else if (takes != 0) {
              state = state << 16 | number_at<Team>(in, end - 1 - so_far);
            }
          },
      [=, &work](auto vectors, const auto& with, std::size_t first, std::uint32_t* states,
                 std::size_t so_far) FPSYNTH_INLINED {
        return with_vectors(work.state_count, [=](auto count) FPSYNTH_INLINED {
          return vectors.template get<count>(with.row->of, with.scale, in, end, states, so_far,
                                             symbols + first);
        });
      });
  return taken <= most ? taken : kNoPlace;
}

}  // namespace fpsynth::components::bins
