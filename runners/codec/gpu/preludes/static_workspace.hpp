#pragma once
// What the codecs of static preludes in a device's memory share: the workspace, where the words are
// while steps are applied, and the headers.

#include <cstddef>
#include <cstdint>
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

/// Where the words are while the steps of a compression are applied.
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

/// A container with a prelude whose headers have been read.
struct StaticPreludeParts {
  PreludeFields fields;
  std::size_t inner_at = 0;  ///< where the container within begins, behind all side data
};

/// Reads the headers of in[0..bytes), which may hold anything, and of the container within it, for
/// which it waits. Ok means that they are this codec's and agree. Header: StaticPreludeHeader.
template <class Header, device::Device Device, class Codec>
Status read_headers(Device& device, Codec& codec, typename Device::Stream& stream,
                    const std::byte* in, std::size_t bytes, StaticPreludeParts& parts) {
  if (!in) return Status::BadCall;
  std::byte header[Header::kBytes];
  read_start(device, stream, in, bytes, header);
  Status status = Header::read(header, bytes, parts.fields);
  if (status != Status::Ok) return status;
  parts.inner_at = Header::kBytes;
  for (std::size_t i = 0; i < Header::kSteps; ++i) {
    parts.inner_at += std::size_t(parts.fields.step[i].side_bytes);
  }
  std::size_t inner = 0;
  status = codec.original_size(stream, in + parts.inner_at, bytes - parts.inner_at, inner);
  if (status != Status::Ok) return status == Status::OtherCodec ? status : Status::Damaged;
  return inner == parts.fields.original_bytes ? Status::Ok : Status::Damaged;
}

/// What a codec in a device's memory is made of, and what it does whether its calls wait or not.
/// Has that part of the interface of StaticDeviceCodec. Steps: StaticSteps, the first one first.
template <device::Device Device, class Pipeline, class... Steps>
class StaticPreludeDeviceBase {
 public:
  using Codec = StaticDeviceCodec<Device, Pipeline>;
  using Word = typename Pipeline::Word;
  using Header = StaticPreludeHeader<Word, Steps...>;
  using Stream = typename Device::Stream;

  StaticPreludeDeviceBase(const StaticPreludeDeviceBase&) = delete;
  StaticPreludeDeviceBase& operator=(const StaticPreludeDeviceBase&) = delete;

  void use() { device_.use(); }

  Status original_size(Stream& stream, const std::byte* in, std::size_t bytes,
                       std::size_t& original) {
    StaticPreludeParts parts;
    const Status status = read_headers<Header>(device_, codec_, stream, in, bytes, parts);
    original = status == Status::Ok ? std::size_t(parts.fields.original_bytes) : 0;
    return status;
  }

 protected:
  using Workspace = StaticWorkspace<Word, Steps...>;
  template <std::size_t I>
  using Nth = typename components::Nth<I, Steps...>::type;

  explicit StaticPreludeDeviceBase(Device device)
      : device_(std::move(device)), codec_(device_), launcher_(device_) {}

  /// Whether a call of compress() or decompress() has the pointers that it needs.
  static bool can_compress(const std::byte* in, std::size_t bytes, const std::byte* out,
                           const std::uint64_t* written, const std::byte* workspace) {
    return (in || bytes == 0) && out && written && Codec::suits(workspace);
  }
  static bool can_decompress(const std::byte* in, const std::byte* out, std::size_t original,
                             const int* status, const std::byte* workspace) {
    return in && (out || original == 0) && status && Codec::suits(workspace);
  }

  Device device_;
  Codec codec_;
  WordLauncher<Device, Word> launcher_;
};

}  // namespace fpsynth::codec
