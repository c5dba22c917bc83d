#pragma once
// The concept Device: what the host's code requires of a device.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include "runners/device/kernel.hpp"

namespace fpsynth::device {

/// A kernel for checking the concept.
struct DeclaredKernel {
  static constexpr std::uint32_t kLanes = 32;
  struct Args {};
  template <teams::Hardware H>
  static void run(H, const Args&);
};

/// Memory, streams and launches of a device. Host code that uses a device is a template on it, so
/// that tests can run it on the host. CudaDevice and EmulatedDevice are devices; CudaDevice
/// documents the members. Each member throws DeviceError if the device fails.
template <class D>
concept Device = std::movable<D> && std::default_initializable<typename D::Event> &&
    requires(D device, typename D::Stream stream, const typename D::Event event,
             typename D::template Buffer<std::byte> buffer,
             typename D::template HostBuffer<std::byte> host_buffer, std::byte* to,
             const std::byte* from, std::size_t items, void* borrowed, std::uint32_t blocks,
             const DeclaredKernel::Args args) {
  { device.name() } -> std::convertible_to<std::string>;
  { device.shared_per_block() } -> std::same_as<std::size_t>;
  { device.free_memory() } -> std::same_as<std::size_t>;
  device.use();

  // Memory, which the buffers own.
  { buffer.data() } -> std::same_as<std::byte*>;
  { buffer.size() } -> std::same_as<std::size_t>;
  { host_buffer.data() } -> std::same_as<std::byte*>;
  { host_buffer.size() } -> std::same_as<std::size_t>;
  { device.template allocate<std::byte>(items) } -> std::same_as<decltype(buffer)>;
  { device.template allocate_host<std::byte>(items) } -> std::same_as<decltype(host_buffer)>;

  // Work in a stream runs in order and asynchronously.
  { device.make_stream() } -> std::same_as<decltype(stream)>;
  { D::borrowed(borrowed) } -> std::same_as<decltype(stream)>;
  device.to_device(stream, to, from, items);
  device.to_host(stream, to, from, items);
  device.copy(stream, to, from, items);
  device.clear(stream, to, items);
  { device.template lanes<DeclaredKernel>() } -> std::same_as<std::uint32_t>;
  { device.template resident_blocks<DeclaredKernel>(items) } -> std::same_as<std::uint32_t>;
  device.template launch<DeclaredKernel>(stream, blocks, items, args);

  device.wait(stream);
  { device.done(stream) } -> std::same_as<bool>;
  { device.record(stream) } -> std::same_as<typename D::Event>;
  { device.seconds(event, event) } -> std::same_as<double>;
};

}  // namespace fpsynth::device
