#pragma once
// Pipelines on a device, as codecs that can be timed.

#include <memory>

#include "runners/codec/device_codec.hpp"
#include "runners/timing/timed_codec.hpp"

namespace fpsynth::timing {

/// A codec on a device. Its buffers are allocated in the first run with an input of a size, and
/// kept. Kernel seconds are those of the codec; the checksum's count in the wall time alone.
std::unique_ptr<TimedCodec> timed_on_device(std::unique_ptr<codec::DeviceCodec> codec);

}  // namespace fpsynth::timing
