#pragma once
// Makes a stage table out of the registry for one team. Included by one source file per team.

#include <array>
#include <cstddef>

#include "components/count_block.hpp"
#include "components/registry.hpp"
#include "components/stage_table.hpp"
#include "components/teams/team.hpp"
#include "components/words/word_type.hpp"

namespace fpsynth::components {

/// StageOps::measured of a family, and null if the counts do not decide its output's length. A
/// template on the team, so that each instruction set has a copy of its own.
template <class Team, class Family, class W>
struct MeasuredBy {
  static constexpr decltype(StageOps::measured) function = nullptr;
};
template <class Team, Counted Family, class W>
struct MeasuredBy<Team, Family, W> {
  static Extent function(const teams::WordCounts& counts, std::size_t n) {
    return Family::template measured<W>(counts, n);
  }
};

/// StageOps::count_output of a family, and null if it has none.
template <class Team, class Family, class W>
struct CountedByOutput {
  static constexpr decltype(StageOps::count_output) function = nullptr;
};
template <class Team, class Family, class W>
requires requires(Team& team, const CountedBlock& in, Scratch scratch, teams::BlockCounts counts) {
  Family::template count_output<W>(team, in, 1, 1u, scratch, counts);
}
struct CountedByOutput<Team, Family, W> {
  static bool function(const CountedBlock& in, std::size_t n, unsigned parameter,
                       const Scratch& scratch, teams::BlockCounts& counts) {
    Team team;
    return Family::template count_output<W>(team, in, n, parameter, scratch, counts);
  }
};

/// The entry points of one family at one word size; see StageOps for the contract.
template <teams::Team Team, class Family, class W>
struct Bound {
  static Extent encode(const std::byte* in, std::size_t n, std::byte* out, unsigned parameter,
                       const Scratch& scratch) {
    Team team;
    const Extent extent = Family::template encode<W>(team, reinterpret_cast<const W*>(in), n,
                                                     reinterpret_cast<W*>(out), parameter, scratch);
    team.barrier();
    return extent;
  }
  static bool decode(const std::byte* in, Extent extent, std::byte* out, std::size_t n,
                     unsigned parameter, const Scratch& scratch) {
    Team team;
    const bool good = Family::template decode<W>(team, reinterpret_cast<const W*>(in), extent,
                                                 reinterpret_cast<W*>(out), n, parameter, scratch);
    team.barrier();
    return good;
  }
  static Extent measure(const std::byte* in, std::size_t n, unsigned parameter,
                        const Scratch& scratch) {
    Team team;
    return Family::template measure<W>(team, reinterpret_cast<const W*>(in), n, parameter, scratch);
  }
  static constexpr StageOps ops{encode, decode, measure, MeasuredBy<Team, Family, W>::function,
                                CountedByOutput<Team, Family, W>::function};
};

template <template <class, class> class Entry, class List>
struct EntryTable;
template <template <class, class> class Entry, class... Fs>
struct EntryTable<Entry, TypeList<Fs...>> {
  static constexpr StageOps rows[sizeof...(Fs)][words::kColumns] = {
      {Entry<Fs, std::uint8_t>::ops, Entry<Fs, std::uint16_t>::ops, Entry<Fs, std::uint32_t>::ops,
       Entry<Fs, std::uint64_t>::ops}...};
};

/// Entry<Family, W>::ops for every family and word size, row by row: the contents of a StageTable.
template <template <class, class> class Entry>
constexpr const StageOps* table_of() {
  return &EntryTable<Entry, Families>::rows[0][0];
}

template <teams::Team Team>
struct BoundTo {
  template <class Family, class W>
  using Entry = Bound<Team, Family, W>;
};
template <teams::Team Team>
constexpr const StageOps* bound_ops() {
  return table_of<BoundTo<Team>::template Entry>();
}

/// BlockOps on a team.
template <teams::Team Team>
struct BoundBlock {
  static void complement(const std::byte* in, std::size_t bytes, std::byte* out) {
    Team team;
    Inv::forward(team, reinterpret_cast<const std::uint8_t*>(in), bytes,
                 reinterpret_cast<std::uint8_t*>(out), 0);
    team.barrier();
  }
  static bool verify(const std::byte* in, std::size_t bytes, std::byte* decoded) {
    Team team;
    const auto* const original = reinterpret_cast<const std::uint8_t*>(in);
    auto* const block = reinterpret_cast<std::uint8_t*>(decoded);
    if constexpr (requires { team.equal_then_invert(original, bytes, block); }) {
      return team.equal_then_invert(original, bytes, block);
    } else {
      const std::size_t different = team.template count_if<std::uint8_t>(
          bytes, [=](auto i) { return i.load(original) != i.load(block); });
      complement(in, bytes, decoded);
      return different == 0;
    }
  }
  template <class W>
  static teams::BlockCounts count(const std::byte* in, std::size_t n, const Scratch& scratch) {
    Team team;
    return count_block<W>(team, reinterpret_cast<const W*>(in), n, scratch);
  }
  template <class W>
  static void prepare(const std::byte* in, std::size_t n, CountedBlock& block,
                      const Scratch& scratch) {
    Team team;
    using Byte = std::uint8_t;
    const Byte* const bytes = reinterpret_cast<const Byte*>(in);
    Nul::forward(team, bytes, n * sizeof(W), reinterpret_cast<Byte*>(block.block), 0u);
    LnvSub::forward(team, bytes, n * sizeof(W), reinterpret_cast<Byte*>(block.differences), 1u);
    LnvXor::forward(team, bytes, n * sizeof(W), reinterpret_cast<Byte*>(block.exclusive_ors), 1u);
    team.barrier();
    block.different.fill(CountedBlock::kUnknown);
    block.counts = count_block<W>(team, reinterpret_cast<const W*>(in), n, scratch);
  }
  static constexpr BlockOps ops{
      complement,
      verify,
      {count<std::uint8_t>, count<std::uint16_t>, count<std::uint32_t>, count<std::uint64_t>},
      {prepare<std::uint8_t>, prepare<std::uint16_t>, prepare<std::uint32_t>,
       prepare<std::uint64_t>}};
};

}  // namespace fpsynth::components
