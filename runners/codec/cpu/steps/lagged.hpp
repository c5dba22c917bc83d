#pragma once
// Lagged steps: decoding is a scan with a stride.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "runners/codec/cpu/steps/step_driver.hpp"

namespace fpsynth::codec {

template <class Level, class W, class Step>
requires(Step::shape == preludes::Shape::Lagged) class ShapeDriver<Level, W, Step>
    : WordParts<Level, W> {
  using Parts = WordParts<Level, W>;

 public:
  static Status forward(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t lag,
                        int threads, SideData<W>&) {
    if (in == out) return difference_in_place(out, n, lag, threads);
    const std::size_t first = lag < n ? std::size_t(lag) : n;
    std::memcpy(out, in, first * sizeof(W));
    Parts::each_part(n - first, threads, [=](std::size_t begin, std::size_t end) {
      // The compiler cannot know that `out` is apart from `in`.
      const std::byte* const now = in + (first + begin) * sizeof(W);
      const std::byte* const before = in + begin * sizeof(W);
      std::byte* const __restrict to = out + (first + begin) * sizeof(W);
      for (std::size_t i = 0; i < end - begin; ++i) {
        Parts::store(to, i, Step::forward(Parts::load(now, i), Parts::load(before, i)));
      }
    });
    return Status::Ok;
  }

  static Status backward(std::byte* words, std::size_t n, std::uint64_t parameter, int threads,
                         const SideData<W>&) {
    if (parameter >= n) return Status::Ok;
    const std::size_t lag = std::size_t(parameter);
    const std::size_t parts = Parts::parts_of(n - lag, threads);
    if (parts == 1) {
      accumulate(words, lag, n, lag);
      return Status::Ok;
    }
    if (lag / parts >= kColumns) {
      // Words of different columns, in rows of `lag` words, do not depend on one another.
      Parts::in_parts(
          lag, Parts::kUnit, parts, [=](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t row = lag; row < n; row += lag) {
              const std::size_t left = n - row;
              if (begin < left) {
                accumulate_row(words, row + begin, row + (end < left ? end : left), lag);
              }
            }
          });
      return Status::Ok;
    }
    return sum_in_two_passes(words, n, lag, parts);
  }

 private:
  /// From the last word to the first, so that the words before are still what they were.
  static Status difference_in_place(std::byte* words, std::size_t n, std::uint64_t parameter,
                                    int threads) {
    if (parameter >= n) return Status::Ok;
    const std::size_t lag = std::size_t(parameter);
    const std::size_t parts = Parts::parts_of(n - lag, threads);
    if (parts > 1 && lag / parts >= kColumns) {
      const std::size_t last_row = (n - 1) / lag * lag;
      Parts::in_parts(lag, Parts::kUnit, parts,
                      [=](std::size_t, std::size_t begin, std::size_t end) {
                        for (std::size_t row = last_row; row > 0; row -= lag) {
                          const std::size_t left = n - row;
                          if (begin < left) {
                            differences_back(words, row + begin, row + (end < left ? end : left),
                                             words + (row + begin - lag) * sizeof(W));
                          }
                        }
                      });
      return Status::Ok;
    }
    // The words before a part belong to another one, which changes them.
    const std::unique_ptr<W[]> saved(new (std::nothrow) W[(parts - 1) * lag]);
    if (!saved) return Status::NoMemory;
    for (std::size_t part = 1; part < parts; ++part) {
      std::memcpy(&saved[(part - 1) * lag],
                  words + Parts::part_begin(n - lag, Parts::kUnit, parts, part) * sizeof(W),
                  lag * sizeof(W));
    }
    Parts::in_parts(n - lag, Parts::kUnit, parts,
                    [=, saved = saved.get()](std::size_t part, std::size_t begin, std::size_t end) {
                      // Of words begin + lag..end + lag, the first `lag` have their words before in
                      // `saved`.
                      const std::size_t inner = end - begin < lag ? end : begin + lag;
                      if (part == 0) {
                        differences_back(words, begin + lag, end + lag, words + begin * sizeof(W));
                        return;
                      }
                      differences_back(words, inner + lag, end + lag, words + inner * sizeof(W));
                      differences_back(
                          words, begin + lag, inner + lag,
                          reinterpret_cast<const std::byte*>(saved + (part - 1) * lag));
                    });
    return Status::Ok;
  }
  /// words[i] = forward(words[i], before[i - begin]) for i in begin..end, the last one first.
  static void differences_back(std::byte* words, std::size_t begin, std::size_t end,
                               const std::byte* before) {
    constexpr std::size_t kGroup = 64;
    std::size_t i = end;
    for (; i - begin >= kGroup; i -= kGroup) {
      W now[kGroup], then[kGroup];
      std::memcpy(now, words + (i - kGroup) * sizeof(W), sizeof now);
      std::memcpy(then, before + (i - kGroup - begin) * sizeof(W), sizeof then);
      for (std::size_t j = 0; j < kGroup; ++j) now[j] = Step::forward(now[j], then[j]);
      std::memcpy(words + (i - kGroup) * sizeof(W), now, sizeof now);
    }
    while (i-- > begin)
      Parts::store(words, i, Step::forward(Parts::load(words, i), Parts::load(before, i - begin)));
  }

