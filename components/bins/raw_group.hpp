#pragma once
// The raw bits of a group of 32 words of up to 16 bits, on teams that go through a block in order.
// A word of 16 bits for itself takes twice as long for its bytes as one of 32.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "components/bins/binning.hpp"
#include "components/bins/group.hpp"
#include "components/bins/work.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

/// The raw bits that 32 symbols of a class leave, of words of up to 16 bits.
template <class W>
struct RawOfGroup {
  static_assert(sizeof(W) <= 2);
  using Bits = Number<W>;
  OfGroup<Bits> counts, masks;  ///< of the raw bits of each word
  OfGroup<Number<W>> left;      ///< of its key, in front of these
  bool possible;                ///< a word of the class can have each of the symbols

  template <teams::Team Team>
  FPSYNTH_INLINE RawOfGroup(Team& team, Binning<W> binning, const Byte* symbols, bool special,
                            std::uint32_t last_key) {
    using Key = Number<W>;
    const Key last = Key(special ? 0 : last_key + 1),
              below_all = Key(binning.raw_below_all(last_key));
    OfGroup<Key> own, beyond;
    for (std::size_t k = 0; k < kGroup; ++k) own.of[k] = symbols[k];
    team.template for_each<Key>(0, kGroup, [&](auto i) {
      const auto symbol = i.load(own.of);
      using Keys = decltype(i.load(own.of));
      const Keys key = last - symbol, none = Keys::all(0), rests = rests_of(binning, key);
      const auto counts_of = [&](Keys of_key, Keys of_all) {
        return select(symbol != Key{0}, select(symbol != Key(binning.kBelowAll), of_key, of_all),
                      none);
      };
      i.store(beyond.of, larger(symbol, Keys::all(last)));
      i.store(counts.of, counts_of(rests, Keys::all(below_all)));
      i.store(left.of,
              counts_of(binning.is_float() ? key : key - (rests << int(binning.parts)), none));
    });
    Key any = 0;
    for (std::size_t k = 0; k < kGroup; ++k) any = Key(any | (beyond.of[k] ^ last));
    possible = any == 0;
    for (std::size_t k = 0; k < kGroup; ++k) {
      // There are vectors of 32 bits with a shift for each lane.
      masks.of[k] = Bits((1u << counts.of[k] % 32) - 1);
    }
  }
  /// The bits that word k has in front of the raw ones.
  FPSYNTH_INLINE std::uint32_t first_word(std::size_t k) const {
    return std::uint32_t{left.of[k]} << counts.of[k] % 32;
  }
};

/// The numbers of bits of two neighbours of N each.
template <std::size_t N, class Part, class Both>
FPSYNTH_INLINE void add_pairs(const OfGroup<Part>& counts, OfGroup<Both>& sums) {
  for (std::size_t k = 0; k < N / 2; ++k) {
    Both both;
    std::memcpy(&both, counts.of + 2 * k, sizeof both);
    sums.of[k] = (both & Part(~Part{0})) + (both >> 8 * sizeof(Part));
  }
}
template <class Part>
using Twice = std::conditional_t<sizeof(Part) == 2, std::uint32_t, std::uint64_t>;

/// put(value, count) with N numbers of `counts` bits, of which neighbours that have 64 bits
/// together are one number.
template <std::size_t N, class Part, class Put>
FPSYNTH_INLINE void put_together(const OfGroup<Part>& values, const OfGroup<Part>& counts,
                                 Put put) {
  if constexpr (sizeof(Part) == 8) {
    for (std::size_t k = 0; k < N; ++k) put(values.of[k], std::uint32_t(counts.of[k]));
  } else {
    using Both = Twice<Part>;
    OfGroup<Both> joined, sums;
    for (std::size_t k = 0; k < N / 2; ++k) {
      constexpr Both kLow = Part(~Part{0});
      Both both, first;
      std::memcpy(&both, values.of + 2 * k, sizeof both);
      std::memcpy(&first, counts.of + 2 * k, sizeof first);
      joined.of[k] = (both & kLow) | (both >> 8 * sizeof(Part)) << (first & kLow);
    }
    add_pairs<N>(counts, sums);
    put_together<N / 2>(joined, sums, put);
  }
}
/// The inverse: get(number k, count) has the number in its lowest bits; all others may be anything,
/// as those of the values are. Nothing is read if good(bits of all) is false.
template <std::size_t N, class Part, class Good, class Get>
FPSYNTH_INLINE bool get_apart(const OfGroup<Part>& counts, OfGroup<Part>& values, Good good,
                              Get get) {
  if constexpr (sizeof(Part) == 8) {
    std::size_t all = 0;
    for (std::size_t k = 0; k < N; ++k) all += counts.of[k];
    if (!good(all)) return false;
    for (std::size_t k = 0; k < N; ++k) values.of[k] = get(counts.of[k]);
  } else {
    using Both = Twice<Part>;
    OfGroup<Both> joined, sums;
    add_pairs<N>(counts, sums);
    if (!get_apart<N / 2>(sums, joined, good, get)) return false;
    for (std::size_t k = 0; k < N / 2; ++k) {
      constexpr Both kLow = Part(~Part{0});
      Both first;
      std::memcpy(&first, counts.of + 2 * k, sizeof first);
      const Both both = (joined.of[k] & kLow) | joined.of[k] >> (first & kLow) << 8 * sizeof(Part);
      std::memcpy(values.of + 2 * k, &both, sizeof both);
    }
  }
  return true;
}

}  // namespace fpsynth::components::bins
