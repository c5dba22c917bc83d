#pragma once
// Keys of steps by rank as containers of version 3 hold them. Host code, for the codecs of all back
// ends: the host sorts keys in any case.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "components/bit/bit.hpp"
#include "components/family.hpp"
#include "components/lnv/lnvx.hpp"
#include "components/preludes/dict.hpp"
#include "components/preludes/key_integers.hpp"
#include "components/preludes/shape.hpp"
#include "components/rle/rle.hpp"
#include "components/static_pipeline.hpp"
#include "components/type_list.hpp"
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
/// Those one of which compresses them: that whose container is the shortest, the first of equals.
template <class W>
using KeyPipelines = components::TypeList<RankPipeline<W>>;

/// Keys: a container of them; or, where that is shorter, what is behind a number that no container
/// begins with, the divisors' of KeyIntegers: the divisors, the length of the selectors' container,
/// that container, and of the differences between the integers the length of the container of the
/// distinct ones, as keys, that container, and a container of the ranks, of one of KeyPipelines.
///
/// Side is SideData, which has the keys in memory. Lists is as for the other shapes, with pointers
/// to such memory; besides, it has
///
///   encode<T, Pipeline>(...), decode  with a pipeline that is not SidePipeline<T>
///   holds<T, Pipeline>(at, bytes)     true if decode<T, Pipeline>() may read that
///   rank<Step>(words, count, side)    runs a step by rank in place
///   unrank<Step>(words, count, side)  the way back
///   kDecodes                          false if decode() only checks
template <class W>
struct SideCoding<preludes::Shape::Ranked, W> : SideParts {
  /// A capacity that is enough for steps on `words` words; 0 if no memory is that large.
  static std::size_t bound(std::size_t words) { return list_bound<W>(words); }
  /// A capacity that is enough while `count` keys are written; 0 if no memory is that large.
  static std::size_t bound_of_all(std::size_t count) {
    const std::size_t selectors =
        list_bound<std::uint32_t>(selector_words(count, Integers::kBlock));
    const std::size_t values = list_bound<W>(count), ranks = rank_bound(count, KeyPipelines<W>());
    constexpr std::size_t kNumbers = (3 + preludes::kMostDivisors) * kLengthBytes;
    if (selectors == 0 || values == 0 || ranks == 0 || ranks > SIZE_MAX / 4) return 0;
    return kNumbers + selectors + values + ranks;
  }

  /// Writes the shortest form, the first of equals, for which all are written. If the capacity is
  /// too small for one, it is not the shortest, or none fits.
  template <class Lists>
  static Status encode(Lists& lists, const SideData<W>& side, std::size_t& written) {
    Differences differences;
    std::size_t forms = 1;
    if (side.count >= kFewest) {
      if (const Status status = differences.find(lists, side); status != Status::Ok) return status;
      if (differences.repeat()) forms += KeyPipelines<W>::size;
    }
    std::size_t best = forms, least = SIZE_MAX;
    Status status = Status::Ok;
    for (std::size_t form = 0; form < forms; ++form) {
      std::size_t length = 0;
      status = encode_as(lists, form, side, differences, length);
      if (status != Status::Ok && status != Status::TooSmall) return status;
      if (status == Status::TooSmall || length >= least) continue;
      best = form;
      least = length;
    }
    if (best == forms) return Status::TooSmall;
    written = least;
    return best + 1 == forms ? status : encode_as(lists, best, side, differences, written);
  }

  /// Reads `bytes` bytes of side data, which may hold anything.
  template <class Lists>
  static Status decode(Lists& lists, std::size_t bytes, std::size_t words, SideData<W>& side) {
    std::uint64_t divisors = ~std::uint64_t{0};
    if (bytes >= kLengthBytes) lists.load(0, &divisors, 1);
    return divisors > preludes::kMostDivisors
               ? lists.template decode<W>(0, bytes, words, side.values, side.count)
               : decode_differences(lists, bytes, words, side);
  }

 private:
  using Integers = preludes::KeyIntegers<W>;
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
      return lists.template rank<preludes::Dict>(bytes_of(ranks.get()), count, side.data);
    }
    /// False if they are too many to be worth it.
    bool repeat() const { return side.data.count <= count - count / 4; }
  };

  template <class... Pipelines>
  static std::size_t rank_bound(std::size_t count, components::TypeList<Pipelines...>) {
    std::size_t most = 0;
    const auto add = [&](std::size_t bound) { most = bound > most ? bound : most; };
    (add(list_bound<W, Pipelines>(count)), ...);
    return most;
  }

  /// Form 0 is a container of the keys, each other one has one of KeyPipelines.
  template <class Lists>
  static Status encode_as(Lists& lists, std::size_t form, const SideData<W>& keys,
                          const Differences& differences, std::size_t& written) {
    if (form == 0) return lists.template encode<W>(0, keys.values, keys.count, written);
    const SideData<W>& side = differences.side.data;
    std::size_t at = 0;
    Status status = encode_selectors(lists, side, at);
    if (status != Status::Ok) return status;
    status = encode_behind_length<W>(lists, at, side.values, side.count, at);
    if (status != Status::Ok) return status;
    std::size_t length = 0;
    status = encode_ranks(lists, form - 1, at, differences, length, KeyPipelines<W>());
    written = at + length;
    return status;
  }
  template <class Lists, class... Pipelines>
  static Status encode_ranks(Lists& lists, std::size_t pipeline, std::size_t at,
                             const Differences& differences, std::size_t& length,
                             components::TypeList<Pipelines...>) {
    Status status = Status::BadCall;
    std::size_t number = 0;
    const auto encode = [&]<class Pipeline>() {
      status = lists.template encode<W, Pipeline>(at, differences.ranks.get(), differences.count,
                                                  length);
    };
    ((number++ == pipeline && (encode.template operator()<Pipelines>(), true)) || ...);
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
    status = decode_held(lists, at, bytes - at, words, keys, KeyPipelines<W>());
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
  template <class Lists, class... Pipelines>
  static Status decode_held(Lists& lists, std::size_t at, std::size_t bytes, std::size_t most,
                            SideData<W>& keys, components::TypeList<Pipelines...>) {
    Status status = Status::Ok;
    const bool held =
        ((lists.template holds<W, Pipelines>(at, bytes) &&
          (status = lists.template decode<W, Pipelines>(at, bytes, most, keys.values, keys.count),
           true)) ||
         ...);
    return held ? status : lists.damaged(kCutOff);
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
  try_shapes.template
  operator()<Shape::Ranked, Shape::Excepted, Shape::Selected, Shape::Divided, Shape::Matched>();
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
