#pragma once
// Steps that divide the words of a block by a divisor of all of them.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "runners/codec/cpu/steps/step_driver.hpp"
#include "runners/codec/format/side_data.hpp"

namespace fpsynth::codec {

template <class Level, class W, class Step>
requires(Step::shape == preludes::Shape::Divided) class ShapeDriver<Level, W, Step>
    : WordParts<Level, W> {
  using Parts = WordParts<Level, W>;
  using Parts::in_parts;
  using Parts::kUnit;
  using Parts::map;
  using Parts::parts_of;

 public:
  static Status forward(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t block,
                        int threads, SideData<W>& side) {
    side.count = block_count(n, block);
    side.values = static_cast<W*>(std::malloc(side.count * sizeof(W)));
    if (!side.values) {
      side.count = 0;
      return Status::NoMemory;
    }
    for_blocks(n, block, threads, [&](std::size_t index, std::size_t begin, std::size_t words) {
      const std::byte* const from = in + begin * sizeof(W);
      W copy[Step::kMostBlock];
      std::memcpy(copy, from, words * sizeof(W));
      const W divisor = Step::divisor(copy, words);
      side.values[index] = divisor;
      std::byte* const to = out + begin * sizeof(W);
      if (divisor == 1) {
        std::memcpy(to, copy, words * sizeof(W));
        return;
      }
      const typename Step::template Division<W> division(divisor);
      map(from, to, words, 1, [division](W word) { return division.quotient(word); });
    });
    return Status::Ok;
  }

  static Status backward(std::byte* words, std::size_t n, std::uint64_t block, int threads,
                         const SideData<W>& side) {
    if (side.count != block_count(n, block)) return Status::Damaged;
    for_blocks(n, block, threads, [&](std::size_t index, std::size_t begin, std::size_t count) {
      const W divisor = side.values[index];
      std::byte* const at = words + begin * sizeof(W);
      if (divisor != 1) map(at, at, count, 1, [divisor](W word) { return W(word * divisor); });
    });
    return Status::Ok;
  }

 private:
  /// Calls work(index, begin, words) for each block.
  template <class Work>
  static void for_blocks(std::size_t n, std::uint64_t block, int threads, const Work& work) {
    in_parts(n, kUnit, parts_of(n, threads), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (const std::size_t length = std::size_t(block); begin < end; begin += length) {
        work(begin / length, begin, end - begin < length ? end - begin : length);
      }
    });
  }
};

}  // namespace fpsynth::codec
