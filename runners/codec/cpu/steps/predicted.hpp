#pragma once
// Steps that predict words from those before them in their block. Restoring a word waits for the
// one before it; blocks do not wait for one another.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "runners/codec/cpu/steps/step_driver.hpp"
#include "runners/codec/format/linear_fit.hpp"
#include "runners/codec/format/side_data.hpp"

namespace fpsynth::codec {

template <class Level, class W, class Step>
requires(Step::shape == preludes::Shape::Predicted) class ShapeDriver<Level, W, Step>
    : WordParts<Level, W> {
  using Parts = WordParts<Level, W>;
  static constexpr std::size_t kNumbers = preludes::kPredictionNumbers;

 public:
  static Status forward(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t block,
                        int threads, SideData<W>& side) {
    side.selector_words = kNumbers * block_count(n, block);
    side.selectors =
        static_cast<std::uint32_t*>(std::malloc(side.selector_words * sizeof(std::uint32_t)));
    if (!side.selectors) {
      side.selector_words = 0;
      return Status::NoMemory;
    }
    Parts::each_block(n, block, threads, [&](std::size_t begin, std::size_t end) {
      const std::byte* const from = in + begin * sizeof(W);
      std::byte* const to = out + begin * sizeof(W);
      const auto taps = LinearFit<Level, W, Step>::taps(from, end - begin);
      taps.store(side.selectors + begin / block * kNumbers);
      // The last word first: `out` may be `in`.
      for (std::size_t i = end - begin; i-- > 0;) {
        Parts::store(to, i, W(Parts::load(from, i) - Step::template predict<W>(taps, from, i)));
      }
    });
    return Status::Ok;
  }

  static Status backward(std::byte* words, std::size_t n, std::uint64_t block, int threads,
                         const SideData<W>& side) {
    if (side.selector_words != kNumbers * block_count(n, block)) return Status::Damaged;
    int damaged = 0;
    Parts::each_block(n, block, threads, [&](std::size_t begin, std::size_t end) {
      std::byte* const at = words + begin * sizeof(W);
      typename Step::Taps taps;
      if (!taps.load(side.selectors + begin / block * kNumbers)) {
        __atomic_store_n(&damaged, 1, __ATOMIC_RELAXED);
        return;
      }
      for (std::size_t i = 0; i < end - begin; ++i) {
        Parts::store(at, i, W(Parts::load(at, i) + Step::template predict<W>(taps, at, i)));
      }
    });
    return damaged ? Status::Damaged : Status::Ok;
  }
};

}  // namespace fpsynth::codec
