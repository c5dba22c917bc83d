// The prelude table of one instruction set. The build compiles this file once for each, with its
// instructions enabled and the table's name in the macro FPSYNTH_PRELUDE_TABLE. What is
// instantiated here is a template on a type of this file alone: a function that other sources share
// might run on processors that lack the instructions. A test checks the symbols.

#include "runners/codec/cpu/prelude_driver.hpp"
#include "runners/codec/cpu/prelude_table.hpp"

namespace fpsynth::codec {
namespace {

struct Level {};

template <class W>
constexpr PreludeFunctions<W> functions() {
  return {PreludeDriver<Level, W>::forward, PreludeDriver<Level, W>::backward};
}

}  // namespace

constinit const PreludeTable FPSYNTH_PRELUDE_TABLE{functions<std::uint64_t>(),
                                                   functions<std::uint32_t>()};

}  // namespace fpsynth::codec
