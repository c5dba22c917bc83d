#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/bins/binning.hpp"
#include "components/bins/header.hpp"
#include "components/bins/plan.hpp"
#include "components/bins/raw.hpp"
#include "components/bins/states.hpp"
#include "components/bins/work.hpp"
#include "components/family.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/planes.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components {

/// BINS: an entropy code for the length of every word (or the exponent, of floats) and up to six
/// bits behind it, and the bits below that as they are. Words are in groups of 32; the longest word
/// of a group is its class, by which one of up to eight codes is chosen. A block has codes of its
/// own, so that what it costs follows from it alone. The codes are those of 8 to 32 states, one for
/// a lane, or of none if nothing is coded (rANS: Duda, Asymmetric numeral systems, 2013;
/// interleaved as by Giesen, 2014).
struct Bins : Reducer<Bins> {
  static constexpr std::string_view name = "BINS", suffix = "";
  static constexpr std::uint8_t wire = 13;
  static constexpr bool parametric = false, identity = false;
  static constexpr std::uint8_t frame_fields = 1;
  static constexpr bool has_tables = true;

  template <class W>
  static constexpr std::size_t bound(std::size_t n) {
    return n + 1;
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static Extent measure(Team& team, const W* in, std::size_t n, auto,
                                       const Scratch& scratch) {
    const bins::Binning<W> binning = planned(team, in, n, scratch);
    const std::size_t bytes = bins::put_block<W, false>(team, in, n, binning, scratch, nullptr);
    return {std::uint32_t(bytes == bins::kNoPlace ? n + 1 : words::words_for(bytes, sizeof(W))), 0};
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static Extent encode(Team& team, const W* in, std::size_t n, W* out, auto,
                                      const Scratch& scratch) {
    const bins::Binning<W> binning = planned(team, in, n, scratch);
    Byte* const to = reinterpret_cast<Byte*>(out);
    const std::size_t bytes = bins::put_block<W, true>(team, in, n, binning, scratch, to);
    if (bytes == bins::kNoPlace) {
      team.template for_each<W>(0, n, [=](auto i) { i.store(out + 1, i.load(in)); });
      team.single([=] { out[0] = 0; });
      return {std::uint32_t(n + 1), 0};
    }
    Work& work = bins::work_of(scratch);
    const std::size_t words = words::words_for(bytes, sizeof(W)), all = words * sizeof(W);
    const std::size_t header = work.at[work.code_count + 1], states = work.state_count;
    // Two bytes each: the block is not aligned to more from here on.
    bins::each(team, 2 * states, [=, &work](std::size_t k) {
      bins::put_number<Team>(to, bytes / 2 - 2 * states + k, work.states[k / 2] >> 16 * (k % 2));
    });
    bins::each(team, (all - bytes) / 2,
               [=](std::size_t k) { bins::put_number<Team>(to, bytes / 2 + k, 0); });
    bins::each(team, bins::raw_begin(header) - header, [=](std::size_t k) { to[header + k] = 0; });
    bins::put_header<W>(team, work, std::uint32_t((all - bytes) / 2), to);
    return {std::uint32_t(words), 0};
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static bool decode(Team& team, const W* in, Extent extent, W* out, std::size_t n,
                                    auto, const Scratch& scratch) {
    const Byte* const from = reinterpret_cast<const Byte*>(in);
    const std::size_t bytes = extent.words * sizeof(W);
    if (extent.words == 0) return false;
    if ((from[0] & bins::kMapBits) == Byte(Map::Stored)) {
      if (extent.words != n + 1 || in[0] != 0) return false;
      team.template for_each<W>(0, n, [=](auto i) { i.store(out, i.load(in, 1)); });
      return true;
    }
    Work& work = bins::work_of(scratch);
    team.barrier();
    if (!bins::get_header<W>(team, work, from, bytes)) return false;
    const bins::Binning<W> binning{Map(work.map), work.zeros, W(work.special), work.parts};
    const std::size_t header = work.at[work.code_count + 1], raw_at = bins::raw_begin(header);
    const std::size_t states = work.state_count, fill = 2 * (from[0] >> bins::kFillAt);
    if (raw_at + 4 * states + fill > bytes || bytes % 2 != 0 || fill >= sizeof(W) + (fill == 0)) {
      return false;
    }
    const auto refuse = [=, &team, &work](Byte filler) {
      if (filler != 0) team.add(&work.bad, 1);
    };
    bins::each(team, raw_at - header, [=](std::size_t k) { refuse(from[header + k]); });
    bins::each(team, fill, [=](std::size_t k) { refuse(from[bytes - fill + k]); });
    const std::size_t end = (bytes - fill) / 2 - 2 * states, most = end - raw_at / 2;
    bins::each(team, states, [=, &work](std::size_t k) {
      const std::uint32_t low = bins::number_at<Team>(from, end + 2 * k);
      work.states[k] = low | std::uint32_t{bins::number_at<Team>(from, end + 2 * k + 1)} << 16;
    });
    team.barrier();
    // The classes in scratch.runs, the symbols in scratch.bytes.
    const std::size_t groups = teams::group_count(n);
    Byte* const classes = bins::classes_of(scratch);
    std::size_t taken = bins::get_symbols(
        team, from, end, groups, [](std::size_t) { return bins::kOfClasses; }, work, 0, most,
        classes);
    if (taken == bins::kNoPlace) return false;
    bins::each(team, groups, [=, &team, &work](std::size_t g) {
      const bool coded = classes[g] <= bins::kFarthest && work.code_count > 0;
      if (classes[g] != bins::kSpecialGroup && !coded) team.add(&work.bad, 1);
    });
    if (bins::is_bad(team, work)) return false;
    taken = bins::get_symbols(
        team, from, end, n,
        [=, &work](std::size_t g) { return std::uint32_t{work.code_of[classes[g]]}; }, work, taken,
        most, scratch.bytes);
    if (taken == bins::kNoPlace) return false;
    // The rest of the block are raw bits, the first ones in the states.
    bins::each(team, states, [=, &team, &work](std::size_t k) {
      if (work.states[k] >> 16 != 1) team.add(&work.bad, 1);
      bins::put_number<Team>(work.carried, k, work.states[k]);
    });
    bins::each(team, 8, [=, &work](std::size_t k) {
      bins::put_number<Team>(work.carried, states + k, bins::number_at<Team>(from, raw_at / 2 + k));
    });
    if (bins::is_bad(team, work)) return false;
    return bins::get_raw<W>(team, from + raw_at, 2 * (most - taken), binning, n, scratch, out);
  }

 private:
  using Byte = std::uint8_t;
  using Map = bins::Map;
  using Work = bins::Work;

  /// On processors, measure and encode share it: it is most of the code of both.
  template <class W, class Team>
  __attribute__((noinline)) static bins::Binning<W> shared_plan(Team& team, const W* in,
                                                                std::size_t n,
                                                                const Scratch& scratch) {
    return bins::plan(team, in, n, scratch);
  }
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static bins::Binning<W> planned(Team& team, const W* in, std::size_t n,
                                                 const Scratch& scratch) {
    if constexpr (Team::kInOrder) {
      return shared_plan(team, in, n, scratch);
    } else {
      return bins::plan(team, in, n, scratch);
    }
  }
};

}  // namespace fpsynth::components
