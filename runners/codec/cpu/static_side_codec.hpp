#pragma once
// Lists of side data on the CPU, for static codecs whose prelude has some.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "runners/codec/cpu/static_codec.hpp"
#include "runners/codec/cpu/steps/step_driver.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "runners/codec/format/side_coding.hpp"
#include "runners/codec/format/side_data.hpp"
#include "runners/codec/format/static_container.hpp"
#include "runners/codec/format/status.hpp"

namespace fpsynth::codec {

/// Lists for SideCoding. `threads` as for StaticCodec.
template <class Team>
struct StaticLists {
  int threads;
  std::byte* out = nullptr;  ///< where side data are written
  std::size_t capacity = 0;
  const std::byte* in = nullptr;  ///< where they are read

  static constexpr bool kDecodes = true;

  template <class T, class Pipeline = SidePipeline<T>>
  Status encode(std::size_t at, const T* values, std::size_t count, std::size_t& written) {
    if (at > capacity) return Status::TooSmall;
    constexpr T kNone = 0;  // not null, as the values may be if there are none
    const T* const from = count > 0 ? values : &kNone;
    return StaticCodec<Pipeline, Team>::compress(reinterpret_cast<const std::byte*>(from),
                                                 count * sizeof(T), out + at, capacity - at,
                                                 written, threads);
  }
  /// Decodes to memory of malloc(), which the caller frees in any case.
  template <class T, class Pipeline = SidePipeline<T>>
  Status decode(std::size_t at, std::size_t bytes, std::size_t most, T*& values,
                std::size_t& count) {
    using Codec = StaticCodec<Pipeline, Team>;
    std::size_t size = 0, written = 0;
    if (Codec::original_size(in + at, bytes, size) != Status::Ok ||
        !count_list<T>(size, most, count)) {
      return Status::Damaged;
    }
    values = static_cast<T*>(std::malloc(size > 0 ? size : 1));
    if (!values) return Status::NoMemory;
    return Codec::decompress(in + at, bytes, reinterpret_cast<std::byte*>(values), size, written,
                             threads);
  }
  template <class Step, class W>
  Status rank(std::byte* words, std::size_t count, SideData<W>& side) const {
    return StepDriver<Team, W, Step>::forward(words, words, count, 0,
                                              threads_for(threads, UINT64_MAX), side);
  }
  template <class Step, class W>
  Status unrank(std::byte* words, std::size_t count, const SideData<W>& side) const {
    return StepDriver<Team, W, Step>::backward(words, count, 0, threads_for(threads, UINT64_MAX),
                                               side);
  }
  Status store(std::size_t at, const std::uint64_t* numbers, std::size_t count) {
    if (at > capacity || count > (capacity - at) / sizeof *numbers) return Status::TooSmall;
    for (std::size_t i = 0; i < count; ++i)
      codec::store(out + at + i * sizeof *numbers, numbers[i]);
    return Status::Ok;
  }
  void load(std::size_t at, std::uint64_t* numbers, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      numbers[i] = codec::load<std::uint64_t>(in + at + i * sizeof *numbers);
    }
  }
  static Status damaged(const char*) { return Status::Damaged; }
};

}  // namespace fpsynth::codec
