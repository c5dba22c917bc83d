#pragma once
// Compression and decompression in a GPU's memory with a prelude in front of a static pipeline, for
// generated projects. Writes and reads the same bytes as the CPU's codec.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "components/preludes/shape.hpp"
#include "components/static_pipeline.hpp"
#include "runners/codec/format/static_prelude_header.hpp"
#include "runners/codec/gpu/checksum/content_hash.hpp"
#include "runners/codec/gpu/preludes/static_workspace.hpp"
#include "runners/codec/gpu/preludes/word_launcher.hpp"
#include "runners/codec/gpu/static_codec.hpp"
#include "runners/device/device_concept.hpp"

namespace fpsynth::codec {

/// Writes the header in front of a container and adds its length to that of the container. Runs as
/// one thread block.
struct PreludeHeaderKernel {
  static constexpr std::uint32_t kLanes = 32;

  struct Args {
    std::byte header[kMostPreludeHeader];
    std::uint32_t bytes;
    const std::uint64_t* checksum;  ///< becomes the last field
    std::byte* out;
    std::uint64_t* written;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    for (std::uint32_t i = hardware.lane(); i < args.bytes; i += hardware.lanes()) {
      args.out[i] = args.header[i];
    }
    hardware.barrier();
    if (hardware.lane() != 0) return;
    store(args.out + args.bytes - 8, *args.checksum);
    *args.written += args.bytes;
  }
};

/// Computes the status of a decompression on the device. Runs as one thread block, after all other
/// kernels.
struct PreludeVerdictKernel {
  static constexpr std::uint32_t kLanes = 32;

  struct Args {
    std::byte header[kMostPreludeHeader];  ///< of the steps, which have no side data
    std::uint32_t steps;
    std::uint64_t original;      ///< the size that the header must have
    const std::byte* container;  ///< its header may hold anything
    const int* inner;            ///< the Status of the container within
    const std::uint64_t* hash;   ///< of what was restored
    int* status;                 ///< receives the Status
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    if (hardware.lane() == 0) *args.status = int(verdict(args));
  }

 private:
  FPSYNTH_INLINE static Status verdict(const Args& args) {
    if (const Status status = of_header(args); status != Status::Ok) return status;
    const std::byte* const end = args.container + step_at(args.steps);
    if (load<std::uint64_t>(end) != args.original) return Status::TooSmall;
    const Status inner = Status(*args.inner);
    if (inner == Status::OtherCodec || inner == Status::WrongSum) return inner;
    if (inner != Status::Ok) return Status::Damaged;
    return load<std::uint64_t>(end + 8) == *args.hash ? Status::Ok : Status::WrongSum;
  }
  /// What StaticPreludeHeader::read() says.
  FPSYNTH_INLINE static Status of_header(const Args& args) {
    const Status status = match_prefix(args.container, kStepsAt, args.header, kStepsAt);
    const bool current = args.container[kVersionAt] == std::byte{kVersion};
    if (status == Status::OldVersion && current) return Status::OtherCodec;
    if (status != Status::Ok) return status;
    bool side_data = false;
    for (std::uint32_t i = 0; i < args.steps; ++i) {
      const std::size_t side_bytes_at = step_at(i) + kSideBytesInStep;
      for (std::size_t j = step_at(i); j < side_bytes_at; ++j) {
        if (args.container[j] != args.header[j]) return Status::OtherCodec;
      }
      side_data = side_data || load<std::uint64_t>(args.container + side_bytes_at) != 0;
    }
    return side_data ? Status::Damaged : Status::Ok;
  }
};

/// Has the interface of StaticDeviceCodec, and its promises. Steps: StaticSteps, the first one
/// first, without side data: their length is known when their step has run, for which a call that
/// only puts work into a stream cannot wait (WaitingPreludeDeviceCodec does).
template <device::Device Device, class Pipeline, class... Steps>
class StaticPreludeDeviceCodec : public StaticPreludeDeviceBase<Device, Pipeline, Steps...> {
  static_assert((!preludes::has_side_data<typename Steps::Step> && ...),
                "a step with side data waits for the device, which this codec does not");
  using Base = StaticPreludeDeviceBase<Device, Pipeline, Steps...>;
  using Base::codec_, Base::device_, Base::launcher_;
  using typename Base::Workspace;

