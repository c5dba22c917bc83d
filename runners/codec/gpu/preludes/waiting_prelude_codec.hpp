#pragma once
// Compression and decompression in a GPU's memory with a prelude that keeps values beside the
// words, in front of a static pipeline, for generated projects. Writes and reads the same bytes as
// the CPU's codec.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "components/preludes/shape.hpp"
#include "components/static_pipeline.hpp"
#include "runners/codec/format/static_prelude_header.hpp"
#include "runners/codec/gpu/checksum/content_hash.hpp"
#include "runners/codec/gpu/preludes/prelude_memory.hpp"
#include "runners/codec/gpu/preludes/side_steps.hpp"
#include "runners/codec/gpu/preludes/static_side.hpp"
#include "runners/codec/gpu/preludes/static_workspace.hpp"
#include "runners/codec/gpu/preludes/word_launcher.hpp"
#include "runners/codec/gpu/static_codec.hpp"
#include "runners/device/device_concept.hpp"
#include "runners/device/device_info.hpp"

namespace fpsynth::codec {

/// Has the interface of StaticDeviceCodec, but compress() and decompress() wait for the stream, and
/// their work is done when they return: nobody knows how long side data are before their step has
/// run, and the host sorts keys. They also allocate device memory besides the workspace (SideSteps
/// says how much), compress() host memory for keys; NoMemory if there is not enough. Steps:
/// StaticSteps, the first one first.
template <device::Device Device, class Pipeline, class... Steps>
class WaitingPreludeDeviceCodec : public StaticPreludeDeviceBase<Device, Pipeline, Steps...> {
  using Base = StaticPreludeDeviceBase<Device, Pipeline, Steps...>;
  using Base::codec_, Base::device_, Base::launcher_;
  using typename Base::Workspace;

 public:
  using typename Base::Codec, typename Base::Header, typename Base::Stream, typename Base::Word;

  explicit WaitingPreludeDeviceCodec(Device device)
      : Base(std::move(device)), side_steps_(device_) {}

  static std::size_t bound(std::size_t bytes) {
    return Header::template bound<Side>(Codec::bound(bytes), bytes / sizeof(Word));
  }
  /// In addition to what StaticDeviceCodec needs, or the same for side data: as many bytes as the
  /// original, twice that if a step that is not the first one does not work in place.
  std::size_t workspace_bytes(std::size_t bytes) {
    std::size_t shared = codec_.workspace_bytes(bytes);
    (add_workspace<typename Steps::Step>(shared, bytes / sizeof(Word)), ...);
    return Workspace(launcher_, bytes, nullptr).end + shared;
  }

  /// If this is Ok, *written has been set.
  Status compress(Stream& stream, const std::byte* in, std::size_t bytes, std::byte* out,
                  std::uint64_t* written, std::byte* workspace) {
    if (!Base::can_compress(in, bytes, out, written, workspace)) return Status::BadCall;
    const auto work = [&] {
      const Workspace at(launcher_, bytes, workspace);
      launch_hash(device_, stream, in, bytes, at.sums, at.hash);
      Forward call{stream,
                   {in, {at.words[0], at.words[1]}},
                   bytes / sizeof(Word),
                   out + Header::kBytes,
                   {workspace + at.end, at.result}};
      if (const Status status = forward<0>(call); status != Status::Ok) return status;
      const std::size_t tail = bytes % sizeof(Word);
      std::byte* const last = call.words.buffers[call.words.last];
      if (tail > 0) device_.copy(stream, last + bytes - tail, in + bytes - tail, tail);
      const Status status =
          codec_.compress(stream, last, bytes, call.end, at.result, workspace + at.end);
      if (status != Status::Ok) return status;
      call.fields.original_bytes = bytes;
      call.fields.checksum = fetch(device_, stream, at.hash);
      std::byte header[Header::kBytes];
      store_prelude_header(call.fields, header);
      const std::uint64_t all = std::uint64_t(call.end - out) + fetch(device_, stream, at.result);
      device_.to_device(stream, out, header, Header::kBytes);
      device_.to_device(stream, written, &all, 1);
      device_.wait(stream);
      return Status::Ok;
    };
    return finished(stream, work);
  }

