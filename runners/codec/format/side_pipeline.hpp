#pragma once
// The pipeline with which containers of version 3 compress side data.

#include "components/bit/bit.hpp"
#include "components/family.hpp"
#include "components/lnv/lnvs.hpp"
#include "components/rle/rle.hpp"
#include "components/static_pipeline.hpp"
#include "components/ze/ze.hpp"

namespace fpsynth::codec {

/// LNV1s BIT | ZE RLE, for keys and positions, which ascend, and for exceptions. Of all 138,240
/// pipelines it is the best, on the whole, for the keys of DICT.
template <class W>
using SidePipeline =
    components::StaticPipeline<W, 2, components::Use<components::LnvSub, 1>,
                               components::Use<components::Bit>, components::Use<components::Ze>,
                               components::Use<components::Rle>>;

}  // namespace fpsynth::codec
