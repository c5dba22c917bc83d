#pragma once
// Compression and decompression in memory with a prelude in front of a static pipeline, on the CPU,
// for generated projects. Writes and reads the same bytes as the codec for all methods.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "components/preludes/shape.hpp"
#include "components/static_pipeline.hpp"
#include "runners/codec/cpu/static_codec.hpp"
#include "runners/codec/cpu/steps/step_driver.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/format/prelude_header.hpp"
#include "runners/codec/format/side_data.hpp"

namespace fpsynth::codec {

/// Defined in a header of its own, for codecs whose steps have side data.
template <class Team>
struct StaticLists;

/// Has the interface of StaticCodec. Steps: StaticSteps, the first one first; the headers of their
/// shapes (steps/) are included besides this one.
///
/// compress() allocates as many bytes as the original has, and what DICT, DEC and RAT collect;
/// decompress(), only decoded side data: after the words have been decoded, and for no more values
/// than there are words.
template <class Pipeline, class Team, class... Steps>
class StaticPreludeCodec {
 public:
  using Codec = StaticCodec<Pipeline, Team>;
  using Word = typename Pipeline::Word;
  using Header = StaticPreludeHeader<Word, Steps...>;

  /// A capacity that is enough for any original of `bytes` bytes; 0 if no memory is that large.
  static std::size_t bound(std::size_t bytes) {
    return Header::bound(Codec::bound(bytes), bytes / sizeof(Word));
  }

