#pragma once
// Function pointers to the steps of preludes on the CPU, a table per instruction set.

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "components/stage_table.hpp"
#include "runners/codec/format/side_data.hpp"
#include "runners/codec/format/status.hpp"

namespace fpsynth::codec {

/// StepDriver's functions for words of one type. The step is that with the number `kind`, which
/// must be one of preludes::Steps that suits these words.
template <class W>
struct PreludeFunctions {
  Status (*forward)(std::uint8_t kind, const std::byte* in, std::byte* out, std::size_t n,
                    std::uint64_t parameter, int threads, SideData<W>& side);
  Status (*backward)(std::uint8_t kind, std::byte* words, std::size_t n, std::uint64_t parameter,
                     int threads, const SideData<W>& side);
};

/// Of words of 1 byte and 2: one for all instruction sets, as code for each would be a fifth of an
/// HDF5 filter.
extern const std::tuple<PreludeFunctions<std::uint8_t>, PreludeFunctions<std::uint16_t>>
    kNarrowPreludes;

struct PreludeTable {
  std::tuple<PreludeFunctions<std::uint32_t>, PreludeFunctions<std::uint64_t>> wide;

  template <class W>
  const PreludeFunctions<W>& of() const {
    if constexpr (sizeof(W) < 4) {
      return std::get<PreludeFunctions<W>>(kNarrowPreludes);
    } else {
      return std::get<PreludeFunctions<W>>(wide);
    }
  }
};

/// One for each instruction set of components/teams/simd/levels.cmake.
extern const PreludeTable kPreludesBaseline, kPreludesAvx2, kPreludesAvx512;

/// The table for the instruction set of a stage table: that of `baseline` if it has none.
const PreludeTable& preludes_beside(const components::StageTable& stages);

}  // namespace fpsynth::codec