  /// The returned status is the result; if it is Ok, *status is, too.
  Status decompress(Stream& stream, const std::byte* in, std::size_t bytes, std::byte* out,
                    std::size_t original, int* status, std::byte* workspace) {
    if (!Base::can_decompress(in, out, original, status, workspace)) return Status::BadCall;
    const auto work = [&] {
      StaticPreludeParts parts;
      Status now = read_headers<Header>(device_, codec_, stream, in, bytes, parts);
      if (now != Status::Ok) return now;
      if (parts.fields.original_bytes != original) return Status::TooSmall;
      const Workspace at(launcher_, original, workspace);
      now = codec_.decompress(stream, in + parts.inner_at, bytes - parts.inner_at, out, original,
                              at.status(), workspace + at.end);
      if (now == Status::Ok) now = Status(fetch(device_, stream, at.status()));
      if (now != Status::Ok) return now;
      const Backward call{stream,
                          parts.fields,
                          out,
                          original / sizeof(Word),
                          at.column_sums,
                          {workspace + at.end, at.result}};
      now = backward<Header::kSteps>(call, in + parts.inner_at);
      if (now != Status::Ok) return now;
      launch_hash(device_, stream, out, original, at.sums, at.hash);
      if (fetch(device_, stream, at.hash) != parts.fields.checksum) return Status::WrongSum;
      static_assert(int(Status::Ok) == 0);
      device_.clear(stream, status, 1);
      return Status::Ok;
    };
    return finished(stream, work);
  }

 private:
  template <std::size_t I>
  using Nth = typename Base::template Nth<I>;
  template <class Step>
  using Side = StaticSideOn<Step::shape, Device, Word>;

  template <class Step>
  void add_workspace(std::size_t& shared, std::size_t words) {
    if constexpr (preludes::has_side_data<Step>) {
      shared = std::max(shared, Side<Step>(device_).workspace_bytes(words));
    }
  }
  /// The status of a call, none of whose work is left in the stream then. Callers without
  /// exceptions can tell NoMemory from a failure of the device.
  template <class Work>
  Status finished(Stream& stream, const Work& work) {
    Status status = Status::NoMemory;
    try {
      status = work();
    } catch (const device::DeviceUnsuitable&) {
    }
    device_.wait(stream);
    return status;
  }

  /// A compression while its steps are executed.
  struct Forward {
    Stream& stream;
    StepWords words;
    std::uint64_t count;
    std::byte* end;  ///< of what was written to the output
    SideWorkspace at;
    PreludeFields fields = Header::fields();
  };

  /// Applies the steps from the `I`th on.
  template <std::size_t I>
  Status forward(Forward& call) {
    if constexpr (I == Header::kSteps) {
      return Status::Ok;
    } else {
      using Step = typename Nth<I>::Step;
      std::byte* const to = call.words.template after<Step>();
      if constexpr (preludes::has_side_data<Step>) {
        SideBuffers<Device, Word> side;
        Status status = side_steps_.template forward<Step>(call.stream, call.words.now, to,
                                                           call.count, Nth<I>::parameter, side);
        if (status != Status::Ok) return status;
        std::size_t written = 0;
        status = Side<Step>(device_).encode(call.stream, side, call.end, written, call.at);
        if (status != Status::Ok) return status;
        call.fields.step[I].side_bytes = written;
        call.end += written;
      } else {
        launcher_.template forward<Step>(call.stream, call.words.now, to, call.count,
                                         Nth<I>::parameter);
      }
      call.words.now = to;
      return forward<I + 1>(call);
    }
  }

  /// A decompression while its steps are undone.
  struct Backward {
    Stream& stream;
    const PreludeFields& fields;
    std::byte* words;
    std::uint64_t count;
    Word* column_sums;
    SideWorkspace at;
  };

  /// Undoes the first `I` steps, the last one first, whose side data end at `side_end`.
  template <std::size_t I>
  Status backward(const Backward& call, const std::byte* side_end) {
    if constexpr (I == 0) {
      return Status::Ok;
    } else {
      using Step = typename Nth<I - 1>::Step;
      constexpr std::uint64_t kParameter = Nth<I - 1>::parameter;
      const auto bytes = std::size_t(call.fields.step[I - 1].side_bytes);
      if constexpr (preludes::has_side_data<Step>) {
        SideBuffers<Device, Word> side;
        Status status = Side<Step>(device_).decode(call.stream, side_end - bytes, bytes,
                                                   std::size_t(call.count), side, call.at);
        if (status != Status::Ok) return status;
        status = side_steps_.template backward<Step>(call.stream, call.words, call.count,
                                                     kParameter, side);
        if (status != Status::Ok) return status;
      } else {
        launcher_.template backward<Step>(call.stream, call.words, call.count, kParameter,
                                          call.column_sums);
      }
      return backward<I - 1>(call, side_end - bytes);
    }
  }

  SideSteps<Device, Word> side_steps_;
};

}  // namespace fpsynth::codec
