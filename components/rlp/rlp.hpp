#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/count_runs.hpp"
#include "components/family.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components {

/// RLP, run-length encoding in the words of the MPC paper (IV.D): "replaces repeating values by a
/// count and a single copy of the value". A run is equal words, one or more. First a word for every
/// run, its length - 1, then the runs' values. Runs of bytes are cut into pieces of at most 256.
struct Rlp : Reducer<Rlp> {
  static constexpr std::string_view name = "RLP", suffix = "";
  static constexpr std::uint8_t wire = 12;
  static constexpr bool parametric = false, identity = false;
  static constexpr std::uint8_t frame_fields = 1;

  template <class W>
  static constexpr std::size_t bound(std::size_t n) {
    return 2 * n;
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static Extent encode(Team& team, const W* in, std::size_t n, W* out, auto,
                                      const Scratch& scratch) {
    const std::uint64_t* const starts = find_runs<W>(team, in, n, scratch);
    const std::size_t runs = team.count_bits(starts, n);
    // A count is the distance to the next beginning, for bytes modulo 256. Phases over bytes load
    // aligned blocks; words find room where the values will be.
    W* begins = out + runs;
    if constexpr (sizeof(W) == 1) begins = scratch.bytes;
    team.template compact<W>(n, starts, begins, [=](auto i) { return i.index(); });
    team.single([=] { begins[runs] = W(n); });
    team.barrier();
    team.template for_each<W>(
        0, runs, [=](auto i) { i.store(out, i.load(begins, 1) - i.load(begins) - W(1)); });
    team.template compact<W>(n, starts, out + runs, [=](auto i) { return i.load(in); });
    return extent(runs);
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static bool decode(Team& team, const W* in, Extent extent, W* out, std::size_t n,
                                    auto, const Scratch& scratch) {
    const std::size_t runs = extent.words / 2;
    if (extent.words % 2 != 0 || runs == 0 || runs > n) return false;
    const W* const values = in + runs;
    if constexpr (Team::kInOrder) {
      return decode_in_order<W>(team, in, values, runs, out, n, scratch.mask);
    } else {
      std::uint64_t* const starts = scratch.mask;
      team.template for_each<std::uint64_t>(0, words::words_for(n, 64),
                                            [=](auto i) { i.store(starts, std::uint64_t{0}); });
      // A run that is too long ends behind the block, wherever it begins.
      const bool complete = team.lay(
          runs, n, [=](std::size_t k) { return in[k] < n ? std::size_t(in[k]) + 1 : n + 1; },
          [=, &team](std::size_t, std::size_t begin) { team.flip(starts, begin, 1); });
      return complete && team.template expand_last<W>(n, starts, values, runs, out);
    }
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static Extent measure(Team& team, const W* in, std::size_t n, auto,
                                       const Scratch& scratch) {
    return extent(team.count_bits(find_runs<W>(team, in, n, scratch), n));
  }

 private:
  FPSYNTH_INLINE static Extent extent(std::size_t runs) { return {std::uint32_t(2 * runs), 0}; }

  /// For teams that process a block in ascending order. Runs of one word are copied together.
  template <class W, teams::Team Team>
  static bool decode_in_order(Team& team, const W* counts, const W* values, std::size_t runs,
                              W* out, std::size_t left, std::uint64_t* longer) {
    team.template flags<W>(runs, longer, [=](auto i) { return i.load(counts) != W{0}; });
    std::size_t done = 0;  // runs
    const auto copy_up_to = [&](std::size_t run) {
      const std::size_t length = run - done;
      if (length > left) return false;
      team.template copy<W>(values + done, length, out);
      out += length;
      left -= length;
      done = run;
      return true;
    };
    for (std::size_t m = 0; 64 * m < runs; ++m) {
      for (std::uint64_t bits = longer[m]; bits != 0; bits &= bits - 1) {
        const std::size_t run = 64 * m + std::size_t(__builtin_ctzll(bits));
        if (!copy_up_to(run) || counts[run] >= left) return false;
        const std::size_t length = std::size_t(counts[run]) + 1;
        team.template fill<W>(values[run], length, out);
        out += length;
        left -= length;
        done = run + 1;
      }
    }
    return copy_up_to(runs) && left == 0;
  }

  /// The mask of the words at which a run, or a piece of one, begins. The caller must call a
  /// collective next, which has the barrier.
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static std::uint64_t* find_runs(Team& team, const W* in, std::size_t n,
                                                 const Scratch& scratch) {
    team.template flags<W>(n, scratch.mask, [=](auto i) { return i.load(in) != i.load(in, -1); });
    if constexpr (sizeof(W) == 1) {
      mark_pieces<256>(team, n, scratch, [](auto first, auto) { return first; });
      return scratch.starts;
    } else {
      team.single([=] { scratch.mask[0] |= 1; });
      return scratch.mask;
    }
  }
};

}  // namespace fpsynth::components
