#pragma once
// Side data of preludes as containers of version 3 hold them, for the codecs of all back ends.

#include <cstddef>
#include <cstdint>

#include "components/bit/bit.hpp"
#include "components/family.hpp"
#include "components/lnv/lnvs.hpp"
#include "components/preludes/shape.hpp"
#include "components/rle/rle.hpp"
#include "components/static_pipeline.hpp"
#include "components/ze/ze.hpp"
#include "runners/codec/format/static_container.hpp"
#include "runners/codec/format/status.hpp"

namespace fpsynth::codec {

/// The pipeline with which containers of version 3 compress side data: LNV1s BIT | ZE RLE, for keys
/// and positions, which ascend, and for exceptions. Of all 138,240 pipelines it is the best, on the
/// whole, for the keys of DICT.
template <class W>
using SidePipeline =
    components::StaticPipeline<W, 2, components::Use<components::LnvSub, 1>,
                               components::Use<components::Bit>, components::Use<components::Ze>,
                               components::Use<components::Rle>>;

/// The most bytes of a container of `count` integers of type T; 0 if no memory is that large.
template <class T>
std::size_t list_bound(std::size_t count) {
  if (count > SIZE_MAX / sizeof(T)) return 0;
  return StaticContainer<SidePipeline<T>>::layout(count * sizeof(T)).bound();
}

/// Sets `count` to the number of integers of type T in `bytes` bytes. False unless they are whole,
/// and at most `most`.
template <class T, class Count>
bool count_list(std::size_t bytes, std::size_t most, Count& count) {
  count = bytes / sizeof(T);
  return bytes % sizeof(T) == 0 && count <= most;
}

/// The side data of a step of a shape on words of type W. By rank: a container of the keys. With
/// exceptions, if there are any: the length of their positions' container, that container, and the
/// container of their words.
///
/// Side has `values`, `positions` and `count`. Lists codes lists of integers at offsets of the side
/// data; its functions return a Status:
///
///   encode<T>(at, values, count, written)     writes a container, and sets its length
///   decode<T>(at, bytes, most, values, count) reads one of that many bytes; Damaged if it has more
///                                             than `most` values, before it allocates anything
///   store_length(length), load_length(length) the eight bytes at the beginning
///   damaged(what)                             Damaged, if it does not throw
template <preludes::Shape shape, class W>
struct SideCoding {
  static constexpr bool kRanked = shape == preludes::Shape::Ranked;
  static constexpr std::size_t kLengthBytes = 8;

  /// A capacity that is enough for steps on `words` words; 0 if no memory is that large.
  static std::size_t bound(std::size_t words) {
    const std::size_t values = list_bound<W>(words);
    if constexpr (kRanked) return values;
    const std::size_t positions = list_bound<std::uint64_t>(words);
    const bool fits = positions > 0 && values > 0 && positions <= SIZE_MAX - kLengthBytes &&
                      values <= SIZE_MAX - kLengthBytes - positions;
    return fits ? kLengthBytes + positions + values : 0;
  }

  /// Writes side data and sets `written`.
  template <class Lists, class Side>
  static Status encode(Lists& lists, const Side& side, std::size_t& written) {
    if constexpr (kRanked) return lists.template encode<W>(0, side.values, side.count, written);
    written = 0;
    if (side.count == 0) return Status::Ok;
    std::size_t positions = 0, values = 0;
    Status status =
        lists.template encode<std::uint64_t>(kLengthBytes, side.positions, side.count, positions);
    if (status != Status::Ok) return status;
    const std::size_t values_at = kLengthBytes + positions;
    status = lists.template encode<W>(values_at, side.values, side.count, values);
    if (status != Status::Ok) return status;
    written = values_at + values;
    return lists.store_length(positions);
  }

  /// Reads `bytes` bytes of side data, which may hold anything.
  template <class Lists, class Side>
  static Status decode(Lists& lists, std::size_t bytes, std::size_t words, Side& side) {
    if constexpr (kRanked) {
      return lists.template decode<W>(0, bytes, words, side.values, side.count);
    }
    if (bytes == 0) return Status::Ok;
    std::uint64_t length = 0;
    if (bytes >= kLengthBytes) {
      if (const Status status = lists.load_length(length); status != Status::Ok) return status;
    }
    if (bytes < kLengthBytes || length > bytes - kLengthBytes) {
      return lists.damaged("cut off");
    }
    decltype(side.count) positions = 0;
    Status status = lists.template decode<std::uint64_t>(kLengthBytes, std::size_t(length), words,
                                                         side.positions, positions);
    if (status != Status::Ok) return status;
    const std::size_t values_at = kLengthBytes + std::size_t(length);
    status = lists.template decode<W>(values_at, bytes - values_at, words, side.values, side.count);
    if (status != Status::Ok) return status;
    if (positions > 0 && positions == side.count) return Status::Ok;
    return lists.damaged("exceptions are not as many as their positions");
  }
};

}  // namespace fpsynth::codec
