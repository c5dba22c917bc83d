#pragma once
// Device memory: its lack, and that of preludes, whose amount nobody knows before they run.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runners/device/device_concept.hpp"
#include "runners/device/device_info.hpp"

namespace fpsynth::codec {

/// Throws DeviceUnsuitable: `what` needs `needed` bytes of device memory, but only `free` are
/// available.
[[noreturn]] inline void refuse_memory(std::string_view device, std::string_view what,
                                       std::size_t needed, std::size_t free) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  throw device::DeviceUnsuitable(
      std::string(device) + ": " + std::string(what) + " needs " +
      std::to_string(needed / kMiB + 1) + " MiB of device memory, but " +
      std::to_string(free / kMiB) +
      " MiB are available; end other programs that use the GPU, or use the CPU's codec (fpsynth: "
      "--backend cpu)");
}
/// The same for a prelude or one of its steps.
[[noreturn]] inline void refuse_prelude_memory(std::string_view device, std::size_t needed,
                                               std::size_t free) {
  refuse_memory(device, "a prelude, which works on the whole input,", needed, free);
}

/// Memory for `items` items. Throws DeviceUnsuitable if there is not enough.
template <class T, device::Device Device>
typename Device::template Buffer<T> allocate_for_prelude(Device& device, std::uint64_t items) {
  const std::size_t free = device.free_memory();
  if (items > free / sizeof(T)) refuse_prelude_memory(device.name(), items * sizeof(T), free);
  return device.template allocate<T>(items);
}

/// The item at a place in device memory, after the work that is in the stream, for which it waits.
template <class T, device::Device Device>
T fetch(Device& device, typename Device::Stream& stream, const T* item) {
  T value{};
  device.to_host(stream, &value, item, 1);
  device.wait(stream);
  return value;
}

}  // namespace fpsynth::codec