  /// Combines each word of begin..end with the one `lag` before it, which is final by then. begin
  /// >= lag.
  static void accumulate(std::byte* words, std::size_t begin, std::size_t end, std::size_t lag) {
    if (carry_any(words, begin, end, lag, std::make_index_sequence<kMostCarried>())) return;
    for (; begin < end; begin += lag) {
      accumulate_row(words, begin, end - begin < lag ? end : begin + lag, lag);
    }
  }
  /// The same for at most `lag` words, by groups. Groups of all rows begin in the same columns, so
  /// that what is loaded is what was stored as one.
  static void accumulate_row(std::byte* words, std::size_t begin, std::size_t end,
                             std::size_t lag) {
    std::size_t i = begin;
    if (lag >= 64) {
      for (; end - i >= 64; i += 64) combine<64>(words, i, lag);
    }
    for (; end - i >= kMostCarried; i += kMostCarried) combine<kMostCarried>(words, i, lag);
    for (; i < end; ++i) combine<1>(words, i, lag);
  }
  /// words[i..] = backward(words[i..], words[i - lag..]), a group of words at once.
  template <std::size_t Group>
  static void combine(std::byte* words, std::size_t i, std::size_t lag) {
    W sums[Group], before[Group];
    std::memcpy(sums, words + i * sizeof(W), sizeof sums);
    std::memcpy(before, words + (i - lag) * sizeof(W), sizeof before);
    for (std::size_t j = 0; j < Group; ++j) sums[j] = Step::backward(sums[j], before[j]);
    std::memcpy(words + i * sizeof(W), sums, sizeof sums);
  }

  /// Lags up to this one keep the words before in registers: loads of what has just been stored in
  /// other groups would wait for the stores.
  static constexpr std::size_t kMostCarried = 16;
  template <std::size_t... Lags>
  static bool carry_any(std::byte* words, std::size_t begin, std::size_t end, std::size_t lag,
                        std::index_sequence<Lags...>) {
    return ((lag == Lags + 1 && (carry<Lags + 1>(words, begin, end), true)) || ...);
  }
  template <std::size_t Lag>
  static void carry(std::byte* words, std::size_t begin, std::size_t end) {
    W before[Lag];
    std::memcpy(before, words + (begin - Lag) * sizeof(W), sizeof before);
    std::size_t i = begin;
    for (; end - i >= Lag; i += Lag) {
      for (std::size_t j = 0; j < Lag; ++j) {
        before[j] = Step::backward(Parts::load(words, i + j), before[j]);
        Parts::store(words, i + j, before[j]);
      }
    }
    for (std::size_t j = 0; i + j < end; ++j) {
      Parts::store(words, i + j, Step::backward(Parts::load(words, i + j), before[j]));
    }
  }
  /// Each part sums its own words; then the sums before a part are added to all of its words.
  static Status sum_in_two_passes(std::byte* words, std::size_t n, std::size_t lag,
                                  std::size_t parts) {
    const std::unique_ptr<W[]> sums(new (std::nothrow) W[parts * lag]);
    if (!sums) return Status::NoMemory;
    Parts::in_parts(n, lag, parts, [=](std::size_t, std::size_t begin, std::size_t end) {
      if (end - begin > lag) accumulate(words, begin + lag, end, lag);
    });
    // sums[part * lag + column]: of all words of the column before the part.
    for (std::size_t part = 1; part < parts; ++part) {
      const W* const before = sums.get() + (part - 1) * lag;
      W* const here = sums.get() + part * lag;
      const std::size_t end = Parts::part_begin(n, lag, parts, part);
      const bool any = end > Parts::part_begin(n, lag, parts, part - 1);
      for (std::size_t column = 0; column < lag; ++column) {
        // Parts end with a whole row, but the last one, which nothing follows.
        const W last = any && end % lag == 0 ? Parts::load(words, end - lag + column) : W{0};
        here[column] = part == 1 ? last : Step::backward(last, before[column]);
      }
    }
    Parts::in_parts(n, lag, parts,
                    [=, sums = sums.get()](std::size_t part, std::size_t begin, std::size_t end) {
                      if (part == 0) return;
                      const W* const before = sums + part * lag;
                      for (std::size_t i = begin; i < end;) {
                        for (std::size_t column = 0; column < lag && i < end; ++column, ++i) {
                          Parts::store(words, i,
                                       Step::backward(Parts::load(words, i), before[column]));
                        }
                      }
                    });
    return Status::Ok;
  }

  /// Fewer columns are not worth a thread: its rows would be shorter than a page.
  static constexpr std::size_t kColumns = 4096 / sizeof(W);
};

}  // namespace fpsynth::codec
