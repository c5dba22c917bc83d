#pragma once
// Compression and decompression in a GPU's memory with a prelude in front of a static pipeline, for
// generated projects. Writes and reads the same bytes as the CPU's codec.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "components/preludes/shape.hpp"
#include "components/static_pipeline.hpp"
#include "runners/codec/format/prelude_header.hpp"
#include "runners/codec/format/static_prelude_header.hpp"
#include "runners/codec/format/status.hpp"
#include "runners/codec/gpu/checksum/content_hash.hpp"
#include "runners/codec/gpu/preludes/word_launcher.hpp"
#include "runners/codec/gpu/static_codec.hpp"
#include "runners/device/device_concept.hpp"

namespace fpsynth::codec {

/// The parts of a workspace; what is behind `end` is the container's. Steps: StaticSteps.
template <class Word, class... Steps>
struct StaticWorkspace {
  std::uint64_t *hash, *result, *sums;
  std::byte* words[2];  ///< compression
  Word* column_sums;    ///< decompression, in the same place
  std::size_t end;

  /// For an original of `bytes` bytes. `workspace` is null if the caller only wants the length.
  template <device::Device Device>
  StaticWorkspace(WordLauncher<Device, Word>& launcher, std::size_t bytes, std::byte* workspace)
      : hash(nullptr), result(nullptr), sums(nullptr), words{}, column_sums(nullptr) {
    using First = typename components::Nth<0, Steps...>::type::Step;
    constexpr std::size_t kApart =
        (std::size_t{0} + ... + (preludes::reads_apart(Steps::Step::shape) ? 1 : 0));
    constexpr bool kTwice = kApart > (preludes::reads_apart(First::shape) ? 1 : 0);
    const std::uint64_t count = bytes / sizeof(Word);
    std::uint64_t most = 0;
    const auto add = [&](std::uint64_t needed) { most = needed > most ? needed : most; };
    (add(launcher.template backward_workspace<typename Steps::Step>(count, Steps::parameter)), ...);
    const std::size_t fixed = rounded(8 * (2 + hash_words(bytes)));
    const std::size_t each = rounded(bytes), restored = rounded(most * sizeof(Word));
    const std::size_t transformed = kTwice ? 2 * each : each;
    end = fixed + (transformed > restored ? transformed : restored);
    if (!workspace) return;  // no pointer arithmetic on null
    hash = reinterpret_cast<std::uint64_t*>(workspace);
    result = hash + 1;
    sums = hash + 2;
    words[0] = workspace + fixed;
    words[1] = words[0] + (kTwice ? each : 0);
    column_sums = reinterpret_cast<Word*>(words[0]);
  }
  /// The result as the Status of a decompression of the container.
  int* status() const { return reinterpret_cast<int*>(result); }

 private:
  static constexpr std::size_t rounded(std::size_t bytes) {
    return components::round_up_to_alignment(bytes);
  }
};

/// The places of the words while the steps of a compression are applied.
struct StepWords {
  const std::byte* now;   ///< before the next step
  std::byte* buffers[2];  ///< of a workspace
  std::size_t last = 0;   ///< the words after a step are in buffers[last]

  /// Returns where the words after a step go, after which `now` must become that place.
  template <class Step>
  std::byte* after() {
    if (preludes::reads_apart(Step::shape) && now == buffers[last]) last = 1 - last;
    return buffers[last];
  }
};

/// Writes the header of a prelude, and adds to the length of the container within that of what is
/// in front of it. Runs as one thread block.
struct PreludeHeaderKernel {
  static constexpr std::uint32_t kLanes = 32;

  struct Args {
    std::byte header[kMostPreludeHeader];
    std::uint32_t bytes;
    std::uint64_t in_front;         ///< the header and side data
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
    *args.written += args.in_front;
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
    const bool told = inner == Status::OtherCodec || inner == Status::Described;
    if (told || inner == Status::WrongSum) return inner;
    if (inner != Status::Ok) return Status::Damaged;
    return load<std::uint64_t>(end + 8) == *args.hash ? Status::Ok : Status::WrongSum;
  }
  /// The status that StaticPreludeHeader::read() gives.
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

/// The part of a codec that runs steps with side data; defined in a header of its own.
template <device::Device Device, class W>
class StaticSideOn;
/// In its place if no step has any.
template <device::Device Device>
struct NoSide {
  explicit NoSide(Device&) {}
};

/// Has the interface of StaticDeviceCodec. Steps: StaticSteps, the first one first.
///
/// If no step has side data, it has the promises of StaticDeviceCodec, too. Otherwise compress()
/// and decompress() wait for the stream, and their work is done when they return: nobody knows how
/// long side data are before their step has run, and the host sorts keys. They also allocate device
/// memory besides the workspace (SideSteps says how much), compress() host memory for keys;
/// NoMemory if there is not enough. If compress() returns Ok, *written has been set; the status
/// that decompress() returns is the result, and if it is Ok, *status is, too.
template <device::Device Device, class Pipeline, class... Steps>
class StaticPreludeDeviceCodec {
  static constexpr bool kWaits = (preludes::has_side_data<typename Steps::Step> || ...);

