#pragma once
// The exceptions of steps with selectors as containers of version 3 hold them.

#include <cstdint>

#include "components/bins/bins.hpp"
#include "components/lnv/lnvs.hpp"
#include "components/preludes/shape.hpp"
#include "components/static_pipeline.hpp"
#include "runners/codec/format/side_coding.hpp"

namespace fpsynth::codec {

/// LNV1s BINS for positions and BINS for rests: where many words are a last place off, both are
/// noise of few bits.
template <class W>
struct ExceptionPipelines<preludes::Shape::Selected, W> {
  using Positions = components::ChunkedPipeline<std::uint64_t, 2, kCodedChunk,
                                                components::Use<components::LnvSub, 1>,
                                                components::Use<components::Bins>>;
  using Values = components::ChunkedPipeline<W, 1, kCodedChunk, components::Use<components::Bins>>;
};

}  // namespace fpsynth::codec
