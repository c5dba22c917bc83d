#pragma once
// The common parts of baselines on a device: their interface, the host's memory, batches and times,
// and kernels' prefix sums.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "components/teams/hardware.hpp"
#include "components/words/bits.hpp"
#include "runners/device/device.hpp"
#include "runners/device/device_concept.hpp"

namespace fpsynth::baselines {

/// Seconds of a call, measured by the device's clock. Transfers use pageable memory.
struct DeviceTimes {
  double kernel = 0, to_device = 0, to_host = 0;

  /// Adds the times of a batch: copied to the device from `start` to `uploaded`, processed from
  /// `uploaded` to `done`, copied back from `downloading` to `downloaded`.
  template <device::Device Device, class Event>
  void add(Device& device, const Event& start, const Event& uploaded, const Event& done,
           const Event& downloading, const Event& downloaded) {
    to_device += device.seconds(start, uploaded);
    kernel += device.seconds(uploaded, done);
    to_host += device.seconds(downloading, downloaded);
  }
};

/// A baseline on one device, used by one thread at a time. It keeps its memory from call to call.
class BaselineDevice {
 public:
  virtual ~BaselineDevice() = default;

  /// Restores the original of a file, which may hold any bytes, as the CPU does and with the same
  /// errors. Throws DeviceError if the device fails or its memory is too small.
  virtual void decode_into(std::span<const std::byte> file, std::string_view name,
                           std::span<std::byte> out) = 0;
  /// The same, to newly allocated memory.
  std::vector<std::byte> decode(std::span<const std::byte> file, std::string_view name) {
    std::vector<std::byte> out(original_bytes(file, name));
    decode_into(file, name, out);
    return out;
  }

  /// Times of the last call, if it succeeded.
  const DeviceTimes& times() const { return times_; }

 protected:
  /// The size of a file's original. Checks the file, so that no memory is allocated for what it
  /// cannot hold.
  virtual std::size_t original_bytes(std::span<const std::byte> file,
                                     std::string_view name) const = 0;
  DeviceTimes times_;  ///< begins anew with each call
};

/// The same with encoding, of an original with the baseline's parameters.
template <class... Parameters>
class EncodingDevice : public BaselineDevice {
 public:
  /// Replaces the contents of `file` by the file that the CPU writes. Throws what the CPU's encoder
  /// throws, and DeviceError if the device fails or its memory is too small for one piece.
  virtual void encode_into(std::span<const std::byte> original, Parameters... parameters,
                           std::vector<std::byte>& file) = 0;
  /// The same, to newly allocated memory.
  std::vector<std::byte> encode(std::span<const std::byte> original, Parameters... parameters) {
    std::vector<std::byte> file;
    encode_into(original, parameters..., file);
    return file;
  }
};

/// A baseline on a device, with its parameters.
struct OnDevice {
  template <class... Parameters>
  OnDevice(const std::shared_ptr<EncodingDevice<Parameters...>>& encoding,
           std::type_identity_t<Parameters>... parameters)
      : device(encoding), encode([=](std::span<const std::byte> input, std::vector<std::byte>& to) {
          encoding->encode_into(input, parameters..., to);
        }) {}