 public:
  using Codec = StaticDeviceCodec<Device, Pipeline>;
  using Word = typename Pipeline::Word;
  using Header = StaticPreludeHeader<Word, Steps...>;
  using Stream = typename Device::Stream;

  explicit StaticPreludeDeviceCodec(Device device)
      : device_(std::move(device)), codec_(device_), launcher_(device_), side_(device_) {}
  StaticPreludeDeviceCodec(const StaticPreludeDeviceCodec&) = delete;
  StaticPreludeDeviceCodec& operator=(const StaticPreludeDeviceCodec&) = delete;

  void use() { device_.use(); }

  static std::size_t bound(std::size_t bytes) {
    return Header::bound(Codec::bound(bytes), bytes / sizeof(Word));
  }
  /// In addition to what StaticDeviceCodec needs, or the same for side data: as many bytes as the
  /// original, twice that if a step that is not the first one does not work in place.
  std::size_t workspace_bytes(std::size_t bytes) {
    std::size_t shared = codec_.workspace_bytes(bytes);
    if constexpr (kWaits) {
      const auto add = [&](std::size_t needed) { shared = needed > shared ? needed : shared; };
      (add(side_.template workspace_bytes<typename Steps::Step>(bytes / sizeof(Word))), ...);
    }
    return Workspace(launcher_, bytes, nullptr).end + shared;
  }

  Status compress(Stream& stream, const std::byte* in, std::size_t bytes, std::byte* out,
                  std::uint64_t* written, std::byte* workspace) {
    if ((!in && bytes > 0) || !out || !written || !Codec::suits(workspace)) return Status::BadCall;
    return done(stream, [&] {
      const Workspace at(launcher_, bytes, workspace);
      launch_hash(device_, stream, in, bytes, at.sums, at.hash);
      Forward call{stream,
                   {in, {at.words[0], at.words[1]}},
                   bytes / sizeof(Word),
                   out + Header::kBytes,
                   workspace + at.end,
                   at.result};
      if (const Status status = forward<0>(call); status != Status::Ok) return status;
      const std::size_t tail = bytes % sizeof(Word);
      std::byte* const last = call.words.buffers[call.words.last];
      if (tail > 0) device_.copy(stream, last + bytes - tail, in + bytes - tail, tail);
      const Status status =
          codec_.compress(stream, last, bytes, call.end, written, workspace + at.end);
      if (status != Status::Ok) return status;
      call.fields.original_bytes = bytes;
      PreludeHeaderKernel::Args header{};
      store_prelude_header(call.fields, header.header);
      header.bytes = std::uint32_t(Header::kBytes);
      header.in_front = std::uint64_t(call.end - out);
      header.checksum = at.hash;
      header.out = out;
      header.written = written;
      device_.template launch<PreludeHeaderKernel>(stream, 1, 0, header);
      return Status::Ok;
    });
  }

  Status original_size(Stream& stream, const std::byte* in, std::size_t bytes,
                       std::size_t& original) {
    Parts parts;
    const Status status = read_headers(stream, in, bytes, parts);
    original = status == Status::Ok ? std::size_t(parts.fields.original_bytes) : 0;
    return status;
  }

