#pragma once
// The pipelines with which containers of version 3 compress side data. FORMAT.md names them.

#include <cstdint>

#include "components/bit/bit.hpp"
#include "components/dim/dim.hpp"
#include "components/lnv/lnvs.hpp"
#include "components/static_pipeline.hpp"
#include "components/use.hpp"
#include "components/ze/ze.hpp"

namespace fpsynth::codec {

/// The keys of DICT, which ascend: LNV1s BIT LNV1s ZE
template <class W>
using KeysPipeline = components::StaticPipeline<
    W, 4, components::Use<components::LnvSub, 1>, components::Use<components::Bit>,
    components::Use<components::LnvSub, 1>, components::Use<components::Ze>>;

/// The positions of DEC's exceptions, which ascend: LNV1s LNV1s | DIM8 ZE
using PositionsPipeline =
    components::StaticPipeline<std::uint64_t, 2, components::Use<components::LnvSub, 1>,
                               components::Use<components::LnvSub, 1>,
                               components::Use<components::Dim, 8>,
                               components::Use<components::Ze>>;

/// The words of DEC's exceptions: LNV1s BIT LNV1s ZE
template <class W>
using ExceptionsPipeline = KeysPipeline<W>;

}  // namespace fpsynth::codec
