#pragma once
// A group of 32 words on teams that go through a block in order, by packs. Plain loops are steps in
// which numbers change their length; compilers make vectors of them.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "components/bins/binning.hpp"
#include "components/bins/work.hpp"
#include "components/teams/planes.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

/// Keys, symbols and numbers of bits beside words of type W, in vectors of as many as may be.
template <class W>
using Number = std::conditional_t<sizeof(W) <= 2, std::uint16_t, std::uint32_t>;
/// A group and, of short words, the rest of a pack.
template <class T>
struct alignas(64) OfGroup {
  T of[2 * kGroup];
};

/// The mapped words of group g of n, the last of which is followed by those of zeros.
template <class W, teams::Team Team>
FPSYNTH_INLINE void map_group(Team& team, const W* in, std::size_t n, std::size_t g,
                              Binning<W> binning, OfGroup<W>& mapped) {
  const std::size_t some = teams::words_of_group(n, g);
  const W* from = in + kGroup * g;
  OfGroup<W> whole;
  if (some < kGroup) {
    for (std::size_t k = 0; k < 2 * kGroup; ++k) whole.of[k] = k < some ? from[k] : W{0};
    from = whole.of;
  }
  team.template for_each<W>(0, kGroup,
                            [&](auto i) { i.store(mapped.of, binning.mapped(i.load(from))); });
}

template <class W, teams::Team Team>
FPSYNTH_INLINE void group_keys(Team& team, Binning<W> binning, const OfGroup<W>& mapped,
                               OfGroup<Number<W>>& keys) {
  using Key = Number<W>;
  if (binning.is_float()) {
    const int rest = int((binning.below_exponent() - binning.parts) % words::kBits<W>);
    OfGroup<W> own;
    team.template for_each<W>(0, kGroup,
                              [&](auto i) { i.store(own.of, i.load(mapped.of) >> rest); });
    for (std::size_t k = 0; k < kGroup; ++k) keys.of[k] = Key(own.of[k]);
  } else if constexpr (sizeof(W) > 2) {
    for (std::size_t k = 0; k < kGroup; ++k) keys.of[k] = binning.key_by_float(mapped.of[k]);
  } else {
    // As Binning::key_by_float(): no float is rounded.
    OfGroup<Key> own, floats;
    for (std::size_t k = 0; k < kGroup; ++k) {
      const float number = float(std::int32_t(mapped.of[k]));
      floats.of[k] = Key(std::bit_cast<std::uint32_t>(number) >> (23 - binning.parts));
    }
    for (std::size_t k = 0; k < kGroup; ++k) own.of[k] = mapped.of[k];
    team.template for_each<Key>(0, kGroup, [&](auto i) {
      const auto word = i.load(own.of);
      const auto key = i.load(floats.of) - Key((126 + binning.parts) << binning.parts);
      i.store(keys.of, select((word >> int(binning.parts + 1)) != Key{0}, key, word));
    });
  }
}

/// The raw bits behind keys, a pack of them, that have a symbol of their own.
template <class W, class Keys>
FPSYNTH_INLINE Keys rests_of(Binning<W> binning, Keys keys) {
  using Key = Number<W>;
  if (binning.is_float()) return Keys::all(Key(binning.below_exponent() - binning.parts));
  return larger(keys >> int(binning.parts), Keys::all(Key{1})) - Key{1};
}

/// The symbols of group g of n words whose bin has the last key `last`. Returns the number of their
/// raw bits, as if no word were special.
template <class W, teams::Team Team>
FPSYNTH_INLINE std::uint32_t group_symbols(Team& team, const W* in, std::size_t n, std::size_t g,
                                           Binning<W> binning, std::uint32_t last, Byte* symbols) {
  using Key = Number<W>;
  OfGroup<W> mapped;
  OfGroup<Key> keys, counted, own, bits;
  map_group(team, in, n, g, binning, mapped);
  group_keys(team, binning, mapped, keys);
  for (std::size_t k = 0; k < kGroup; ++k) {
    counted.of[k] = Key(Key{0} - Key(mapped.of[k] != binning.special));
  }
  const Key below_all = Key(binning.raw_below_all(last));
  constexpr Key kLeast = Key(~binning.kOwn);
  team.template for_each<Key>(0, kGroup, [&](auto i) {
    const auto key = i.load(keys.of);
    using Keys = decltype(i.load(keys.of));
    // The complement of the distance, which has no sign, from the last key.
    const Keys above = larger(key - Key(last + 1), Keys::all(kLeast));
    i.store(own.of, (Key{0} - above) & i.load(counted.of));
    i.store(bits.of, select(above != kLeast, rests_of(binning, key), Keys::all(below_all)));
  });
  for (std::size_t k = 0; k < kGroup; ++k) symbols[k] = Byte(own.of[k]);
  const std::size_t some = teams::words_of_group(n, g);
  Key raw = 0;
  if (some == kGroup) {
    for (std::size_t k = 0; k < kGroup; ++k) raw = Key(raw + bits.of[k]);
  } else {
    for (std::size_t k = 0; k < some; ++k) raw = Key(raw + bits.of[k]);
  }
  return raw;
}

}  // namespace fpsynth::components::bins
