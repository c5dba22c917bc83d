#pragma once
// The container of one fixed pipeline, a components::StaticPipeline; bytes as in FORMAT.md. (The
// library has another implementation, for pipelines that are known at run time only.)

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/extent.hpp"
#include "components/static_pipeline.hpp"
#include "components/words/bits.hpp"
#include "runners/codec/format/wire.hpp"

namespace fpsynth::codec {

/// How an attempt ended. The numbers are part of C interfaces.
enum class Status : int {
  Ok = 0,
  BadCall = 1,       ///< a null pointer, or nothing to compress
  TooSmall = 2,      ///< the room given for the output
  NoMemory = 3,      ///< for working memory
  NotOurs = 4,       ///< not a container at all
  OtherCodec = 5,    ///< a container of another version, pipeline, word size or chunk length
  Damaged = 6,       ///< truncated, forged, or with bytes behind its end
  WrongSum = 7,      ///< decoded, but the checksum of the original differs
  DeviceFailed = 8,  ///< a GPU, of codecs that run on one
};

constexpr const char* describe(Status status) {
  switch (status) {
    case Status::Ok:
      return "no error";
    case Status::BadCall:
      return "bad call: a null pointer, or an input of no bytes";
    case Status::TooSmall:
      return "the room for the output is too small";
    case Status::NoMemory:
      return "out of memory";
    case Status::NotOurs:
      return "not compressed data: it does not start with FPSY";
    case Status::OtherCodec:
      return "compressed with another pipeline, word size, chunk length or format version";
    case Status::Damaged:
      return "damaged: it is truncated, or a length or a block in it cannot be";
    case Status::WrongSum:
      return "damaged: the checksum of what was decoded is wrong";
    case Status::DeviceFailed:
      return "the GPU failed, or there is none that this can run on";
  }
  return "unknown error";
}

/// The frame of a chunk: the lengths that a decoder cannot know. Called on host or device.
template <class Pipeline>
struct Frames {
  using Extent = components::Extent;
  using Extents = Extent[Pipeline::kStages];

  template <std::size_t I = 0>
  static constexpr std::size_t fields() {
    if constexpr (I == Pipeline::kStages) {
      return 0;
    } else {
      return Pipeline::template Family<I>::frame_fields + fields<I + 1>();
    }
  }
  template <std::size_t I = 0>
  static constexpr bool wide() {
    if constexpr (I == Pipeline::kStages) {
      return false;
    } else {
      using V = typename Pipeline::template WordOf<I>;
      return Pipeline::template worst_bytes<I + 1>() / sizeof(V) > 0xffff || wide<I + 1>();
    }
  }
  using Field = std::conditional_t<wide(), std::uint32_t, std::uint16_t>;
  static constexpr std::size_t kBytes = fields() * sizeof(Field);

  /// Writes a chunk's frame to out[0..kBytes).
  template <std::size_t I = 0>
  FPSYNTH_INLINE static void write(const Extents& extents, std::byte* out) {
    if constexpr (I < Pipeline::kStages) {
      constexpr std::size_t count = Pipeline::template Family<I>::frame_fields;
      if constexpr (count >= 1) store(out, Field(extents[I].words));
      if constexpr (count >= 2) store(out + sizeof(Field), Field(extents[I].values));
      write<I + 1>(extents, out + count * sizeof(Field));
    }
  }

  /// Reads the frame of a chunk of `words` words and completes it with the stages that keep their
  /// input's length. False if a length cannot be: none passes its stage's worst case.
  FPSYNTH_INLINE static bool read(const std::byte* frame, std::size_t words, Extents& extents) {
    return read_from<0>(frame, words * sizeof(typename Pipeline::Word), extents);
  }

