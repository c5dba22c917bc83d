#pragma once
// One NVIDIA GPU: its memory, streams and launches.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "runners/device/cuda_kernel.cuh"
#include "runners/device/device_concept.hpp"
#include "runners/device/device_info.hpp"

namespace fpsynth::device {

/// Used by one thread at a time, which must call use() first. Every member throws DeviceError if
/// CUDA reports an error, which may come from earlier asynchronous work; after such an error this
/// process cannot use the device any more. Without enough memory it is DeviceUnsuitable.
class CudaDevice {
 public:
  /// Memory of the device (Buffer) or page-locked memory of the host (HostBuffer); its contents are
  /// unspecified. Movable. The destructor frees it, which waits for the device.
  template <class T, cudaError_t (*Free)(void*)>
  class Memory {
   public:
    Memory() = default;
    Memory(Memory&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Memory& operator=(Memory&& other) noexcept {
      std::swap(data_, other.data_);
      std::swap(size_, other.size_);
      return *this;
    }
    ~Memory() {
      if (data_) Free(data_);
    }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }

   private:
    friend CudaDevice;
    Memory(T* data, std::size_t size) : data_(data), size_(size) {}
    T* data_ = nullptr;
    std::size_t size_ = 0;
  };
  template <class T>
  using Buffer = Memory<T, cudaFree>;
  template <class T>
  using HostBuffer = Memory<T, cudaFreeHost>;

  /// A CUDA stream, owned unless it is borrowed().
  class Stream {
   public:
    Stream() = default;
    Stream(Stream&& other) noexcept
        : stream_(std::exchange(other.stream_, nullptr)),
          owned_(std::exchange(other.owned_, false)) {}
    Stream& operator=(Stream&& other) noexcept {
      std::swap(stream_, other.stream_);
      std::swap(owned_, other.owned_);
      return *this;
    }
    /// Waits for the work in an owned stream, because it may use memory that is freed next.
    ~Stream() {
      if (!owned_) return;
      cudaStreamSynchronize(stream_);
      cudaStreamDestroy(stream_);
    }
    cudaStream_t get() const { return stream_; }

   private:
    friend CudaDevice;
    cudaStream_t stream_ = nullptr;
    bool owned_ = false;
  };
  class Event {
   public:
    Event() = default;
    Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    Event& operator=(Event&& other) noexcept {
      std::swap(event_, other.event_);
      return *this;
    }
    ~Event() {
      if (event_) cudaEventDestroy(event_);
    }

   private:
    friend CudaDevice;
    cudaEvent_t event_ = nullptr;
  };

