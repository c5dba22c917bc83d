#pragma once
// Compression and decompression in a GPU's memory with a prelude in front of a static pipeline, for
// generated projects. Writes and reads the same bytes as the CPU's codec.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "components/preludes/shape.hpp"
#include "components/static_pipeline.hpp"
#include "runners/codec/format/prelude_header.hpp"
#include "runners/codec/format/status.hpp"
#include "runners/codec/gpu/content_hash.hpp"
#include "runners/codec/gpu/preludes/word_launcher.hpp"
#include "runners/codec/gpu/static_codec.hpp"
#include "runners/device/device_concept.hpp"

namespace fpsynth::codec {

/// Has the interface and the promises of StaticDeviceCodec. Steps: StaticSteps, the first one
/// first, none of which has side data.
template <device::Device Device, class Pipeline, class... Steps>
class StaticPreludeDeviceCodec {
 public:
  using Codec = StaticDeviceCodec<Device, Pipeline>;
  using Word = typename Pipeline::Word;
  using Header = StaticPreludeHeader<Word, Steps...>;
  using Stream = typename Device::Stream;
  static_assert(!(preludes::has_side_data<typename Steps::Step> || ...));
  static_assert(Header::kBytes <= HeaderKernel::kMostBytes);

  explicit StaticPreludeDeviceCodec(Device device)
      : device_(std::move(device)), codec_(device_), launcher_(device_) {}
  StaticPreludeDeviceCodec(const StaticPreludeDeviceCodec&) = delete;
  StaticPreludeDeviceCodec& operator=(const StaticPreludeDeviceCodec&) = delete;

  void use() { device_.use(); }

  static std::size_t bound(std::size_t bytes) {
    return Header::bound(Codec::bound(bytes), bytes / sizeof(Word));
  }
  /// In addition to what StaticDeviceCodec needs: as many bytes as the original, twice that if a
  /// step that is not the first one does not work in place.
  std::size_t workspace_bytes(std::size_t bytes) {
    return parts(bytes, nullptr).end + codec_.workspace_bytes(bytes);
  }

  Status compress(Stream& stream, const std::byte* in, std::size_t bytes, std::byte* out,
                  std::uint64_t* written, std::byte* workspace) {
    if ((!in && bytes > 0) || !out || !written || !Codec::suits(workspace)) return Status::BadCall;
    const Parts at = parts(bytes, workspace);
    launch_hash(device_, stream, in, bytes, at.sums, at.hash);
    const std::byte* now = in;
    std::byte *to = at.words[0], *other = at.words[1];
    const auto apply = [&]<class Each>() {
      using Step = typename Each::Step;
      if (preludes::reads_apart(Step::shape) && now == to) std::swap(to, other);
      launcher_.template forward<Step>(stream, now, to, bytes / sizeof(Word), Each::parameter);
      now = to;
    };
    (apply.template operator()<Steps>(), ...);
    const std::size_t tail = bytes % sizeof(Word);
    if (tail > 0) device_.copy(stream, to + bytes - tail, in + bytes - tail, tail);
    const Status status =
        codec_.compress(stream, to, bytes, out + Header::kBytes, at.result, workspace + at.end);
    if (status != Status::Ok) return status;
    HeaderKernel::Args header{};
    PreludeFields fields = Header::fields();
    fields.original_bytes = bytes;
    store_prelude_header(fields, header.header);
    header.bytes = std::uint32_t(Header::kBytes);
    header.checksum = at.hash;
    header.out = out;
    header.total = written;
    header.block_bytes = at.result;
    header.blocks_at = Header::kBytes;
    device_.template launch<HeaderKernel>(stream, 1, 0, header);
    return Status::Ok;
  }

  Status original_size(Stream& stream, const std::byte* in, std::size_t bytes,
                       std::size_t& original) {
    original = 0;
    if (!in) return Status::BadCall;
    std::byte header[Header::kBytes];
    PreludeFields fields;
    read_start(device_, stream, in, bytes, header);
    Status status = Header::read(header, bytes, fields);
    if (status != Status::Ok) return status;
    std::size_t inner = 0;
    status = codec_.original_size(stream, in + Header::kBytes, bytes - Header::kBytes, inner);
    if (status != Status::Ok) return status == Status::OtherCodec ? status : Status::Damaged;
    if (inner != fields.original_bytes) return Status::Damaged;
    original = inner;
    return Status::Ok;
  }

