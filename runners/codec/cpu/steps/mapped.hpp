#pragma once
// Steps that map each word alone.

#include <cstddef>
#include <cstdint>

#include "runners/codec/cpu/steps/step_driver.hpp"

namespace fpsynth::codec {

template <class Level, class W, class Step>
requires(Step::shape == preludes::Shape::Mapped) class ShapeDriver<Level, W, Step>
    : WordParts<Level, W> {
  using Parts = WordParts<Level, W>;
  using Parts::map;

 public:
  static Status forward(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t,
                        int threads, SideData<W>&) {
    return map(in, out, n, threads, [](W word) { return Step::forward(word); });
  }
  static Status backward(std::byte* words, std::size_t n, std::uint64_t, int threads,
                         const SideData<W>&) {
    return map(words, words, n, threads, [](W word) { return Step::backward(word); });
  }
};

}  // namespace fpsynth::codec