  Status decompress(Stream& stream, const std::byte* in, std::size_t bytes, std::byte* out,
                    std::size_t original, int* status, std::byte* workspace) {
    if (!in || (!out && original > 0) || !status || !Codec::suits(workspace)) {
      return Status::BadCall;
    }
    return done(stream, [&] {
      Parts parts;
      if constexpr (kWaits) {
        const Status now = read_headers(stream, in, bytes, parts);
        if (now != Status::Ok) return now;
        if (parts.fields.original_bytes != original) return Status::TooSmall;
      } else if (bytes < Header::kBytes ||
                 Codec::Container::layout(original).accept(bytes - Header::kBytes) != Status::Ok) {
        return Status::Damaged;  // before parts of that length are looked for
      }
      const Workspace at(launcher_, original, workspace);
      Status now = codec_.decompress(stream, in + parts.inner_at, bytes - parts.inner_at, out,
                                     original, at.status(), workspace + at.end);
      if constexpr (kWaits) {
        if (now == Status::Ok) now = Status(side_.fetch(stream, at.status()));
      }
      if (now != Status::Ok) return now;
      const Backward call{stream,         parts.fields,       out,      original / sizeof(Word),
                          at.column_sums, workspace + at.end, at.result};
      now = backward<Header::kSteps>(call, in + parts.inner_at);
      if (now != Status::Ok) return now;
      launch_hash(device_, stream, out, original, at.sums, at.hash);
      if constexpr (kWaits) {
        if (side_.fetch(stream, at.hash) != parts.fields.checksum) return Status::WrongSum;
        static_assert(int(Status::Ok) == 0);
        device_.clear(stream, status, 1);
      } else {
        launch_verdict(stream, in, original, at, status);
      }
      return Status::Ok;
    });
  }

 private:
  using Workspace = StaticWorkspace<Word, Steps...>;
  template <std::size_t I>
  using Nth = typename components::Nth<I, Steps...>::type;

  /// A container whose headers have been read.
  struct Parts {
    PreludeFields fields;
    std::size_t inner_at = Header::kBytes;  ///< behind all side data
  };

  /// Reads the headers of in[0..bytes), which may hold anything, and of the container within it,
  /// for which it waits. Ok means that they are this codec's and agree.
  Status read_headers(Stream& stream, const std::byte* in, std::size_t bytes, Parts& parts) {
    if (!in) return Status::BadCall;
    std::byte header[Header::kBytes];
    read_start(device_, stream, in, bytes, header);
    Status status = Header::read(header, bytes, parts.fields);
    if (status != Status::Ok) return status;
    for (std::size_t i = 0; i < Header::kSteps; ++i) {
      parts.inner_at += std::size_t(parts.fields.step[i].side_bytes);
    }
    std::size_t inner = 0;
    status = codec_.original_size(stream, in + parts.inner_at, bytes - parts.inner_at, inner);
    if (status != Status::Ok) return status == Status::OtherCodec ? status : Status::Damaged;
    return inner == parts.fields.original_bytes ? Status::Ok : Status::Damaged;
  }

  /// The status of the work of a call. With side data, none of it is left in the stream then.
  template <class Work>
  Status done(Stream& stream, const Work& work) {
    if constexpr (kWaits) {
      return side_.done(stream, work);
    } else {
      return work();
    }
  }

  /// A compression while its steps are executed.
  struct Forward {
    Stream& stream;
    StepWords words;
    std::uint64_t count;
    std::byte* end;  ///< of what was written to the output
    std::byte* workspace;
    std::uint64_t* result;
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
        std::size_t written = 0;
        const Status status = side_.template forward<Step>(
            call.stream, call.words.now, to, call.count, Nth<I>::parameter, Nth<I>::divisors,
            {call.workspace, call.result}, call.end, written);
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
    std::byte* workspace;
    std::uint64_t* result;
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
        const Status status =
            side_.template backward<Step>(call.stream, side_end - bytes, bytes, call.words,
                                          call.count, kParameter, {call.workspace, call.result});
        if (status != Status::Ok) return status;
      } else {
        launcher_.template backward<Step>(call.stream, call.words, call.count, kParameter,
                                          call.column_sums);
      }
      return backward<I - 1>(call, side_end - bytes);
    }
  }

  void launch_verdict(Stream& stream, const std::byte* in, std::size_t original,
                      const Workspace& at, int* status) {
    PreludeVerdictKernel::Args verdict{};
    store_prelude_header(Header::fields(), verdict.header);
    verdict.steps = std::uint32_t(Header::kSteps);
    verdict.original = original;
    verdict.container = in;
    verdict.inner = at.status();
    verdict.hash = at.hash;
    verdict.status = status;
    device_.template launch<PreludeVerdictKernel>(stream, 1, 0, verdict);
  }

  Device device_;
  Codec codec_;
  WordLauncher<Device, Word> launcher_;
  std::conditional_t<kWaits, StaticSideOn<Device, Word>, NoSide<Device>> side_;
};

}  // namespace fpsynth::codec