  std::shared_ptr<BaselineDevice> device;
  std::function<void(std::span<const std::byte> input, std::vector<std::byte>& file)> encode;
};

/// The result of `make`, a function of a *.cu file. Throws DeviceError in a program that was built
/// without CUDA, and so without these files.
template <auto make>
auto on_gpu(const device::DeviceInfo& gpu) {
  if constexpr (FPSYNTH_DEVICE_CODE) {
    return make(gpu);
  } else {
    device::refuse_without_cuda();
    return decltype(make(gpu))();
  }
}

/// Throws DeviceError: the device has too little memory for even the smallest piece of work.
[[noreturn]] void refuse_memory(std::string_view device, std::string_view what, std::size_t needed,
                                std::size_t free);
/// Throws DeviceError: the device reports a file as damaged that the CPU decodes.
[[noreturn]] void refuse_device(std::string_view device, std::string_view file);

/// 16 bytes that one instruction moves.
struct alignas(16) Aligned16 {
  std::uint32_t words[4];
};

/// Exclusive prefix sum: replaces each of counts[0..n-1] by the sum of those before it, and sets
/// counts[n] to the sum of all. Runs as one thread block, whose lanes take four neighbours each. It
/// reads and writes 8 bytes per count, which is negligible compared with computing the counts.
struct SumsBody {
  static constexpr std::uint32_t kLanes = 1024;
  static constexpr std::size_t kSharedBytes = 2 * 32 * sizeof(std::uint64_t);
  struct Args {
    std::uint64_t* counts;
    std::uint32_t n;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hw, const Args& args) {
    constexpr std::uint32_t kEach = 4;
    const std::uint32_t warps = hw.lanes() / 32, warp = hw.lane() / 32, in_warp = hw.lane() % 32;
    // Two sets of sums take turns, so that one barrier is enough: a slow lane may still read the
    // previous set.
    std::uint64_t* sums = reinterpret_cast<std::uint64_t*>(hw.shared());
    std::uint64_t base = 0;
    for (std::uint32_t first = 0, turn = 0; first < args.n;
         first += kEach * hw.lanes(), turn ^= 1) {
      std::uint64_t counts[kEach], mine = 0;
      for (std::uint32_t i = 0; i < kEach; ++i) {
        const std::uint32_t at = first + kEach * hw.lane() + i;
        counts[i] = at < args.n ? args.counts[at] : 0;
        mine += counts[i];
      }
      std::uint64_t upto = mine;
      for (std::uint32_t d = 1; d < 32; d *= 2) {
        const std::uint64_t below = hw.shuffle_up(upto, d);
        if (in_warp >= d) upto += below;
      }
      if (in_warp == 31) sums[32 * turn + warp] = upto;
      hw.barrier();
      std::uint64_t before = base + upto - mine;
      for (std::uint32_t w = 0; w < warps; ++w) {
        if (w < warp) before += sums[32 * turn + w];
        base += sums[32 * turn + w];
      }
      for (std::uint32_t i = 0; i < kEach; ++i) {
        const std::uint32_t at = first + kEach * hw.lane() + i;
        if (at < args.n) args.counts[at] = before;
        before += counts[i];
      }
    }
    if (hw.lane() == 0) args.counts[args.n] = base;
  }
};

/// Grows a buffer to at least `items` items. Its contents are lost if it grows.
template <device::Device Device, class Buffer>
void grow(Device& device, Buffer& buffer, std::size_t items) {
  using Item = std::remove_cvref_t<decltype(*buffer.data())>;
  if (buffer.size() >= items) return;
  buffer = Buffer();  // frees before it allocates
  buffer = device.template allocate<Item>(items);
}

/// Number of thread blocks of a kernel whose warps divide `items` among them: no more than there is
/// work for, and no more than the device runs at once. Call it before the kernel's time starts.
template <class Body, device::Device Device>
std::uint32_t blocks_for(Device& device, std::uint32_t items) {
  const std::uint32_t most =
      std::max(1u, device.template resident_blocks<Body>(Body::kSharedBytes));
  return std::min(most, (items + Body::kLanes / 32 - 1) / (Body::kLanes / 32));
}

/// The host's part of a baseline that a device processes in batches of whole pieces (chunks or
/// runs), which it encodes and decodes independently of each other.
template <class Interface, device::Device Device>
class BatchesOn : public Interface {
 protected:
  template <class Description>
  explicit BatchesOn(const Description& description)
      : device_(description), stream_(device_.make_stream()) {}

