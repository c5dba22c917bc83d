#pragma once
// Compressors (runners/baselines/compressor.hpp) as codecs that can be timed.

#include <memory>

#include "runners/baselines/compressor.hpp"
#include "runners/timing/timed_codec.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth::timing {

/// The returned codec keeps the memory of the compressed file from run to run.
std::unique_ptr<TimedCodec> timed_compressor(baselines::Compressor compressor,
                                             synth::Precision precision);

}  // namespace fpsynth::timing
