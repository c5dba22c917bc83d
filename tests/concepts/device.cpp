// Concept: Device

#include "tests/support/emulated/device.hpp"
#include "runners/codec/gpu/content_hash.hpp"

using Right = fpsynth::device::EmulatedDevice;

/// Does not say when a stream is done.
struct Wrong : Right {
  bool done(Right::Stream&) = delete;
};

void use(TRIED& device, TRIED::Stream& stream, const std::byte* in, std::uint64_t* out) {
  fpsynth::codec::launch_hash(device, stream, in, 100, out, out);
}
