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
#include "runners/codec/format/side_data.hpp"
#include "runners/codec/format/static_container.hpp"
#include "runners/codec/format/status.hpp"

namespace fpsynth::codec {

/// The pipeline with which containers of version 3 compress side data: LNV1s BIT | ZE RLE, for keys
/// and positions, which ascend, for exceptions and for selectors. Of all 138,240 pipelines it is
/// the best, on the whole, for the keys of DICT as they are.
template <class W>
using SidePipeline =
    components::StaticPipeline<W, 2, components::Use<components::LnvSub, 1>,
                               components::Use<components::Bit>, components::Use<components::Ze>,
                               components::Use<components::Rle>>;

/// The words of a chunk of side data with BINS, whose codes a block has for itself.
inline constexpr std::size_t kCodedChunk = 4096;

/// The pipelines for the exceptions of a shape. Those of RAT are in a header of their own.
template <preludes::Shape shape, class W>
struct ExceptionPipelines {
  static_assert(shape != preludes::Shape::Selected, "their header is missing");
  using Positions = SidePipeline<std::uint64_t>;
  using Values = SidePipeline<W>;
};

/// The most bytes of a container of `count` integers of type T; 0 if no memory is that large.
template <class T, class Pipeline = SidePipeline<T>>
std::size_t list_bound(std::size_t count) {
  if (count > SIZE_MAX / sizeof(T)) return 0;
  return StaticContainer<Pipeline>::layout(count * sizeof(T)).bound();
}

/// Sets `count` to the number of integers of type T in `bytes` bytes. False unless they are whole,
/// and at most `most`.
template <class T, class Count>
bool count_list(std::size_t bytes, std::size_t most, Count& count) {
  count = bytes / sizeof(T);
  return bytes % sizeof(T) == 0 && count <= most;
}

/// Lists with their lengths, and divisors with selectors, of which side data are made.
///
/// Lists codes lists of integers at offsets of the side data; its functions return a Status:
///
///   encode<T>(at, values, count, written)     writes a container, and sets its length
///   decode<T>(at, bytes, most, values, count) reads one of that many bytes; Damaged if it has more
///                                             than `most` values, before it allocates anything
///   store(at, numbers, count), load(…)        numbers of eight bytes each; load() cannot fail
///   damaged(what)                             Damaged, if it does not throw
struct SideParts {
  static constexpr std::size_t kLengthBytes = 8;
  static constexpr const char* kCutOff = "cut off";

  /// Writes a container with its length in front of it, and sets `end`.
  template <class T, class Pipeline = SidePipeline<T>, class Lists, class Values>
  static Status encode_behind_length(Lists& lists, std::size_t at, const Values& values,
                                     std::size_t count, std::size_t& end) {
    std::size_t length = 0;
    const Status status =
        lists.template encode<T, Pipeline>(at + kLengthBytes, values, count, length);
    if (status != Status::Ok) return status;
    end = at + kLengthBytes + length;
    const std::uint64_t stored = length;
    return lists.store(at, &stored, 1);
  }
  /// Reads one, of at most `most` values, and moves `at` behind it.
  template <class T, class Pipeline = SidePipeline<T>, class Lists, class Values, class Count>
  static Status decode_behind_length(Lists& lists, std::size_t& at, std::size_t bytes,
                                     std::size_t most, Values& values, Count& count) {
    std::uint64_t length = 0;
    if (bytes - at >= kLengthBytes) lists.load(at, &length, 1);
    if (bytes - at < kLengthBytes || length > bytes - at - kLengthBytes) {
      return lists.damaged(kCutOff);
    }
    const std::size_t begin = at + kLengthBytes;
    at = begin + std::size_t(length);
    return lists.template decode<T, Pipeline>(begin, std::size_t(length), most, values, count);
  }