  /// `shared_percent`: the part of a multiprocessor's memory that kernels ask for as shared memory,
  /// if they are not to ask for all of it where they use much, and else leave it to the driver.
  explicit CudaDevice(const DeviceInfo& info, std::optional<int> shared_percent = {})
      : info_(info), shared_percent_(shared_percent) {
    use();
    int bytes = 0;
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, info.index),
          "its shared memory");
    shared_per_block_ = std::size_t(bytes);
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, info.index),
          "its multiprocessors");
  }

  std::string name() const { return info_.name; }
  std::size_t shared_per_block() const { return shared_per_block_; }
  std::size_t free_memory() {
    std::size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all), "its free memory");
    return free;
  }
  /// Makes this the calling thread's current device.
  void use() { check(cudaSetDevice(info_.index), "select it"); }

  template <class T>
  Buffer<T> allocate(std::size_t items) {
    void* memory = nullptr;
    if (items) check(cudaMalloc(&memory, items * sizeof(T)), "allocate memory");
    return Buffer<T>(static_cast<T*>(memory), items);
  }
  template <class T>
  HostBuffer<T> allocate_host(std::size_t items) {
    void* memory = nullptr;
    if (items) check(cudaMallocHost(&memory, items * sizeof(T)), "allocate host memory");
    return HostBuffer<T>(static_cast<T*>(memory), items);
  }
  Stream make_stream() {
    Stream stream;
    check(cudaStreamCreateWithFlags(&stream.stream_, cudaStreamNonBlocking), "make a stream");
    stream.owned_ = true;
    return stream;
  }
  /// Wraps the caller's cudaStream_t; null is the default stream.
  static Stream borrowed(void* stream) {
    Stream wrapped;
    wrapped.stream_ = static_cast<cudaStream_t>(stream);
    return wrapped;
  }

  /// Asynchronous, in the stream's order: a host buffer must live until the stream has been waited
  /// for.
  template <class T>
  void to_device(Stream& stream, T* device, const T* host, std::size_t items) {
    check(cudaMemcpyAsync(device, host, items * sizeof(T), cudaMemcpyHostToDevice, stream.stream_),
          "copy to it");
  }
  template <class T>
  void to_host(Stream& stream, T* host, const T* device, std::size_t items) {
    check(cudaMemcpyAsync(host, device, items * sizeof(T), cudaMemcpyDeviceToHost, stream.stream_),
          "copy from it");
  }
  /// Copies within the device.
  template <class T>
  void copy(Stream& stream, T* to, const T* from, std::size_t items) {
    check(cudaMemcpyAsync(to, from, items * sizeof(T), cudaMemcpyDeviceToDevice, stream.stream_),
          "copy on it");
  }
  template <class T>
  void clear(Stream& stream, T* device, std::size_t items) {
    check(cudaMemsetAsync(device, 0, items * sizeof(T), stream.stream_), "clear memory");
  }

  /// Number of threads of a kernel's thread blocks.
  template <Kernel Body>
  static constexpr std::uint32_t lanes() {
    return Body::kLanes;
  }
  /// The number of thread blocks of a kernel, each with `shared_bytes` of shared memory, that the
  /// whole device runs at once; 0 if not even one fits.
  template <Kernel Body>
  std::uint32_t resident_blocks(std::size_t shared_bytes) {
    return resident_blocks_of(CudaKernel<Body>::entry(), Body::kLanes, shared_bytes);
  }
  /// Asynchronous.
  template <Kernel Body>
  void launch(Stream& stream, std::uint32_t blocks, std::size_t shared_bytes,
              const typename Body::Args& args) {
    launch_entry<Body>(CudaKernel<Body>::entry(), stream, blocks, shared_bytes, args);
  }
  void wait(Stream& stream) { check(cudaStreamSynchronize(stream.stream_), "run"); }
  /// True if all work in the stream has completed.
  bool done(Stream& stream) {
    const cudaError_t error = cudaStreamQuery(stream.stream_);
    if (error == cudaErrorNotReady) return false;
    check(error, "run");
    return true;
  }

  Event record(Stream& stream) {
    Event event;
    check(cudaEventCreate(&event.event_), "make an event");
    check(cudaEventRecord(event.event_, stream.stream_), "record an event");
    return event;
  }
  /// Seconds between two recorded events; waits for the second one.
  double seconds(const Event& from, const Event& to) {
    float milliseconds = 0;
    check(cudaEventSynchronize(to.event_), "run");
    check(cudaEventElapsedTime(&milliseconds, from.event_, to.event_), "time an event");
    return milliseconds * 1e-3;
  }

  void check(cudaError_t error, const char* what) const {
    if (error == cudaSuccess) return;
    cudaGetLastError();  // clears it, so that no later call reports it
    const std::string message = "GPU " + std::to_string(info_.index) + " (" + info_.name + "), " +
                                what + ": " + cudaGetErrorString(error);
    if (error == cudaErrorMemoryAllocation) {
      throw DeviceUnsuitable(message +
                             "; end other programs that use it, or do without it (fpsynth: "
                             "--backend cpu)");
    }
    throw DeviceError(message);
  }

 protected:
  /// Kernels must opt in to more than 48 KiB of shared memory. The limit is always set to the
  /// device's maximum: this reserves nothing, and launches of other threads cannot lower it in
  /// between.
  void allow(const void* entry, std::size_t shared_bytes) {
    check(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               int(shared_per_block_)),
          "get shared memory");
    // A kernel that uses little shared memory leaves more of the same memory to the cache.
    if (!shared_percent_ && shared_bytes < kMuchShared) return;
    check(cudaFuncSetAttribute(entry, cudaFuncAttributePreferredSharedMemoryCarveout,
                               shared_percent_.value_or(cudaSharedmemCarveoutMaxShared)),
          "get shared memory");
  }
  std::uint32_t resident_blocks_of(const void* entry, std::uint32_t lanes,
                                   std::size_t shared_bytes) {
    if (shared_bytes > shared_per_block_) return 0;
    allow(entry, shared_bytes);
    int each = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, entry, int(lanes), shared_bytes),
          "its occupancy");
    return std::uint32_t(each * multiprocessors_);
  }

  /// Launches a kernel by its address or handle. Checks what the launch itself returns, because
  /// cudaGetLastError() may hold an error of an earlier call of other code.
  template <Kernel Body>
  void launch_entry(const void* entry, Stream& stream, std::uint32_t blocks,
                    std::size_t shared_bytes, const typename Body::Args& args) {
    allow(entry, shared_bytes);
    void* pointers[] = {const_cast<typename Body::Args*>(&args)};
    check(cudaLaunchKernel(entry, dim3(blocks), dim3(Body::kLanes), pointers, shared_bytes,
                           stream.stream_),
          "launch");
  }

 private:
  static constexpr std::size_t kMuchShared = std::size_t{16} << 10;

  DeviceInfo info_;
  std::optional<int> shared_percent_;
  std::size_t shared_per_block_ = 0;
  int multiprocessors_ = 0;
};
static_assert(Device<CudaDevice>);

}  // namespace fpsynth::device