 public:
  using typename Base::Codec, typename Base::Header, typename Base::Stream, typename Base::Word;

  explicit StaticPreludeDeviceCodec(Device device) : Base(std::move(device)) {}

  static std::size_t bound(std::size_t bytes) { return Header::bound(Codec::bound(bytes)); }
  /// In addition to what StaticDeviceCodec needs: as many bytes as the original, twice that if a
  /// lagged step follows another step.
  std::size_t workspace_bytes(std::size_t bytes) {
    return Workspace(launcher_, bytes, nullptr).end + codec_.workspace_bytes(bytes);
  }

  Status compress(Stream& stream, const std::byte* in, std::size_t bytes, std::byte* out,
                  std::uint64_t* written, std::byte* workspace) {
    if (!Base::can_compress(in, bytes, out, written, workspace)) return Status::BadCall;
    const Workspace at(launcher_, bytes, workspace);
    launch_hash(device_, stream, in, bytes, at.sums, at.hash);
    StepWords words{in, {at.words[0], at.words[1]}};
    (apply<Steps>(stream, words, bytes / sizeof(Word)), ...);
    const std::size_t tail = bytes % sizeof(Word);
    std::byte* const last = words.buffers[words.last];
    if (tail > 0) device_.copy(stream, last + bytes - tail, in + bytes - tail, tail);
    const Status status =
        codec_.compress(stream, last, bytes, out + Header::kBytes, written, workspace + at.end);
    if (status != Status::Ok) return status;
    PreludeHeaderKernel::Args header{};
    PreludeFields fields = Header::fields();
    fields.original_bytes = bytes;
    store_prelude_header(fields, header.header);
    header.bytes = std::uint32_t(Header::kBytes);
    header.checksum = at.hash;
    header.out = out;
    header.written = written;
    device_.template launch<PreludeHeaderKernel>(stream, 1, 0, header);
    return Status::Ok;
  }

  Status decompress(Stream& stream, const std::byte* in, std::size_t bytes, std::byte* out,
                    std::size_t original, int* status, std::byte* workspace) {
    if (!Base::can_decompress(in, out, original, status, workspace)) return Status::BadCall;
    // Before parts of that length are looked for.
    const ContainerLayout layout = Codec::Container::layout(original);
    if (bytes < Header::kBytes || layout.accept(bytes - Header::kBytes) != Status::Ok) {
      return Status::Damaged;
    }
    const Workspace at(launcher_, original, workspace);
    const Status now = codec_.decompress(stream, in + Header::kBytes, bytes - Header::kBytes, out,
                                         original, at.status(), workspace + at.end);
    if (now != Status::Ok) return now;
    undo_all<sizeof...(Steps)>(stream, out, original / sizeof(Word), at.column_sums);
    launch_hash(device_, stream, out, original, at.sums, at.hash);
    PreludeVerdictKernel::Args verdict{};
    store_prelude_header(Header::fields(), verdict.header);
    verdict.steps = std::uint32_t(Header::kSteps);
    verdict.original = original;
    verdict.container = in;
    verdict.inner = at.status();
    verdict.hash = at.hash;
    verdict.status = status;
    device_.template launch<PreludeVerdictKernel>(stream, 1, 0, verdict);
    return Status::Ok;
  }

 private:
  template <class Of>
  void apply(Stream& stream, StepWords& words, std::uint64_t count) {
    std::byte* const to = words.after<typename Of::Step>();
    launcher_.template forward<typename Of::Step>(stream, words.now, to, count, Of::parameter);
    words.now = to;
  }

  /// Undoes the first `I` steps in place, the last one first.
  template <std::size_t I>
  void undo_all(Stream& stream, std::byte* words, std::uint64_t count, Word* sums) {
    if constexpr (I > 0) {
      using Of = typename Base::template Nth<I - 1>;
      launcher_.template backward<typename Of::Step>(stream, words, count, Of::parameter, sums);
      undo_all<I - 1>(stream, words, count, sums);
    }
  }
};

}  // namespace fpsynth::codec