  /// The number of `pieces` that fit the device's memory, if each needs `bytes` bytes of it beside
  /// some that a batch needs. `more` is the size of buffers that the derived class keeps. Throws
  /// DeviceError, which names a piece, if none fits.
  std::size_t that_fit(std::size_t pieces, std::size_t bytes, std::size_t more,
                       std::string_view piece) {
    const std::size_t kept =
        values_.size() + file_.size() * sizeof(Aligned16) + 8 * offsets_.size() + more;
    const std::size_t budget = (device_.free_memory() + kept) / 16 * 15;
    const std::size_t most = std::min(pieces, (budget - std::min<std::size_t>(budget, 64)) / bytes);
    if (most == 0) refuse_memory(device_.name(), piece, bytes, budget);
    return most;
  }
  /// Grows the buffers to hold a batch.
  void reserve(std::size_t value_bytes, std::size_t file_bytes, std::size_t offsets) {
    grow(device_, values_, value_bytes);
    grow(device_, file_, file_bytes / sizeof(Aligned16) + 1);
    grow(device_, offsets_, offsets);
    grow(device_, damaged_, 1);
  }

  /// Appends the encoded pieces of `values` to `out`. launch() starts the kernels; sizes() takes
  /// the pieces' sizes to the host, waits, and returns their sum.
  template <class Launch, class Sizes>
  void encode_batch(std::span<const std::byte> values, std::vector<std::byte>& out, Launch launch,
                    Sizes sizes) {
    const auto start = device_.record(stream_);
    device_.to_device(stream_, values_.data(), values.data(), values.size());
    const auto uploaded = device_.record(stream_);
    launch();
    const auto done = device_.record(stream_);
    const std::size_t bytes = sizes(), at = out.size();
    out.resize(at + bytes);
    const auto downloading = device_.record(stream_);
    device_.to_host(stream_, out.data() + at, file_bytes(), bytes);
    const auto downloaded = device_.record(stream_);
    device_.wait(stream_);
    this->times_.add(device_, start, uploaded, done, downloading, downloaded);
  }

  /// Decodes pieces to `out`. upload() takes to the device what the kernel, which launch() starts,
  /// needs beside the file. Returns false if a piece's codes do not match its size.
  template <class Upload, class Launch>
  bool decode_batch(std::span<const std::byte> file, std::span<std::byte> out, Upload upload,
                    Launch launch) {
    const auto start = device_.record(stream_);
    device_.to_device(stream_, file_bytes(), file.data(), file.size());
    upload();
    device_.clear(stream_, damaged_.data(), 1);
    const auto uploaded = device_.record(stream_);
    launch();
    const auto done = device_.record(stream_);
    std::uint32_t damaged = 0;
    device_.to_host(stream_, &damaged, damaged_.data(), 1);
    device_.to_host(stream_, out.data(), values_.data(), out.size());
    const auto downloaded = device_.record(stream_);
    device_.wait(stream_);
    this->times_.add(device_, start, uploaded, done, done, downloaded);
    return damaged == 0;
  }

  std::byte* file_bytes() { return reinterpret_cast<std::byte*>(file_.data()); }

  Device device_;
  typename Device::Stream stream_;
  typename Device::template Buffer<std::byte> values_;
  typename Device::template Buffer<Aligned16> file_;
  typename Device::template Buffer<std::uint64_t> offsets_;
  typename Device::template Buffer<std::uint32_t> damaged_;
};

/// Calls f(item) for each of a warp's share of `items`.
template <teams::Hardware Hardware, class F>
FPSYNTH_INLINE void for_warp_items(Hardware hw, std::uint32_t items, F f) {
  const std::uint32_t warps = hw.lanes() / 32, step = hw.blocks() * warps;
  for (std::uint32_t i = hw.block() * warps + hw.lane() / 32; i < items; i += step) f(i);
}

/// The sum over the lanes of a warp, returned to all of them.
template <teams::Hardware Hardware, class T>
FPSYNTH_INLINE T warp_sum(Hardware hw, T value) {
  for (std::uint32_t d = 1; d < 32; d *= 2) value += hw.shuffle_xor(value, d);
  return value;
}

}  // namespace fpsynth::baselines
