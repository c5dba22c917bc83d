#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/bins/binning.hpp"
#include "components/bins/code.hpp"
#include "components/bins/header.hpp"
#include "components/bins/plan.hpp"
#include "components/bins/planes.hpp"
#include "components/bins/raw.hpp"
#include "components/bins/work.hpp"
#include "components/family.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/planes.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components {

/// BINS: an entropy code for the length of every word (or the exponent, of floats), and the bits
/// below that as they are. Words are in groups of 32; the longest word of a group is its class, by
/// which one of up to eight codes is chosen. A block has codes of its own, so that what it costs
/// follows from it alone. The bits of codes are stored as planes: the first bit of all, the second
/// one of those that have it, and so on. So no lane waits for the code before its own.
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
    return {std::uint32_t(bins::plan<W, false>(team, in, n, scratch).words), 0};
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static Extent encode(Team& team, const W* in, std::size_t n, W* out, auto,
                                      const Scratch& scratch) {
    const bins::Plan<W> planned = bins::plan<W, true>(team, in, n, scratch);
    Byte* const to = reinterpret_cast<Byte*>(out);
    if (planned.binning.map == Map::Stored) {
      team.template for_each<W>(0, n, [=](auto i) { i.store(out + 1, i.load(in)); });
      team.single([=] { out[0] = 0; });
      return {std::uint32_t(n + 1), 0};
    }
    Work& work = bins::work_of(scratch);
    const std::size_t header = work.header_bytes;
    team.single([=, &work] { bins::put_header<W>(work, to); });
    team.template for_each<Byte>(header, planned.words * sizeof(W),
                                 [=](auto i) { i.store(to, Byte{0}); });
    team.barrier();
    // The raw bits first: the planes use up the symbols.
    bins::put_raw<W>(team, in, n, planned.binning, scratch,
                     to + bins::raw_begin(header + work.plane_bytes));
    bins::put_all_planes(team, n, scratch, to + header);
    return {std::uint32_t(planned.words), 0};
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
    team.single([=, &work]() FPSYNTH_INLINED { bins::get_header<W>(work, from, bytes); });
    team.barrier();
    if (work.bad) return false;
    const bins::Binning<W> binning{Map(work.map), work.zeros, W(work.special)};
    const Byte* at = from + work.header_bytes;
    const Byte* const end = from + bytes;
    // The classes in scratch.runs, the symbols in scratch.bytes; `out` is free until all are known.
    Byte* const limits = reinterpret_cast<Byte*>(out);
    const std::size_t groups = teams::group_count(n);
    Byte* const classes = bins::classes_of(scratch);
    if (!bins::get_planes(team, groups, at, end, classes, limits, scratch,
                          [&work](std::size_t) -> const Code& { return work.classes; })) {
      return false;
    }
    bins::each(team, groups, [=, &team, &work](std::size_t g) {
      classes[g] = Byte(work.classes.symbol(classes[g]));
      const bool coded = work.code_count > 0 && classes[g] <= work.top;
      if (classes[g] != bins::kSpecialGroup && !coded) team.add(&work.bad, 1);
    });
    team.barrier();
    if (work.bad) return false;
    if (!bins::get_planes(team, n, at, end, scratch.bytes, limits, scratch,
                          [=, &work](std::size_t g) -> const Code& {
                            return work.codes[work.code_of[classes[g]]];
                          })) {
      return false;
    }
    const std::size_t raw_at = bins::raw_begin(std::size_t(at - from));
    return raw_at <= bytes &&
           bins::get_raw<W>(team, from + raw_at, bytes - raw_at, binning, n, scratch, out);
  }

 private:
  using Byte = std::uint8_t;
  using Map = bins::Map;
  using Work = bins::Work;
  using Code = bins::Code;
};

}  // namespace fpsynth::components
