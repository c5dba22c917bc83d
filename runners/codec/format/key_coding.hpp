#pragma once
// Keys of steps by rank as containers of version 3 hold them. Host code, for the codecs of all back
// ends: the host sorts keys in any case.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "components/bins/bins.hpp"
#include "components/bit/bit.hpp"
#include "components/family.hpp"
#include "components/lnv/lnvs.hpp"
#include "components/lnv/lnvx.hpp"
#include "components/preludes/dict.hpp"
#include "components/preludes/key_integers.hpp"
#include "components/preludes/shape.hpp"
#include "components/rle/rle.hpp"
#include "components/static_pipeline.hpp"
#include "components/ze/ze.hpp"
#include "runners/codec/format/side_coding.hpp"
#include "runners/codec/format/side_data.hpp"
#include "runners/codec/format/status.hpp"

namespace fpsynth::codec {

/// A pipeline for the ranks of differences between keys, which are small where keys are alike.
template <class W>
using RankPipeline =
    components::StaticPipeline<W, 2, components::Use<components::LnvXor, 1>,
                               components::Use<components::Bit>, components::Use<components::Ze>,
                               components::Use<components::Rle>>;

/// A pipeline for keys of which some are close together and others are not.
template <class W>
using GapPipeline =
    components::ChunkedPipeline<W, 2, kCodedChunk, components::Use<components::LnvSub, 1>,
                                components::Use<components::Bins>>;

/// Keys: a container of them; or, where that is shorter, what is behind a number that no container
/// begins with: behind kGaps, a container of GapPipeline; or that of KeyIntegers: the divisors, the
/// length of the selectors' container, that container, and of the differences between the integers
/// the length of the container of the distinct ones, as keys, that container, and a container of
/// the ranks, of RankPipeline.
///
/// Side is SideData, which has the keys in memory. Lists is as for the other shapes, with pointers
/// to such memory; besides, it has
///
///   encode<T, Pipeline>(...), decode  with a pipeline that is not SidePipeline<T>
///   rank<Step>(words, count, side)    runs a step by rank in place
///   unrank<Step>(words, count, side)  the way back
///   kDecodes                          false if decode() only checks
template <class W>
struct SideCoding<preludes::Shape::Ranked, W> : SideParts {
  /// A capacity that is enough for steps on `words` words; 0 if no memory is that large.
  static std::size_t bound(std::size_t words) { return list_bound<W>(words); }

  /// Writes the shortest form, the first of equals, for which all are written. If the capacity is
  /// too small for one, it is not the shortest, or none fits.
  template <class Lists>
  static Status encode(Lists& lists, const SideData<W>& side, std::size_t& written) {
    Differences differences;
    const auto write = [&](int form, std::size_t& length) {
      return form == 0   ? encode_keys(lists, side, length)
             : form == 1 ? encode_gaps(lists, side, length)
                         : encode_ranks(lists, differences, length);
    };
    int forms = side.count < kFewest ? 1 : 2, best = -1;
    if (forms == 2) {
      if (const Status status = differences.find(lists, side); status != Status::Ok) return status;
      if (differences.repeat()) forms = 3;
    }
    for (int form = 0; form < forms; ++form) {
      std::size_t length = 0;
      const Status status = write(form, length);
      if (status != Status::Ok && status != Status::TooSmall) return status;
      if (status == Status::Ok && (best < 0 || length < written)) best = form, written = length;
    }
    if (best < 0) return Status::TooSmall;
    return best + 1 == forms ? Status::Ok : write(best, written);
  }

  /// Reads `bytes` bytes of side data, which may hold anything.
  template <class Lists>
  static Status decode(Lists& lists, std::size_t bytes, std::size_t words, SideData<W>& side) {
    std::uint64_t divisors = ~std::uint64_t{0};
    if (bytes >= kLengthBytes) lists.load(0, &divisors, 1);
    if (divisors == kGaps) {
      return lists.template decode<W, Gaps>(kLengthBytes, bytes - kLengthBytes, words, side.values,
                                            side.count);
    }
    return divisors > kGaps ? lists.template decode<W>(0, bytes, words, side.values, side.count)
                            : decode_differences(lists, bytes, words, side);
  }

 private:
  using Integers = preludes::KeyIntegers<W>;
  using Ranks = RankPipeline<W>;
  using Gaps = GapPipeline<W>;
  static constexpr std::uint64_t kGaps = preludes::kMostDivisors + 1;
  /// Fewer keys are not worth it.
  static constexpr std::size_t kFewest = 128;

  static std::byte* bytes_of(W* words) { return reinterpret_cast<std::byte*>(words); }

  /// Keys as ranks of differences.
  struct Differences {
    SideMemory<W> side;
    std::unique_ptr<W[]> ranks;
    std::size_t count = 0;

