#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/family.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/planes.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components {

/// CLOG: words in groups of 32, each with as many bits as the longest of its group. A byte per
/// group has that number; they are followed by zeros up to a whole word, then by the groups' bit
/// planes (teams::kGroupWords) and zeros up to a whole word.
struct Clog : Reducer<Clog> {
  static constexpr std::string_view name = "CLOG", suffix = "";
  static constexpr std::uint8_t wire = 11;
  static constexpr bool parametric = false, identity = false;
  static constexpr std::uint8_t frame_fields = 1;

  template <class W>
  static constexpr std::size_t header_words(std::size_t n) {
    return words::words_for(teams::group_count(n), sizeof(W));
  }
  /// A plane of the last group is in whole bytes.
  template <class W>
  static constexpr std::size_t bound(std::size_t n) {
    return header_words<W>(n) + words::words_for(n, 8) * 8;
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static Extent encode(Team& team, const W* in, std::size_t n, W* out, auto,
                                      const Scratch&) {
    Byte* const bits = reinterpret_cast<Byte*>(out);
    const std::size_t header = header_words<W>(n);
    const std::size_t bytes = team.template longest_bits<W>(in, n, bits);
    team.template for_each<Byte>(teams::group_count(n), header * sizeof(W),
                                 [=](auto i) { i.store(bits, Byte{0}); });
    Byte* const planes = bits + header * sizeof(W);
    team.template pack_planes<W>(in, n, bits, planes);
    const Extent result = extent<W>(n, bytes);
    team.template for_each<Byte>(bytes, (result.words - header) * sizeof(W),
                                 [=](auto i) { i.store(planes, Byte{0}); });
    return result;
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static bool decode(Team& team, const W* in, Extent extent, W* out, std::size_t n,
                                    auto, const Scratch&) {
    const std::size_t header = header_words<W>(n);
    if (extent.words < header) return false;
    const Byte* const bits = reinterpret_cast<const Byte*>(in);
    const Byte* const planes = bits + header * sizeof(W);
    const std::size_t most = (extent.words - header) * sizeof(W);
    std::size_t end = team.template unpack_planes<W>(planes, most, bits, n, out);
    if (end == teams::kNoPlanes || most - end >= sizeof(W)) return false;
    bool zeros = true;
    for (std::size_t g = teams::group_count(n); g < header * sizeof(W); ++g) zeros &= bits[g] == 0;
    for (; end < most; ++end) zeros &= planes[end] == 0;
    return zeros;
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static Extent measure(Team& team, const W* in, std::size_t n, auto,
                                       const Scratch& scratch) {
    // A byte per 32 words fits where there is a bit for every word.
    Byte* const bits = reinterpret_cast<Byte*>(scratch.mask);
    return extent<W>(n, team.template longest_bits<W>(in, n, bits));
  }

 private:
  using Byte = std::uint8_t;

  /// The encoding's length, in words, of a block of n words whose planes take `bytes` bytes.
  template <class W>
  FPSYNTH_INLINE static Extent extent(std::size_t n, std::size_t bytes) {
    return {std::uint32_t(header_words<W>(n) + words::words_for(bytes, sizeof(W))), 0};
  }
};

}  // namespace fpsynth::components
