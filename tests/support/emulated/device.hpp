#pragma once
// A device for tests: kernels run as emulated blocks (tests/support/emulated/hardware.hpp), memory
// is the host's. CudaDevice (cuda_device.cuh) documents the members.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "runners/device/device.hpp"
#include "runners/device/device_concept.hpp"
#include "runners/device/kernel.hpp"
#include "tests/support/emulated/hardware.hpp"

namespace fpsynth::device {

/// A kernel on emulated blocks. A class of its own, and no inline function, so that a kernel which
/// many tests run can be compiled once: `extern template struct` (tests/support/kernels/).
template <Kernel Body>
struct EmulatedKernel {
  static void run(const teams::EmulatedShape& shape, const typename Body::Args& args);
};
template <Kernel Body>
void EmulatedKernel<Body>::run(const teams::EmulatedShape& shape, const typename Body::Args& args) {
  teams::emulate(shape, [&](teams::EmulatedHardware hardware) { Body::run(hardware, args); });
}

class EmulatedDevice {
 public:
  /// Properties of the emulated device, and when it fails.
  struct Options {
    std::uint32_t lanes = 32;  ///< replaces a kernel's own number; 0: keeps it
    std::uint32_t resident_blocks = 3;
    std::size_t shared_per_block = std::size_t{200} << 10;
    /// If not 0, shared memory and registers decide how many blocks are resident, instead of
    /// `resident_blocks`.
    std::uint32_t multiprocessors = 0;
    std::size_t shared_per_multiprocessor = 0;
    std::size_t registers_for = 3;  ///< blocks that fit on a multiprocessor
    std::size_t memory_bytes = std::size_t{1} << 30;
    std::uint32_t seed = 1;
    bool faulty_shuffles = false;      ///< see EmulatedShape
    int launches_before_failure = -1;  ///< afterwards every call throws, as with a sticky error
    /// Afterwards there is no memory, as if another program had taken what free_memory() tells of.
    int allocations_before_failure = -1;
    double launch_seconds = -1;  ///< duration of a launch according to events; < 0: measured
  };

  template <class T>
  class Buffer {
   public:
    Buffer() = default;
    T* data() { return items_.data(); }
    const T* data() const { return items_.data(); }
    std::size_t size() const { return items_.size(); }

   private:
    friend EmulatedDevice;
    explicit Buffer(std::size_t items) : items_(items) {
      // Like the memory of a device, it is not zeroed.
      if (items) std::memset(static_cast<void*>(items_.data()), 0xa5, items * sizeof(T));
    }
    std::vector<T> items_;
  };
  template <class T>
  using HostBuffer = Buffer<T>;
  class Stream {};
  using Event = std::chrono::steady_clock::time_point;

  EmulatedDevice() = default;
  explicit EmulatedDevice(const Options& options) : options_(options) {}

  std::string name() const { return "emulated device"; }
  std::size_t free_memory() { return options_.memory_bytes - used_; }
  std::size_t shared_per_block() const { return options_.shared_per_block; }
  void use() {}

  template <class T>
  Buffer<T> allocate(std::size_t items) {
    check();
    check_memory(items * sizeof(T));
    used_ += items * sizeof(T);
    return Buffer<T>(items);
  }
  template <class T>
  HostBuffer<T> allocate_host(std::size_t items) {
    check_memory(0);
    return Buffer<T>(items);
  }
  Stream make_stream() { return {}; }
  static Stream borrowed(void*) { return {}; }

  template <class T>
  void to_device(Stream&, T* device, const T* host, std::size_t items) {
    check();
    if (items) std::memcpy(device, host, items * sizeof(T));
  }
  template <class T>
  void to_host(Stream&, T* host, const T* device, std::size_t items) {
    check();
    if (items) std::memcpy(host, device, items * sizeof(T));
  }
  template <class T>
  void copy(Stream&, T* to, const T* from, std::size_t items) {
    check();
    if (items) std::memcpy(to, from, items * sizeof(T));
  }
  template <class T>
  void clear(Stream&, T* device, std::size_t items) {
    check();
    if (items) std::memset(static_cast<void*>(device), 0, items * sizeof(T));
  }

  template <Kernel Body>
  std::uint32_t lanes() const {
    return options_.lanes ? options_.lanes : Body::kLanes;
  }
  template <Kernel Body>
  std::uint32_t resident_blocks(std::size_t shared_bytes) {
    check();
    if (shared_bytes > options_.shared_per_block) return 0;
    if (options_.multiprocessors == 0) return options_.resident_blocks;
    const std::size_t fit = options_.shared_per_multiprocessor / (shared_bytes + kSystemsShared);
    return options_.multiprocessors *
           static_cast<std::uint32_t>(fit < options_.registers_for ? fit : options_.registers_for);
  }
  template <Kernel Body>
  void launch(Stream&, std::uint32_t blocks, std::size_t shared_bytes,
              const typename Body::Args& args) {
    if (options_.launches_before_failure >= 0 && launches_++ >= options_.launches_before_failure) {
      failed_ = true;
    }
    check();
    launched_seconds_ += options_.launch_seconds;
    teams::EmulatedShape shape;
    shape.blocks = blocks;
    shape.lanes = lanes<Body>();
    shape.shared_bytes = shared_bytes;
    shape.seed = options_.seed++;
    shape.faulty_shuffles = options_.faulty_shuffles;
    EmulatedKernel<Body>::run(shape, args);
  }
  void wait(Stream&) { check(); }
  bool done(Stream&) { return true; }

  Event record(Stream&) {
    if (options_.launch_seconds < 0) return std::chrono::steady_clock::now();
    const std::chrono::duration<double> seconds(launched_seconds_);
    return Event(std::chrono::duration_cast<Event::duration>(seconds));
  }
  double seconds(const Event& from, const Event& to) {
    return std::chrono::duration<double>(to - from).count();
  }

 private:
  void check() const {
    if (failed_) throw DeviceError(name() + ": an illegal memory access was encountered");
  }
  void check_memory(std::size_t bytes) {
    const int most = options_.allocations_before_failure;
    if (bytes > free_memory() || (most >= 0 && allocations_++ >= most)) {
      throw DeviceUnsuitable(name() + ": out of memory");
    }
  }

  Options options_;
  double launched_seconds_ = 0;
  std::size_t used_ = 0;
  int launches_ = 0, allocations_ = 0;
  bool failed_ = false;
};
static_assert(Device<EmulatedDevice>);

}  // namespace fpsynth::device