  /// Writes the number of divisors, the divisors, and behind its length the container of the
  /// selectors; sets `end`.
  template <class Lists, class Side>
  static Status encode_selectors(Lists& lists, const Side& side, std::size_t& end) {
    const std::uint64_t count = side.divisors.count;
    Status status = lists.store(0, &count, 1);
    if (status != Status::Ok) return status;
    status = lists.store(kLengthBytes, side.divisors.of, side.divisors.count);
    if (status != Status::Ok) return status;
    return encode_behind_length<std::uint32_t>(lists, kLengthBytes * (1 + side.divisors.count),
                                               side.selectors, side.selector_words, end);
  }
  /// Reads `least` divisors or more, and at most `most` words of selectors, and moves `at` behind
  /// them.
  template <class Lists, class Side>
  static Status decode_selectors(Lists& lists, std::size_t bytes, std::size_t least,
                                 std::size_t most, Side& side, std::size_t& at) {
    Status status = decode_divisors(lists, bytes, least, side.divisors, at);
    if (status != Status::Ok) return status;
    return decode_behind_length<std::uint32_t>(lists, at, bytes, most, side.selectors,
                                               side.selector_words);
  }
  /// Reads the divisors, `least` or more, at the beginning of `bytes` bytes of side data, which may
  /// hold anything, and moves `at` behind them.
  template <class Lists>
  static Status decode_divisors(Lists& lists, std::size_t bytes, std::size_t least,
                                preludes::Divisors& divisors, std::size_t& at) {
    std::uint64_t count = 0;
    if (bytes < kLengthBytes) return lists.damaged(kCutOff);
    lists.load(0, &count, 1);
    if (count > preludes::kMostDivisors) return lists.damaged("too many divisors");
    at = kLengthBytes * (1 + std::size_t(count));
    if (bytes < at) return lists.damaged(kCutOff);
    lists.load(kLengthBytes, divisors.of, std::size_t(count));
    divisors.count = std::size_t(count);
    if ((count == 0 && least == 0) || divisors.suit()) return Status::Ok;
    return lists.damaged("its divisors do not ascend, or are too large");
  }
};

/// The side data of a step of a shape on words of type W; those of ranks have a header of their
/// own. With selectors: the number of divisors, the divisors, the length of the selectors'
/// container, and that container. With exceptions, behind that and if there are any: the length of
/// their positions' container, that container, and the container of their words. With divisors: a
/// container of one for each block. With copies or coefficients, if there are any: a container of
/// their numbers.
///
/// Side has the members of SideData, Lists is as for SideParts.
template <preludes::Shape shape, class W>
struct SideCoding : SideParts {
  static constexpr bool kSelected = shape == preludes::Shape::Selected;
  static constexpr bool kDivided = shape == preludes::Shape::Divided;
  static constexpr bool kPredicted = shape == preludes::Shape::Predicted;
  static constexpr bool kNumbered = shape == preludes::Shape::Matched || kPredicted;
  using Positions = typename ExceptionPipelines<shape, W>::Positions;
  using Values = typename ExceptionPipelines<shape, W>::Values;

  /// A capacity that is enough for steps on `words` words; 0 if no memory is that large.
  static std::size_t bound(std::size_t words) {
    if constexpr (kDivided) return list_bound<W>(block_count(words, kFewestInBlock));
    if constexpr (kNumbered) return list_bound<std::uint32_t>(most_numbers(words));
    std::size_t sum = kLengthBytes;
    const auto add = [&](std::size_t list) {
      const bool fits = list > 0 && list <= SIZE_MAX - sum;
      sum += fits ? list : 0;
      return fits;
    };
    if (!add(list_bound<std::uint64_t, Positions>(words)) || !add(list_bound<W, Values>(words))) {
      return 0;
    }
    if constexpr (kSelected) {
      const std::size_t selectors =
          list_bound<std::uint32_t>(selector_words(words, kFewestInBlock));
      const std::size_t divisors = (2 + preludes::kMostDivisors) * kLengthBytes;
      if (!add(divisors) || !add(selectors)) return 0;
    }
    return sum;
  }

  /// Writes side data and sets `written`.
  template <class Lists, class Side>
  static Status encode(Lists& lists, const Side& side, std::size_t& written) {
    written = 0;
    if constexpr (kDivided) {
      return lists.template encode<W>(0, side.values, side.count, written);
    }
    if constexpr (kNumbered) {
      if (side.selector_words == 0) return Status::Ok;
      return lists.template encode<std::uint32_t>(0, side.selectors, side.selector_words, written);
    }
    if constexpr (kSelected) {
      const Status status = encode_selectors(lists, side, written);
      if (status != Status::Ok) return status;
    }
    if (side.count == 0) return Status::Ok;
    Status status = encode_behind_length<std::uint64_t, Positions>(lists, written, side.positions,
                                                                   side.count, written);
    if (status != Status::Ok) return status;
    std::size_t values = 0;
    status = lists.template encode<W, Values>(written, side.values, side.count, values);
    written += values;
    return status;
  }

  /// Reads `bytes` bytes of side data, which may hold anything.
  template <class Lists, class Side>
  static Status decode(Lists& lists, std::size_t bytes, std::size_t words, Side& side) {
    std::size_t at = 0;
    if constexpr (kDivided) {
      const std::size_t most = block_count(words, kFewestInBlock);
      return lists.template decode<W>(0, bytes, most, side.values, side.count);
    }
    if constexpr (kNumbered) {
      if (bytes == 0) return Status::Ok;
      return lists.template decode<std::uint32_t>(0, bytes, most_numbers(words), side.selectors,
                                                  side.selector_words);
    }
    if constexpr (kSelected) {
      const Status status =
          decode_selectors(lists, bytes, 1, selector_words(words, kFewestInBlock), side, at);
      if (status != Status::Ok) return status;
    }
    if (bytes == at) return Status::Ok;
    decltype(side.count) positions = 0;
    Status status = decode_behind_length<std::uint64_t, Positions>(lists, at, bytes, words,
                                                                   side.positions, positions);
    if (status != Status::Ok) return status;
    status = lists.template decode<W, Values>(at, bytes - at, words, side.values, side.count);
    if (status != Status::Ok) return status;
    if (positions > 0 && positions == side.count) return Status::Ok;
    return lists.damaged("exceptions are not as many as their positions");
  }

 private:
  /// The shortest blocks of any step have the most selectors.
  static constexpr std::uint64_t kFewestInBlock = 128;

  static constexpr std::size_t most_numbers(std::size_t words) {
    return kPredicted ? most_prediction_numbers(words) : most_copy_numbers(words);
  }
};

}  // namespace fpsynth::codec