  Status decompress(Stream& stream, const std::byte* in, std::size_t bytes, std::byte* out,
                    std::size_t original, int* status, std::byte* workspace) {
    if (!in || (!out && original > 0) || !status || !Codec::suits(workspace)) {
      return Status::BadCall;
    }
    // Before parts of that length are looked for.
    if (bytes < Header::kBytes ||
        Codec::Container::layout(original).accept(bytes - Header::kBytes) != Status::Ok) {
      return Status::Damaged;
    }
    const Parts at = parts(original, workspace);
    int* const inner = reinterpret_cast<int*>(at.result);
    const Status now = codec_.decompress(stream, in + Header::kBytes, bytes - Header::kBytes, out,
                                         original, inner, workspace + at.end);
    if (now != Status::Ok) return now;
    undo(stream, out, original / sizeof(Word), reinterpret_cast<Word*>(at.words[0]),
         std::make_index_sequence<Header::kSteps>());
    launch_hash(device_, stream, out, original, at.sums, at.hash);
    VerdictKernel::Args verdict{};
    store_prelude_header(Header::fields(), verdict.prefix);
    verdict.prefix_bytes = std::uint32_t(Header::kOriginalBytesAt);
    verdict.original = original;
    verdict.container = in;
    verdict.inner = inner;
    verdict.hash = at.hash;
    verdict.status = status;
    device_.template launch<VerdictKernel>(stream, 1, 0, verdict);
    return Status::Ok;
  }

 private:
  /// Undoes all steps, the last one first.
  template <std::size_t... I>
  void undo(Stream& stream, std::byte* words, std::size_t count, Word* workspace,
            std::index_sequence<I...>) {
    const auto undo_one = [&]<class Each>() {
      launcher_.template backward<typename Each::Step>(stream, words, count, Each::parameter,
                                                       workspace);
    };
    (undo_one
         .template operator()<typename components::Nth<Header::kSteps - 1 - I, Steps...>::type>(),
     ...);
  }

  /// The parts of a workspace; what is behind `end` is the container's.
  struct Parts {
    std::uint64_t *hash, *result, *sums;
    std::byte* words[2];  ///< after steps; decompression has its own workspace in their place
    std::size_t end;
  };
  /// For an original of `bytes` bytes. `workspace` is null if the caller only wants the length.
  Parts parts(std::size_t bytes, std::byte* workspace) {
    using First = typename components::Nth<0, Steps...>::type::Step;
    constexpr std::size_t kApart =
        (std::size_t{0} + ... + (preludes::reads_apart(Steps::Step::shape) ? 1 : 0));
    constexpr bool kTwice = kApart > (preludes::reads_apart(First::shape) ? 1 : 0);
    const std::uint64_t count = bytes / sizeof(Word);
    std::uint64_t most = 0;
    const auto add = [&](std::uint64_t needed) { most = needed > most ? needed : most; };
    (add(launcher_.template workspace<typename Steps::Step>(count, Steps::parameter)), ...);
    const auto rounded = [](std::size_t length) {
      return components::round_up_to_alignment(length);
    };
    const std::size_t fixed = rounded(8 * (2 + hash_words(bytes))), each = rounded(bytes);
    const std::size_t transformed = kTwice ? 2 * each : each;
    const std::size_t restored = rounded(most * sizeof(Word));
    const std::size_t end = fixed + (transformed > restored ? transformed : restored);
    if (!workspace) return {nullptr, nullptr, nullptr, {}, end};  // no arithmetic on null
    auto* const hash = reinterpret_cast<std::uint64_t*>(workspace);
    std::byte* const words = workspace + fixed;
    return {hash, hash + 1, hash + 2, {words, words + (kTwice ? each : 0)}, end};
  }

  Device device_;
  Codec codec_;
  WordLauncher<Device, Word> launcher_;
};

}  // namespace fpsynth::codec
