#pragma once
// Compression and decompression in a GPU's memory with a static pipeline, for generated projects.
// Writes and reads the same bytes as the CPU's codec.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "runners/codec/format/static_container.hpp"
#include "runners/codec/gpu/launcher.hpp"
#include "runners/codec/gpu/static_program.hpp"
#include "runners/device/device_concept.hpp"

namespace fpsynth::codec {

/// Computes the status of a decompression on the device. Runs as one thread block, after all other
/// kernels.
struct VerdictKernel {
  static constexpr std::uint32_t kLanes = 32;

  struct Args {
    std::byte prefix[HeaderKernel::kMostBytes];  ///< the bytes that the container must begin with
    std::uint32_t prefix_bytes;
    std::uint64_t original;  ///< the size that must follow them
    const std::byte* container;
    const std::uint64_t* fault;  ///< of the decoding: not 0 if there is one; or null, and
    const int* inner;            ///< the Status of the container within
    const std::uint64_t* hash;   ///< of what was decoded
    int* status;                 ///< receives the Status
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    if (hardware.lane() == 0) *args.status = int(verdict(args));
  }

 private:
  FPSYNTH_INLINE static Status verdict(const Args& args) {
    const Status status =
        match_prefix(args.container, args.prefix_bytes, args.prefix, args.prefix_bytes);
    if (status != Status::Ok) return status;
    const std::byte* const size = args.container + args.prefix_bytes;
    if (load<std::uint64_t>(size) != args.original) return Status::TooSmall;
    if (args.fault && *args.fault) return Status::Damaged;
    if (args.inner && *args.inner != int(Status::Ok)) return of_inner(Status(*args.inner));
    return load<std::uint64_t>(size + 8) == *args.hash ? Status::Ok : Status::WrongSum;
  }
  FPSYNTH_INLINE static Status of_inner(Status inner) {
    const bool told = inner == Status::OtherCodec || inner == Status::WrongSum;
    return told ? inner : Status::Damaged;
  }
};

/// Copies the first bytes of in[0..bytes) from device memory to the host, as many as `start` has or
/// there are, and waits for the stream.
template <device::Device Device, std::size_t Size>
void read_start(Device& device, typename Device::Stream& stream, const std::byte* in,
                std::size_t bytes, std::byte (&start)[Size]) {
  device.to_host(stream, start, in, bytes < Size ? bytes : Size);
  device.wait(stream);
}

/// Pipeline: components::StaticPipeline. `in`, `out`, `status` and `workspace` point to device
/// memory; `workspace` is aligned to kBlockAlignment. Calls put their work into the stream; only
/// original_size() waits for it. Several threads may use an object at once after use(), each with
/// its own workspace and stream. Members throw DeviceError if the device fails.
template <device::Device Device, class Pipeline>
class StaticDeviceCodec {
 public:
  using Container = StaticContainer<Pipeline>;
  using Stream = typename Device::Stream;

  explicit StaticDeviceCodec(Device device)
      : device_(std::move(device)), launcher_(device_, Program{}) {}

  /// Makes the device the calling thread's current device.
  void use() { device_.use(); }

  /// A capacity that is enough for any original of `bytes` bytes; 0 if no memory is that large.
  static std::size_t bound(std::size_t bytes) { return Container::layout(bytes).bound(); }
  /// Bytes of device memory that a call needs for an original of `bytes` bytes, in addition to its
  /// arguments.
  std::size_t workspace_bytes(std::size_t bytes) const {
    return launcher_.workspace_bytes(Container::layout(bytes));
  }
  /// True if a workspace is not null, and aligned.
  static bool suits(const std::byte* workspace) {
    const auto at = reinterpret_cast<std::uintptr_t>(workspace);
    return workspace && at % components::kBlockAlignment == 0;
  }

  /// Compresses in[0..bytes) to out[0..bound(bytes)), and sets *written to the container's length.
  Status compress(Stream& stream, const std::byte* in, std::size_t bytes, std::byte* out,
                  std::uint64_t* written, std::byte* workspace) {
    if ((!in && bytes > 0) || !out || !written || !suits(workspace)) return Status::BadCall;
    const ContainerLayout layout = Container::layout(bytes);
    const auto at = launcher_.parts(layout, workspace);
    launcher_.hash(stream, at, in, bytes);
    HeaderKernel::Args header{};
    Container::write_header(layout, header.header);
    header.checksum = at.hash;
    header.total = written;
    header.block_bytes = at.found().bytes();
    header.blocks_at = layout.blocks_at;
    launcher_.encode(stream, at, layout, in, out, layout.bound(), header);
    return Status::Ok;
  }

  /// Sets `original` to the size of the original of in[0..bytes), which may hold anything. Waits
  /// for the stream. Ok means that the header is this codec's, not that the container can be
  /// decompressed.
  Status original_size(Stream& stream, const std::byte* in, std::size_t bytes,
                       std::size_t& original) {
    original = 0;
    if (!in) return Status::BadCall;
    std::byte header[Container::kHeaderBytes];
    read_start(device_, stream, in, bytes, header);
    return Container::read_header(header, bytes, original);
  }

  /// Decompresses in[0..bytes), which may hold anything, to out[0..original), where `original` is
  /// the size that original_size() gave. The returned status is known at once. If it is Ok, *status
  /// becomes the result of the decompression when the stream has completed: TooSmall if the
  /// container names another size. The output is valid only if both are Ok.
  Status decompress(Stream& stream, const std::byte* in, std::size_t bytes, std::byte* out,
                    std::size_t original, int* status, std::byte* workspace) {
    if (!in || (!out && original > 0) || !status || !suits(workspace)) return Status::BadCall;
    const ContainerLayout layout = Container::layout(original);
    if (layout.accept(bytes) != Status::Ok) return Status::Damaged;
    if (layout.chunks == 0 && bytes > layout.blocks_at) return Status::Damaged;
    const auto at = launcher_.parts(layout, workspace);
    launcher_.decode(stream, at, layout, in, bytes, out);
    launcher_.hash(stream, at, out, original);
    VerdictKernel::Args verdict{};
    Container::write_header(layout, verdict.prefix);
    verdict.prefix_bytes = std::uint32_t(Container::kPrefixBytes);
    verdict.original = original;
    verdict.container = in;
    verdict.fault = at.found().fault();
    verdict.hash = at.hash;
    verdict.status = status;
    device_.template launch<VerdictKernel>(stream, 1, 0, verdict);
    return Status::Ok;
  }

 private:
  using Program = StaticProgram<Pipeline>;

  Device device_;
  ContainerLauncher<Device, Program> launcher_;
};

}  // namespace fpsynth::codec
