#pragma once
// Pipelines on a device, as codecs that can be timed.

#include <memory>

#include "runners/codec/device_codec.hpp"
#include "runners/timing/timed_codec.hpp"

namespace fpsynth::timing {

/// A timed codec on a device. It allocates its buffers in the first run with an input of a new
/// size, and keeps them. Kernel seconds are the codec's alone; the checksum's time is only in the
/// wall time.
std::unique_ptr<TimedCodec> timed_on_device(std::unique_ptr<codec::DeviceCodec> codec);

}  // namespace fpsynth::timing
