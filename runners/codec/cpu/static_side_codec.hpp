#pragma once
// Side data of preludes in containers of version 3, for static codecs.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "components/preludes/shape.hpp"
#include "runners/codec/cpu/static_codec.hpp"
#include "runners/codec/format/side_data.hpp"
#include "runners/codec/format/side_pipeline.hpp"
#include "runners/codec/format/status.hpp"
#include "runners/codec/format/wire.hpp"

namespace fpsynth::codec {

/// A list of integers of type T in a container of its own.
template <class T, class Team>
struct StaticValues {
  using Codec = StaticCodec<SidePipeline<T>, Team>;

  /// A capacity that is enough for `count` values; 0 if no memory is that large.
  static std::size_t bound(std::size_t count) {
    return count > SIZE_MAX / sizeof(T) ? 0 : Codec::bound(count * sizeof(T));
  }
  static Status encode(const T* values, std::size_t count, std::byte* out, std::size_t capacity,
                       std::size_t& written, int threads) {
    constexpr T kNone = 0;  // not null, as the values may be if there are none
    const T* const from = count > 0 ? values : &kNone;
    return Codec::compress(reinterpret_cast<const std::byte*>(from), count * sizeof(T), out,
                           capacity, written, threads);
  }
  /// Decodes in[0..bytes), which may hold anything, to memory of malloc(), which the caller frees
  /// in any case. Returns Damaged if there are more than `most` values, before it allocates
  /// anything.
  static Status decode(const std::byte* in, std::size_t bytes, std::size_t most, T*& values,
                       std::size_t& count, int threads) {
    std::size_t size = 0, written = 0;
    if (Codec::original_size(in, bytes, size) != Status::Ok || size % sizeof(T) != 0 ||
        size / sizeof(T) > most) {
      return Status::Damaged;
    }
    values = static_cast<T*>(std::malloc(size > 0 ? size : 1));
    if (!values) return Status::NoMemory;
    count = size / sizeof(T);
    return Codec::decompress(in, bytes, reinterpret_cast<std::byte*>(values), size, written,
                             threads);
  }
};

/// The side data of steps of a shape on `words` words. `threads` as for StaticCodec.
template <preludes::Shape shape, class W, class Team>
struct StaticSideCodec;

/// The keys.
template <class W, class Team>
struct StaticSideCodec<preludes::Shape::Ranked, W, Team> {
  using Keys = StaticValues<W, Team>;

  /// A capacity that is enough for the side data; 0 if no memory is that large.
  static std::size_t bound(std::size_t words) { return Keys::bound(words); }
  /// Writes them to out[0..capacity) and sets `written`. Ok, TooSmall or NoMemory.
  static Status encode(const SideData<W>& side, std::byte* out, std::size_t capacity,
                       std::size_t& written, int threads) {
    return Keys::encode(side.values, side.count, out, capacity, written, threads);
  }
  /// Decodes in[0..bytes), which may hold anything.
  static Status decode(const std::byte* in, std::size_t bytes, std::size_t words,
                       SideMemory<W>& side, int threads) {
    return Keys::decode(in, bytes, words, side.data.values, side.data.count, threads);
  }
};

/// If there are exceptions: the length of their positions' container, that container, and the
/// container of their words.
template <class W, class Team>
struct StaticSideCodec<preludes::Shape::Excepted, W, Team> {
  using Positions = StaticValues<std::uint64_t, Team>;
  using Words = StaticValues<W, Team>;
  static constexpr std::size_t kLengthBytes = 8;

  static std::size_t bound(std::size_t words) {
    const std::size_t positions = Positions::bound(words), values = Words::bound(words);
    const bool fits = positions > 0 && values > 0 && positions <= SIZE_MAX - kLengthBytes &&
                      values <= SIZE_MAX - kLengthBytes - positions;
    return fits ? kLengthBytes + positions + values : 0;
  }
  static Status encode(const SideData<W>& side, std::byte* out, std::size_t capacity,
                       std::size_t& written, int threads) {
    written = 0;
    if (side.count == 0) return Status::Ok;
    if (capacity < kLengthBytes) return Status::TooSmall;
    std::byte* const from = out + kLengthBytes;
    const std::size_t left = capacity - kLengthBytes;
    std::size_t positions = 0, values = 0;
    Status status = Positions::encode(side.positions, side.count, from, left, positions, threads);
    if (status != Status::Ok) return status;
    store(out, std::uint64_t{positions});
    status =
        Words::encode(side.values, side.count, from + positions, left - positions, values, threads);
    if (status == Status::Ok) written = kLengthBytes + positions + values;
    return status;
  }
  static Status decode(const std::byte* in, std::size_t bytes, std::size_t words,
                       SideMemory<W>& side, int threads) {
    if (bytes == 0) return Status::Ok;
    const std::uint64_t length = bytes < kLengthBytes ? 0 : load<std::uint64_t>(in);
    if (bytes < kLengthBytes || length > bytes - kLengthBytes) return Status::Damaged;
    const std::byte* const values = in + kLengthBytes + length;
    std::size_t positions = 0;
    Status status = Positions::decode(in + kLengthBytes, std::size_t(length), words,
                                      side.data.positions, positions, threads);
    if (status != Status::Ok) return status;
    status = Words::decode(values, std::size_t(in + bytes - values), words, side.data.values,
                           side.data.count, threads);
    if (status != Status::Ok) return status;
    return positions > 0 && positions == side.data.count ? Status::Ok : Status::Damaged;
  }
};

}  // namespace fpsynth::codec
