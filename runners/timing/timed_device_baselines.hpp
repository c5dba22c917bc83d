#pragma once
// The papers' compressors on a device, as codecs that can be timed.

#include <memory>

#include "runners/baselines/gfc/device.hpp"
#include "runners/baselines/holt/device.hpp"
#include "runners/timing/timed_codec.hpp"

namespace fpsynth::timing {

/// GFC with the given number of chunks; dimensionality 1..32.
std::unique_ptr<TimedCodec> timed_gfc(std::unique_ptr<baselines::GfcDevice> gfc, unsigned chunks,
                                      unsigned dimensionality);

/// Holt's method with the parameters of the paper's best configuration.
std::unique_ptr<TimedCodec> timed_holt(std::unique_ptr<baselines::HoltDevice> holt,
                                       synth::Precision precision);

/// The same on the caller's device, which must outlive the codec.
std::unique_ptr<TimedCodec> timed_holt(baselines::HoltDevice& holt, synth::Precision precision);

}  // namespace fpsynth::timing