    template <class Lists>
    Status find(Lists& lists, const SideData<W>& keys) {
      count = keys.count;
      ranks.reset(new (std::nothrow) W[count]);
      SideData<W>& data = side.data;
      data.selector_words = selector_words(count, Integers::kBlock);
      data.selectors =
          static_cast<std::uint32_t*>(std::calloc(data.selector_words, sizeof *data.selectors));
      if (!ranks || !data.selectors) return Status::NoMemory;
      data.divisors = Integers::forward(keys.values, count, ranks.get(),
                                        reinterpret_cast<std::uint8_t*>(data.selectors));
      for (std::size_t i = count; i-- > 1;) ranks[i] = W(ranks[i] - ranks[i - 1]);
      data.count = count;
      if (!seem_to_repeat()) return Status::Ok;
      return lists.template rank<preludes::Dict>(bytes_of(ranks.get()), count, side.data);
    }
    /// True if it may pay to count them, which takes as long as to find the keys: of those with one
    /// hash in many, an eighth have come before.
    bool seem_to_repeat() const {
      constexpr std::size_t kMost = 1024;
      W some[kMost];
      std::size_t found = 0;
      const std::uint64_t others = std::bit_ceil(2 * count / kMost + 1) - 1;
      for (std::size_t i = 0; i < count && found < kMost; ++i) {
        const std::uint64_t hash = std::uint64_t{ranks[i]} * 0x9e3779b97f4a7c15u;
        if ((hash >> 40 & others) == 0) some[found++] = ranks[i];
      }
      std::sort(some, some + found);
      const auto distinct = std::size_t(std::unique(some, some + found) - some);
      return distinct <= found - found / 8;
    }
    /// False if they are too many to be worth it.
    bool repeat() const { return side.data.count <= count - count / 4; }
  };

  template <class Lists>
  static Status encode_keys(Lists& lists, const SideData<W>& keys, std::size_t& written) {
    return lists.template encode<W>(0, keys.values, keys.count, written);
  }
  template <class Lists>
  static Status encode_gaps(Lists& lists, const SideData<W>& keys, std::size_t& written) {
    const std::uint64_t form = kGaps;
    if (const Status status = lists.store(0, &form, 1); status != Status::Ok) return status;
    std::size_t length = 0;
    const Status status =
        lists.template encode<W, Gaps>(kLengthBytes, keys.values, keys.count, length);
    written = kLengthBytes + length;
    return status;
  }
  template <class Lists>
  static Status encode_ranks(Lists& lists, const Differences& differences, std::size_t& written) {
    const SideData<W>& side = differences.side.data;
    std::size_t at = 0, length = 0;
    Status status = encode_selectors(lists, side, at);
    if (status != Status::Ok) return status;
    status = encode_behind_length<W>(lists, at, side.values, side.count, at);
    if (status != Status::Ok) return status;
    status =
        lists.template encode<W, Ranks>(at, differences.ranks.get(), differences.count, length);
    written = at + length;
    return status;
  }

  template <class Lists>
  static Status decode_differences(Lists& lists, std::size_t bytes, std::size_t words,
                                   SideData<W>& keys) {
    SideMemory<W> side;
    std::size_t at = 0;
    const std::size_t most = selector_words(words, Integers::kBlock);
    Status status = decode_selectors(lists, bytes, 0, most, side.data, at);
    if (status != Status::Ok) return status;
    status = decode_behind_length<W>(lists, at, bytes, words, side.data.values, side.data.count);
    if (status != Status::Ok) return status;
    status = lists.template decode<W, Ranks>(at, bytes - at, words, keys.values, keys.count);
    if (status != Status::Ok) return status;
    if constexpr (Lists::kDecodes) {
      status = lists.template unrank<preludes::Dict>(bytes_of(keys.values), keys.count, side.data);
      if (status == Status::NoMemory) return status;
      for (std::size_t i = 1; i < keys.count; ++i) {
        keys.values[i] = W(keys.values[i] + keys.values[i - 1]);
      }
      const auto* const selectors = reinterpret_cast<const std::uint8_t*>(side.data.selectors);
      if (status != Status::Ok ||
          side.data.selector_words != selector_words(keys.count, Integers::kBlock) ||
          !Integers::backward(keys.values, keys.count, selectors, side.data.divisors)) {
        return lists.damaged("its keys are not differences of numbers");
      }
    }
    return Status::Ok;
  }
};

/// Calls visit.template operator()<SideCoding<shape, W>>() for the shape of a step; a shape without
/// side data is not visited.
template <class W, class Visit>
void with_side_coding(preludes::Shape shape, Visit&& visit) {
  using preludes::Shape;
  const auto try_shapes = [&]<Shape... shapes>() {
    static_cast<void>(
        ((shape == shapes && (visit.template operator()<SideCoding<shapes, W>>(), true)) || ...));
  };
  try_shapes.template operator()<Shape::Ranked, Shape::Excepted, Shape::Selected, Shape::Divided,
                                 Shape::Matched, Shape::Predicted>();
}
/// SideCoding::encode() of a step of that shape.
template <class W, class Lists>
Status encode_any_side(preludes::Shape shape, Lists& lists, const SideData<W>& side,
                       std::size_t& written) {
  Status status = Status::Ok;
  with_side_coding<W>(shape,
                      [&]<class Coding>() { status = Coding::encode(lists, side, written); });
  return status;
}
/// SideCoding::decode() of a step of that shape.
template <class W, class Lists>
Status decode_any_side(preludes::Shape shape, Lists& lists, std::size_t bytes, std::size_t words,
                       SideData<W>& side) {
  Status status = Status::Ok;
  with_side_coding<W>(shape,
                      [&]<class Coding>() { status = Coding::decode(lists, bytes, words, side); });
  return status;
}

}  // namespace fpsynth::codec
