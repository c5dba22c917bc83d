#pragma once
// The search on a device in a layout of the caller's choice, where DeviceEngine takes the one that
// suits the device best.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runners/device/device_concept.hpp"
#include "runners/search/gpu/device_engine.hpp"

namespace fpsynth::check {

/// A device on which no thread block is resident in other layouts than the one with this number in
/// the order in which the engine asks for them. The number of blocks of other kernels is not asked
/// for.
template <device::Device Device>
class InLayout : public Device {
 public:
  InLayout(Device device, std::size_t layout) : Device(std::move(device)), layout_(layout) {}

  template <device::Kernel Body>
  std::uint32_t resident_blocks(std::size_t shared_bytes) {
    if (asked_++ != layout_) return 0;
    const std::uint32_t blocks = Device::template resident_blocks<Body>(shared_bytes);
    if (blocks > 0) return blocks;
    throw device::DeviceUnsuitable(this->name() + ": a thread block of this layout needs " +
                                   std::to_string(shared_bytes >> 10) +
                                   " KiB of shared memory, and there are " +
                                   std::to_string(this->shared_per_block() >> 10));
  }

 private:
  std::size_t layout_, asked_ = 0;
};

template <device::Device Device>
std::unique_ptr<search::Engine> engine_in_layout(Device device, const synth::Plan& plan,
                                                 std::size_t word_bytes, search::Mode mode,
                                                 std::size_t layout) {
  std::vector<InLayout<Device>> devices;
  devices.emplace_back(std::move(device), layout);
  return std::make_unique<search::DeviceEngine<InLayout<Device>>>(std::move(devices), plan,
                                                                  word_bytes, mode);
}

}  // namespace fpsynth::check
