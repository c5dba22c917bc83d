// The prelude table of one instruction set. The build compiles this file once for each, with its
// instructions enabled and the table's name in the macro FPSYNTH_PRELUDE_TABLE, and for the
// baseline with FPSYNTH_NARROW_PRELUDES. What is instantiated here is a template on a type of this
// file alone: a function that other sources share might run on processors that lack the
// instructions. A test checks the symbols.

#include "components/preludes/registry.hpp"
#include "runners/codec/cpu/prelude_table.hpp"
#include "runners/codec/cpu/steps/divided.hpp"
#include "runners/codec/cpu/steps/excepted.hpp"
#include "runners/codec/cpu/steps/lagged.hpp"
#include "runners/codec/cpu/steps/matched.hpp"
#include "runners/codec/cpu/steps/permuted.hpp"
#include "runners/codec/cpu/steps/predicted.hpp"
#include "runners/codec/cpu/steps/ranked.hpp"

namespace fpsynth::codec {
namespace {

struct Level {};

template <class W>
Status forward(std::uint8_t kind, const std::byte* in, std::byte* out, std::size_t n,
               std::uint64_t parameter, int threads, SideData<W>& side) {
  Status status = Status::BadCall;
  preludes::with_step(kind, [&]<class Step>() {
    if constexpr (preludes::suits<Step, W>) {
      status = StepDriver<Level, W, Step>::forward(in, out, n, parameter, threads, side);
    }
  });
  return status;
}

template <class W>
Status backward(std::uint8_t kind, std::byte* words, std::size_t n, std::uint64_t parameter,
                int threads, const SideData<W>& side) {
  Status status = Status::BadCall;
  preludes::with_step(kind, [&]<class Step>() {
    if constexpr (preludes::suits<Step, W>) {
      status = StepDriver<Level, W, Step>::backward(words, n, parameter, threads, side);
    }
  });
  return status;
}

}  // namespace

template <class W>
constexpr PreludeFunctions<W> kFunctions{forward<W>, backward<W>};

constinit const PreludeTable FPSYNTH_PRELUDE_TABLE{
    {kFunctions<std::uint32_t>, kFunctions<std::uint64_t>}};

#if defined(FPSYNTH_NARROW_PRELUDES)
constinit const std::tuple<PreludeFunctions<std::uint8_t>, PreludeFunctions<std::uint16_t>>
    kNarrowPreludes{kFunctions<std::uint8_t>, kFunctions<std::uint16_t>};
#endif

}  // namespace fpsynth::codec