  /// Compresses in[0..bytes) to out[0..capacity), which must not overlap, and sets `written`. A
  /// capacity below bound() may be enough; if it is not, returns TooSmall.
  static Status compress(const std::byte* in, std::size_t bytes, std::byte* out,
                         std::size_t capacity, std::size_t& written, int threads) {
    written = 0;
    if ((!in && bytes > 0) || !out) return Status::BadCall;
    if (capacity < Header::kBytes) return Status::TooSmall;
    const std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes > 0 ? bytes : 1]);
    if (!memory) return Status::NoMemory;
    std::byte* const words = memory.get();
    Forward call{in, words, bytes / sizeof(Word), out, capacity, threads};
    if (const Status status = forward(call, All()); status != Status::Ok) return status;
    const std::size_t tail = bytes % sizeof(Word);
    if (tail > 0) std::memcpy(words + bytes - tail, in + bytes - tail, tail);
    std::size_t inner = 0;
    Status status =
        Codec::compress(words, bytes, out + call.end, capacity - call.end, inner, threads);
    if (status != Status::Ok) return status;
    call.fields.original_bytes = bytes;
    status = checksum({in, bytes}, threads, call.fields.checksum);
    if (status != Status::Ok) return status;
    store_prelude_header(call.fields, out);
    written = call.end + inner;
    return Status::Ok;
  }

  /// Sets `original` to the size of the original of in[0..bytes), which may hold anything. Ok means
  /// that the header is this codec's, not that the container can be decompressed.
  static Status original_size(const std::byte* in, std::size_t bytes, std::size_t& original) {
    Container container;
    const Status status = read(in, bytes, container);
    original = status == Status::Ok ? std::size_t(container.fields.original_bytes) : 0;
    return status;
  }

  /// Decompresses in[0..bytes), which may hold anything, to out[0..capacity), which must not
  /// overlap, and sets `written`. The output is valid only if this returns Ok.
  static Status decompress(const std::byte* in, std::size_t bytes, std::byte* out,
                           std::size_t capacity, std::size_t& written, int threads) {
    written = 0;
    Container container;
    if (const Status status = read(in, bytes, container); status != Status::Ok) return status;
    const auto original = std::size_t(container.fields.original_bytes);
    if (!out && original > 0) return Status::BadCall;
    if (capacity < original) return Status::TooSmall;
    std::size_t decoded = 0;
    Status status = Codec::decompress(container.inner, std::size_t(in + bytes - container.inner),
                                      out, original, decoded, threads);
    if (status != Status::Ok) return status;
    status = backward(container, out, original / sizeof(Word), threads, All());
    if (status != Status::Ok) return status;
    std::uint64_t found = 0;
    status = checksum({out, original}, threads, found);
    if (status != Status::Ok) return status;
    if (found != container.fields.checksum) return Status::WrongSum;
    written = original;
    return Status::Ok;
  }

 private:
  static constexpr std::size_t kSteps = Header::kSteps;
  using All = std::make_index_sequence<kSteps>;
  template <std::size_t I>
  using Step = typename components::Nth<I, Steps...>::type::Step;
  template <std::size_t I>
  static constexpr std::uint64_t kParameter = components::Nth<I, Steps...>::type::parameter;
  template <class Of>
  using Side = SideCoding<Of::shape, Word>;
  template <std::size_t I>
  using Driver = StepDriver<Team, Word, Step<I>>;

  /// All threads at most, for work that divides itself.
  static int all(int threads) { return threads_for(threads, UINT64_MAX); }

  static Status checksum(std::span<const std::byte> content, int threads, std::uint64_t& digest) {
    constexpr std::size_t kPiece = SegmentHashes::kMost * kSegmentBytes;
    const std::size_t pieces = content.size() / kPiece + (content.size() % kPiece != 0 ? 1 : 0);
    const auto piece_of = [&](std::size_t piece) {
      const std::size_t at = piece * kPiece, left = content.size() - at;
      return content.subspan(at, left < kPiece ? left : kPiece);
    };
    const std::unique_ptr<SegmentHashes[]> hashes(new (std::nothrow) SegmentHashes[pieces + 1]);
    if (!hashes) return Status::NoMemory;
    in_any_order(pieces, threads_for(threads, pieces), [&](std::size_t piece) {
      hashes[piece].compute(piece * kPiece, piece_of(piece));
    });
    ContentHash hash;
    for (std::size_t piece = 0; piece < pieces; ++piece)
      hash.update(piece_of(piece), hashes[piece]);
    digest = hash.digest();
    return Status::Ok;
  }

  // Compression.

  /// A call while its steps are executed.
  struct Forward {
    const std::byte* in;  ///< the words before the next step
    std::byte* words;     ///< those after it
    std::size_t count;
    std::byte* out;
    std::size_t capacity;
    int threads;
    std::size_t end = Header::kBytes;  ///< of what was written to `out`
    PreludeFields fields = Header::fields();
  };

  template <std::size_t... I>
  static Status forward(Forward& call, std::index_sequence<I...>) {
    Status status = Status::Ok;
    static_cast<void>(((status = apply<I>(call), status == Status::Ok) && ...));
    return status;
  }
  template <std::size_t I>
  static Status apply(Forward& call) {
    SideMemory<Word> side;
    side.data.divisors = components::Nth<I, Steps...>::type::divisors;
    Status status = Driver<I>::forward(call.in, call.words, call.count, kParameter<I>,
                                       all(call.threads), side.data);
    call.in = call.words;
    if constexpr (preludes::has_side_data<Step<I>>) {
      if (status != Status::Ok) return status;
      std::size_t written = 0;
      StaticLists<Team> lists{call.threads, call.out + call.end, call.capacity - call.end};
      status = Side<Step<I>>::encode(lists, side.data, written);
      call.fields.step[I].side_bytes = written;
      call.end += written;
    }
    return status;
  }

  // Decompression.

  /// The parts of a container.
  struct Container {
    PreludeFields fields;
    const std::byte* side[kSteps];
    const std::byte* inner;
  };

  /// Ok if the headers of in[0..bytes) and of the container within it are this codec's and agree.
  static Status read(const std::byte* in, std::size_t bytes, Container& container) {
    if (!in) return Status::BadCall;
    if (const Status status = Header::read(in, bytes, container.fields); status != Status::Ok) {
      return status;
    }
    container.inner = in + Header::kBytes;
    for (std::size_t i = 0; i < kSteps; ++i) {
      container.side[i] = container.inner;
      container.inner += container.fields.step[i].side_bytes;
    }
    std::size_t original = 0;
    const Status status =
        Codec::original_size(container.inner, std::size_t(in + bytes - container.inner), original);
    if (status != Status::Ok) {
      return status == Status::OtherCodec ? Status::OtherCodec : Status::Damaged;
    }
    return original == container.fields.original_bytes ? Status::Ok : Status::Damaged;
  }

  /// Undoes all steps, the last one first.
  template <std::size_t... I>
  static Status backward(const Container& container, std::byte* words, std::size_t count,
                         int threads, std::index_sequence<I...>) {
    Status status = Status::Ok;
    static_cast<void>(
        ((status = undo<kSteps - 1 - I>(container, words, count, threads), status == Status::Ok) &&
         ...));
    return status;
  }
  template <std::size_t I>
  static Status undo(const Container& container, std::byte* words, std::size_t count, int threads) {
    SideMemory<Word> side;
    if constexpr (preludes::has_side_data<Step<I>>) {
      const auto bytes = std::size_t(container.fields.step[I].side_bytes);
      StaticLists<Team> lists{threads, nullptr, 0, container.side[I]};
      const Status status = Side<Step<I>>::decode(lists, bytes, count, side.data);
      if (status != Status::Ok) return status;
    }
    return Driver<I>::backward(words, count, kParameter<I>, all(threads), side.data);
  }
};

}  // namespace fpsynth::codec