 private:
  template <std::size_t I>
  FPSYNTH_INLINE static bool read_from(const std::byte* frame, std::size_t bytes,
                                       Extents& extents) {
    if constexpr (I == Pipeline::kStages) {
      return true;
    } else {
      using F = typename Pipeline::template Family<I>;
      using V = typename Pipeline::template WordOf<I>;
      const std::size_t n = bytes / sizeof(V);
      Extent& extent = extents[I];
      extent = {std::uint32_t(n), 0};
      if constexpr (F::frame_fields >= 1) {
        extent.words = load<Field>(frame);
        if (extent.words < 1 || extent.words > F::template bound<V>(n)) return false;
      }
      if constexpr (F::frame_fields >= 2) {
        extent.values = load<Field>(frame + sizeof(Field));
        if (extent.values < 1 || extent.values > extent.words) return false;
      }
      return read_from<I + 1>(frame + F::frame_fields * sizeof(Field), extent.words * sizeof(V),
                              extents);
    }
  }
};

/// Where everything stands in the container of an original of `bytes` bytes.
template <class Pipeline>
struct StaticLayout {
  using Word = typename Pipeline::Word;
  static constexpr std::size_t kHeaderBytes = header_bytes(Pipeline::kStages);
  static constexpr std::size_t kSizeAt = kHeaderBytes - 16, kSumAt = kHeaderBytes - 8;
  static constexpr std::size_t kChunkBytes = Pipeline::kChunkWords * sizeof(Word);

  std::size_t bytes, words, tail, chunks, frames_at, blocks_at;

  FPSYNTH_INLINE explicit StaticLayout(std::size_t original)
      : bytes(original),
        words(original / sizeof(Word)),
        tail(original % sizeof(Word)),
        chunks(words::words_for(words, Pipeline::kChunkWords)),
        frames_at(kHeaderBytes + tail),
        blocks_at(frames_at + chunks * Frames<Pipeline>::kBytes) {}

  /// Words in a chunk: kChunkWords, or what is left for the last one.
  FPSYNTH_INLINE std::size_t words_of(std::size_t chunk) const {
    const std::size_t left = words - chunk * Pipeline::kChunkWords;
    return left < Pipeline::kChunkWords ? left : Pipeline::kChunkWords;
  }
  /// The most bytes that the whole can have; 0 where that is more than memory can hold.
  std::size_t bound() const {
    constexpr std::size_t most = Pipeline::kWorst + Frames<Pipeline>::kBytes;
    if (chunks > (SIZE_MAX - kHeaderBytes - sizeof(Word)) / most) return 0;
    return blocks_at + chunks * Pipeline::kWorst;
  }

  /// The header up to and including the chunk length, the same in all containers of the pipeline.
  static constexpr auto front() { return front_of(std::make_index_sequence<Pipeline::kStages>()); }
  /// Writes the header but for the checksum, and the original's last bytes, which fill no word.
  void write_front(const std::byte* original, std::byte* out) const {
    static constexpr auto kFront = front();
    std::memcpy(out, kFront.data(), kFront.size());
    store(out + kSizeAt, std::uint64_t{bytes});
    std::memcpy(out + kHeaderBytes, original + bytes - tail, tail);
  }
  /// Reads the original's size off the front of container[0..size), whose bytes may be anything. Ok
  /// if it is this pipeline's and long enough for all its frames.
  static Status read_front(const std::byte* container, std::size_t size, std::size_t& original) {
    static constexpr auto kFront = front();
    if (size < sizeof kMagic || std::memcmp(container, kMagic, sizeof kMagic) != 0) {
      return Status::NotOurs;
    }
    const std::size_t known = size < kFront.size() ? size : kFront.size();
    if (std::memcmp(container, kFront.data(), known) != 0) return Status::OtherCodec;
    if (size < kHeaderBytes) return Status::Damaged;
    const std::uint64_t bytes = load<std::uint64_t>(container + kSizeAt);
    // Every chunk has a frame, so a forged size ends here, before sums can overflow.
    if (bytes < 1 || bytes / kChunkBytes > size) return Status::Damaged;
    original = static_cast<std::size_t>(bytes);
    return StaticLayout(original).blocks_at > size ? Status::Damaged : Status::Ok;
  }

 private:
  template <std::size_t... I>
  static constexpr auto front_of(std::index_sequence<I...>) {
    constexpr WireStage stages[] = {{Pipeline::template Family<I>::wire,
                                     std::uint8_t(Pipeline::template Stage<I>::parameter)}...};
    std::array<std::byte, kSizeAt> bytes{};
    store_front(bytes.data(), sizeof(Word), stages, Pipeline::kStages, Pipeline::kCut,
                std::uint32_t{Pipeline::kChunkWords});
    return bytes;
  }
};

}  // namespace fpsynth::codec
