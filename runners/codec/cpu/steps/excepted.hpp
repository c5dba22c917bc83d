#pragma once
// Steps that map each word alone, but for exceptions, in one way or in one for each block.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "runners/codec/cpu/steps/step_driver.hpp"
#include "runners/codec/format/side_data.hpp"

namespace fpsynth::codec {

template <class Level, class W, class Step>
requires(preludes::has_exceptions(Step::shape)) class ShapeDriver<Level, W, Step>
    : WordParts<Level, W> {
  using Parts = WordParts<Level, W>;

 public:
  static Status forward(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t parameter,
                        int threads, SideData<W>& side) {
    if (!allocate_selectors(side, n, parameter)) return Status::NoMemory;
    const std::size_t parts = Parts::parts_of(n, threads);
    const std::unique_ptr<SideMemory<W>[]> found(new (std::nothrow) SideMemory<W>[parts]);
    if (!found) return Status::NoMemory;
    int failed = 0;
    Parts::in_parts(
        n, Parts::kUnit, parts, [&](std::size_t part, std::size_t begin, std::size_t end) {
          SideData<W>& mine = found[part].data;
          std::size_t capacity = 0;
          // The compiler knows the length of all groups but a part's last one.
          const auto group = [&](std::size_t i, std::size_t length, double scale) {
            W words[kGroup] = {}, integers[kGroup], excepted[kGroup];
            std::memcpy(words, in + i * sizeof(W), length * sizeof(W));
            W exceptions = 0;  // of the width of the words, for vectors
            for (std::size_t j = 0; j < kGroup; ++j) {
              excepted[j] = W(!Step::forward(words[j], scale, integers[j]));
              exceptions = W(exceptions + excepted[j]);
            }
            std::memcpy(out + i * sizeof(W), integers, length * sizeof(W));
            if (exceptions == 0) return true;
            if (!reserve<Level>(mine, capacity, mine.count + std::size_t(exceptions), true)) {
              return false;
            }
            for (std::size_t j = 0; j < length; ++j) {
              if (!excepted[j]) continue;
              mine.positions[mine.count] = i + j;
              mine.values[mine.count++] = words[j];
            }
            return true;
          };
          bool fits = true;
          Parts::for_blocks(begin, end, block_of(begin, end, parameter),
                            [&](std::size_t i, std::size_t block_end) {
                              const double scale = choose(in, i, block_end, parameter, side);
                              for (; fits && block_end - i >= kGroup; i += kGroup)
                                fits = group(i, kGroup, scale);
                              if (fits && i < block_end) fits = group(i, block_end - i, scale);
                            });
          if (!fits) __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
        });
    std::size_t capacity = 0, count = 0;
    for (std::size_t part = 0; part < parts; ++part) count += found[part].data.count;
    if (failed || !reserve<Level>(side, capacity, count, true)) return Status::NoMemory;
    for (std::size_t part = 0; part < parts; ++part) {
      const SideData<W>& from = found[part].data;
      if (from.count == 0) continue;
      std::memcpy(side.values + side.count, from.values, from.count * sizeof(W));
      std::memcpy(side.positions + side.count, from.positions, from.count * sizeof(std::uint64_t));
      side.count += from.count;
    }
    if constexpr (kSelected) {
      typename Step::template Rests<W> rests;
      for (std::size_t i = 0; i < side.count; ++i) {
        const auto at = std::size_t(side.positions[i]);
        const W near = Step::backward(Parts::load(out, at), scale_at(at, parameter, side));
        side.values[i] = rests.forward(side.values[i], near);
      }
    }
    return Status::Ok;
  }

  static Status backward(std::byte* words, std::size_t n, std::uint64_t parameter, int threads,
                         const SideData<W>& side) {
    for (std::size_t i = 0; i < side.count; ++i) {
      if (side.positions[i] >= n || (i > 0 && side.positions[i] <= side.positions[i - 1])) {
        return Status::Damaged;
      }
    }
    if (!selectors_suit(side, n, parameter)) return Status::Damaged;
    Parts::each_part(n, threads, [&](std::size_t begin, std::size_t end) {
      Parts::for_blocks(begin, end, block_of(begin, end, parameter),
                        [&](std::size_t i, std::size_t block_end) {
                          const double scale = scale_at(i, parameter, side);
                          std::byte* const block = words + i * sizeof(W);
                          Parts::map(block, block, block_end - i, 1,
                                     [scale](W integer) { return Step::backward(integer, scale); });
                        });
    });
    if constexpr (kSelected) {
      typename Step::template Rests<W> rests;
      for (std::size_t i = 0; i < side.count; ++i) {
        const auto at = std::size_t(side.positions[i]);
        Parts::store(words, at, rests.backward(side.values[i], Parts::load(words, at)));
      }
    } else {
      for (std::size_t i = 0; i < side.count; ++i)
        Parts::store(words, side.positions[i], side.values[i]);
    }
    return Status::Ok;
  }

 private:
  static constexpr bool kSelected = Step::shape == preludes::Shape::Selected;

  /// Words that are done in one way: a block, or all of a part.
  static std::size_t block_of(std::size_t begin, std::size_t end, std::uint64_t parameter) {
    return kSelected ? std::size_t(parameter) : end - begin;
  }
  static std::uint8_t* selectors_of(const SideData<W>& side) {
    return reinterpret_cast<std::uint8_t*>(side.selectors);
  }
  static double scale_at(std::size_t i, std::uint64_t parameter, const SideData<W>& side) {
    if constexpr (kSelected) {
      return Step::scale(side.divisors, selectors_of(side)[i / parameter]);
    } else {
      return Step::scale(parameter);
    }
  }

  static bool allocate_selectors(SideData<W>& side, std::size_t n, std::uint64_t parameter) {
    if constexpr (kSelected) {
      side.selector_words = selector_words(n, parameter);
      side.selectors =
          static_cast<std::uint32_t*>(std::calloc(side.selector_words, sizeof(std::uint32_t)));
      return side.selectors;
    }
    return true;
  }
  /// Chooses the selector of a block, and returns its scale.
  static double choose(const std::byte* in, std::size_t begin, std::size_t end,
                       std::uint64_t parameter, SideData<W>& side) {
    if constexpr (kSelected) {
      W words[Step::kMostBlock];
      const std::size_t n = end - begin;
      std::memcpy(words, in + begin * sizeof(W), n * sizeof(W));
      selectors_of(side)[begin / parameter] = std::uint8_t(Step::choose(words, n, side.divisors));
    }
    return scale_at(begin, parameter, side);
  }
  /// True if there is a selector for each block, and each is 0 or stands for a divisor.
  static bool selectors_suit(const SideData<W>& side, std::size_t n, std::uint64_t parameter) {
    if constexpr (kSelected) {
      if (side.selector_words != selector_words(n, parameter)) return false;
      for (std::size_t i = 0; i < side.selector_words * sizeof(std::uint32_t); ++i) {
        if (selectors_of(side)[i] > side.divisors.count) return false;
      }
    }
    return true;
  }

  /// Words that are mapped together, by vectors; if there are exceptions among them, each is looked
  /// at.
  static constexpr std::size_t kGroup = 64;
};

}  // namespace fpsynth::codec
