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

 public:
  static Status forward(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t block,
                        int threads, SideData<W>& side) {
    side.count = block_count(n, block);
    side.values = static_cast<W*>(std::malloc(side.count * sizeof(W)));
    if (!side.values) {
      side.count = 0;
      return Status::NoMemory;
    }
    Parts::each_block(n, block, threads, [&](std::size_t begin, std::size_t end) {
      const std::size_t words = end - begin;
      const std::byte* const from = in + begin * sizeof(W);
      W copy[Step::kMostBlock];
      std::memcpy(copy, from, words * sizeof(W));
      const W divisor = Step::divisor(copy, words);
      side.values[begin / block] = divisor;
      std::byte* const to = out + begin * sizeof(W);
      if (divisor == 1) {
        std::memcpy(to, copy, words * sizeof(W));
        return;
      }
      const typename Step::template Division<W> division(divisor);
      Parts::map(from, to, words, 1, [division](W word) { return division.quotient(word); });
    });
    return Status::Ok;
  }

  static Status backward(std::byte* words, std::size_t n, std::uint64_t block, int threads,
                         const SideData<W>& side) {
    if (side.count != block_count(n, block)) return Status::Damaged;
    Parts::each_block(n, block, threads, [&](std::size_t begin, std::size_t end) {
      const W divisor = side.values[begin / block];
      std::byte* const at = words + begin * sizeof(W);
      if (divisor != 1)
        Parts::map(at, at, end - begin, 1, [divisor](W word) { return W(1u * word * divisor); });
    });
    return Status::Ok;
  }
};

}  // namespace fpsynth::codec
