#pragma once
// A device for tests and for counting: the kernels' PTX from nvcc, run on the host by an
// interpreter with real lanes and with warps in random order. It reports errors that a GPU does not
// report. It does not test ptxas, and its memory is sequentially consistent. CudaDevice
// (cuda_device.cuh) documents the members.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <typeinfo>
#include <utility>

#include "runners/device/device.hpp"
#include "runners/device/device_concept.hpp"
#include "runners/device/kernel.hpp"
#include "tests/ptx/interpreter/file.hpp"
#include "tests/ptx/interpreter/launch.hpp"

namespace fpsynth::ptx {

/// Used by one thread at a time. Copies share their memory. Launches and copies throw Fault, in
/// addition to what a device throws.
class PtxDevice {
 public:
  struct Options {
    std::uint32_t resident_blocks = 3;
    std::size_t shared_per_block = std::size_t{200} << 10;
    std::size_t memory_bytes = std::size_t{1} << 30;
    std::uint32_t seed = 1;
    Checks checks;
    /// If not 0, blocks must share this much for more of them to be resident.
    std::size_t shared_per_multiprocessor = 0;
    /// Launches add to them; they must outlive the device.
    Statistics* statistics = nullptr;
    std::map<std::string, KernelCounts>* kernels = nullptr;  ///< by kernel, if not null
  };

  template <class T>
  class Buffer {
   public:
    Buffer() = default;
    Buffer(Buffer&& other) noexcept
        : memory_(std::move(other.memory_)),
          data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)) {}
    Buffer& operator=(Buffer&& other) noexcept {
      std::swap(memory_, other.memory_);
      std::swap(data_, other.data_);
      std::swap(size_, other.size_);
      return *this;
    }
    ~Buffer() {
      if (data_) memory_->free(data_);
    }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }

   private:
    friend PtxDevice;
    Buffer(std::shared_ptr<Memory> memory, std::size_t items)
        : memory_(std::move(memory)),
          data_(items ? reinterpret_cast<T*>(memory_->allocate(items * sizeof(T))) : nullptr),
          size_(items) {}
    std::shared_ptr<Memory> memory_;
    T* data_ = nullptr;
    std::size_t size_ = 0;
  };
  template <class T>
  using HostBuffer = Buffer<T>;
  class Stream {};
  using Event = std::chrono::steady_clock::time_point;

  PtxDevice() : PtxDevice(Options()) {}
  explicit PtxDevice(const Options& options)
      : options_(options), memory_(std::make_shared<Memory>()) {}

  std::string name() const { return "PTX"; }
  std::size_t free_memory() { return options_.memory_bytes - used_; }
  std::size_t shared_per_block() const { return options_.shared_per_block; }
  void use() {}

  template <class T>
  Buffer<T> allocate(std::size_t items) {
    if (items * sizeof(T) > free_memory()) throw device::DeviceError(name() + ": out of memory");
    used_ += items * sizeof(T);
    return Buffer<T>(memory_, items);
  }
  template <class T>
  HostBuffer<T> allocate_host(std::size_t items) {
    return Buffer<T>(std::make_shared<Memory>(), items);
  }
  Stream make_stream() { return {}; }
  static Stream borrowed(void*) { return {}; }

  template <class T>
  void to_device(Stream&, T* device, const T* host, std::size_t items) {
    if (items) std::memcpy(checked(device, items), host, items * sizeof(T));
  }
  template <class T>
  void to_host(Stream&, T* host, const T* device, std::size_t items) {
    if (items) std::memcpy(host, checked(device, items), items * sizeof(T));
  }
  template <class T>
  void copy(Stream&, T* to, const T* from, std::size_t items) {
    if (items) std::memcpy(checked(to, items), checked(from, items), items * sizeof(T));
  }
  template <class T>
  void clear(Stream&, T* device, std::size_t items) {
    if (items) std::memset(static_cast<void*>(checked(device, items)), 0, items * sizeof(T));
  }

  template <device::Kernel Body>
  static constexpr std::uint32_t lanes() {
    return Body::kLanes;
  }
  template <device::Kernel Body>
  std::uint32_t resident_blocks(std::size_t shared_bytes) {
    if (shared_bytes > options_.shared_per_block) return 0;
    if (options_.shared_per_multiprocessor == 0) return options_.resident_blocks;
    const std::size_t fit =
        options_.shared_per_multiprocessor / (shared_bytes + device::kSystemsShared);
    return std::min(options_.resident_blocks, std::uint32_t(fit));
  }
  template <device::Kernel Body>
  void launch(Stream&, std::uint32_t blocks, std::size_t shared_bytes,
              const typename Body::Args& args) {
    if (shared_bytes > options_.shared_per_block) {
      throw device::DeviceError(name() + ": out of shared memory");
    }
    const Shape shape{blocks, Body::kLanes, shared_bytes, options_.resident_blocks,
                      options_.seed++};
    const std::string body = body_name(typeid(Body).name());
    Statistics own;
    Statistics* counted = options_.statistics ? options_.statistics : &own;
    if (options_.kernels) {
      KernelCounts& counts = (*options_.kernels)[body];
      ++counts.launches;
      counts.lanes = Body::kLanes;
      counts.shared_bytes = std::max(counts.shared_bytes, shared_bytes);
      counted = &counts.statistics;
    }
    ptx::launch(kernel_of(body), shape, options_.checks, *memory_,
                std::as_bytes(std::span(&args, 1)), *counted);
  }
  void wait(Stream&) {}
  bool done(Stream&) { return true; }

  Event record(Stream&) { return std::chrono::steady_clock::now(); }
  double seconds(const Event& from, const Event& to) {
    return std::chrono::duration<double>(to - from).count();
  }

 private:
  /// Checks that a copy by the host is within the device's memory.
  template <class T>
  T* checked(T* device, std::size_t items) {
    if (!memory_->find(reinterpret_cast<std::uint64_t>(device), items * sizeof(T))) {
      throw Fault("a copy of " + std::to_string(items * sizeof(T)) +
                  " bytes is out of all memory of the device");
    }
    return device;
  }

  Options options_;
  std::shared_ptr<Memory> memory_;
  std::size_t used_ = 0;
};
static_assert(device::Device<PtxDevice>);

/// For work that would take many minutes with these checks.
inline PtxDevice::Options without_race_checks() {
  PtxDevice::Options options;
  options.checks.races = false;
  return options;
}

/// Launches add to `counted`, wavefronts of shared memory too.
inline PtxDevice::Options counting(Statistics& counted) {
  PtxDevice::Options options;
  options.statistics = &counted;
  options.checks.wavefronts = true;
  return options;
}

}  // namespace fpsynth::ptx
