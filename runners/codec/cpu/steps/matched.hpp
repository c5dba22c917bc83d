#pragma once
// Steps that take out copies. Lower bound of the time to undo them: every word is written once, and
// every literal is read once or more often, as it is copied. In place, literals are first copied
// apart. One thread looks for copies: which ones there are depends on all words before them.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "runners/codec/cpu/huge_pages.hpp"
#include "runners/codec/cpu/steps/step_driver.hpp"
#include "runners/codec/format/copies.hpp"
#include "runners/codec/format/side_data.hpp"
#include "runners/codec/format/turned_copies.hpp"

namespace fpsynth::codec {

template <class Level, class W, class Step>
requires(Step::shape == preludes::Shape::Matched) class ShapeDriver<Level, W, Step>
    : WordParts<Level, W> {
  using Parts = WordParts<Level, W>;

 public:
  static Status forward(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t parameter,
                        int, SideData<W>& side) {
    return CopyTaker<Level, W, Step>::run(in, out, n, parameter, side);
  }

  static Status backward(std::byte* words, std::size_t n, std::uint64_t parameter, int threads,
                         const SideData<W>& side) {
    const std::uint64_t record = Step::record_words(parameter);
    Segments<Level, Step> segments;
    const Status status = segments.read(side.selectors, side.selector_words, n, record);
    if (status != Status::Ok || segments.count() == 1) return status;
    const auto literals = std::size_t(segments.literals());
    const std::unique_ptr<W[]> apart(new (std::nothrow) W[literals]);
    if (!apart) return Status::NoMemory;
    wish_huge_pages<Level>(apart.get(), literals * sizeof(W));
    auto* const from = reinterpret_cast<std::byte*>(apart.get());
    Parts::each_part(literals, threads, [=](std::size_t begin, std::size_t end) {
      std::memcpy(from + begin * sizeof(W), words + begin * sizeof(W), (end - begin) * sizeof(W));
    });
    Parts::each_part(n, threads, [&](std::size_t begin, std::size_t end) {
      gather(segments, std::size_t(record), from, words, begin, end);
    });
    return Status::Ok;
  }

 private:
  /// Stores words[i..end), of which there is one at least.
  static void gather(const Segments<Level, Step>& segments, std::size_t record,
                     const std::byte* literals, std::byte* words, std::size_t i, std::size_t end) {
    auto at = std::size_t(preludes::Match::segment_of(segments.data(), segments.count(), i));
    for (; i < end; ++at) {
      const preludes::Match::Segment& segment = segments.data()[at];
      const auto copy_end = std::size_t(segment.begin + segment.length);
      const auto next =
          at + 1 < segments.count() ? std::size_t(segments.data()[at + 1].begin) : end;
      for (const std::size_t stop : {copy_end, next}) {
        const std::size_t here = stop < end ? stop : end;
        if (here <= i) continue;
        if (Step::kTurned && stop == copy_end) {
          turn(segment, record, literals, words, i, here);
          i = here;
          continue;
        }
        std::memcpy(words + i * sizeof(W), literals + segment.literal(i) * sizeof(W),
                    (here - i) * sizeof(W));
        i = here;
      }
    }
  }
  /// Stores words[i..end), all of one copy: its records, the last one first.
  static void turn(const preludes::Match::Segment& segment, std::size_t record,
                   const std::byte* literals, std::byte* words, std::size_t i, std::size_t end) {
    const auto at = std::size_t(i - segment.begin);
    std::size_t word = at % record;
    std::size_t from = segment.source + segment.length - (at / record + 1) * record;
    for (; i < end; ++i) {
      Parts::store(words, i, Parts::load(literals, from + word));
      if (++word == record) word = 0, from -= record;
    }
  }
};

}  // namespace fpsynth::codec
