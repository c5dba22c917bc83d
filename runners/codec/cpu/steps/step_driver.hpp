#pragma once
// The drivers that execute the steps of preludes on the CPU. Steps that map each word alone have
// theirs here, the other shapes have a file each beside this one.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/preludes/shape.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "runners/codec/format/side_data.hpp"
#include "runners/codec/format/status.hpp"

namespace fpsynth::codec {

/// Words and parts of them, for the drivers of all shapes. Level: a type of its own for each
/// instruction set, so that objects compiled for different ones share no function.
template <class Level, class W>
class WordParts {
 protected:
  static W load(const std::byte* words, std::size_t i) {
    W word;
    std::memcpy(&word, words + i * sizeof(W), sizeof(W));
    return word;
  }
  static void store(std::byte* words, std::size_t i, W word) {
    std::memcpy(words + i * sizeof(W), &word, sizeof(W));
  }

  /// Fewer words than these are not worth a thread.
  static constexpr std::size_t kWordsPerThread = std::size_t{1} << 15;
  static std::size_t parts_of(std::size_t n, int threads) {
    const std::size_t most = n / kWordsPerThread + 1;
    return most < std::size_t(threads) ? most : std::size_t(threads);
  }
  /// The beginning of part `index` of `parts`; parts begin at multiples of `unit`, below n.
  static std::size_t part_begin(std::size_t n, std::size_t unit, std::size_t parts,
                                std::size_t index) {
    const std::size_t begin = (n + unit - 1) / unit * index / parts * unit;
    return begin < n ? begin : n;
  }
  /// Calls work(part, begin, end) for each of the parts of 0..n, on as many threads if the system
  /// gives them.
  template <class Work>
  static void in_parts(std::size_t n, std::size_t unit, std::size_t parts, const Work& work) {
    in_any_order(parts, static_cast<int>(parts), [&](std::size_t part) {
      work(part, part_begin(n, unit, parts, part), part_begin(n, unit, parts, part + 1));
    });
  }

  /// Calls work(begin, end) for each of as many parts of 0..n as there are threads for.
  template <class Work>
  static void each_part(std::size_t n, int threads, const Work& work) {
    in_parts(n, kUnit, parts_of(n, threads),
             [&](std::size_t, std::size_t begin, std::size_t end) { work(begin, end); });
  }

  /// Calls work(begin, end) for the blocks of `block` words from `begin` to `end`; the last one may
  /// be shorter.
  template <class Work>
  static void for_blocks(std::size_t begin, std::size_t end, std::size_t block, const Work& work) {
    for (; begin < end; begin += block) work(begin, end - begin < block ? end : begin + block);
  }

  /// Calls work(begin, end) for each block of `block` words, on as many threads.
  template <class Work>
  static void each_block(std::size_t n, std::uint64_t block, int threads, const Work& work) {
    in_parts(n, std::size_t(block), parts_of(n, threads),
             [&](std::size_t, std::size_t begin, std::size_t end) {
               for_blocks(begin, end, std::size_t(block), work);
             });
  }

  template <class F>
  static Status map(const std::byte* in, std::byte* out, std::size_t n, int threads, F f) {
    each_part(n, threads, [=](std::size_t begin, std::size_t end) {
      // By groups in memory of their own: `out` may be `in`, of which compilers are afraid.
      constexpr std::size_t kGroup = 64;
      std::size_t i = begin;
      for (; end - i >= kGroup; i += kGroup) {
        W words[kGroup];
        std::memcpy(words, in + i * sizeof(W), sizeof words);
        for (std::size_t j = 0; j < kGroup; ++j) words[j] = f(words[j]);
        std::memcpy(out + i * sizeof(W), words, sizeof words);
      }
      for (; i < end; ++i) store(out, i, f(load(in, i)));
    });
    return Status::Ok;
  }

  /// Words that are mapped together: parts begin at multiples of it.
  static constexpr std::size_t kUnit = 1024;
};

/// The steps of one shape, in the shape's file: as StepDriver, for one word or more.
template <class Level, class W, class Step>
class ShapeDriver;

/// Steps that map each word alone.
template <class Level, class W, class Step>
requires(Step::shape == preludes::Shape::Mapped) class ShapeDriver<Level, W, Step>
    : WordParts<Level, W> {
  using Parts = WordParts<Level, W>;

 public:
  static Status forward(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t,
                        int threads, SideData<W>&) {
    return Parts::map(in, out, n, threads, [](W word) { return Step::forward(word); });
  }
  static Status backward(std::byte* words, std::size_t n, std::uint64_t, int threads,
                         const SideData<W>&) {
    return Parts::map(words, words, n, threads, [](W word) { return Step::backward(word); });
  }
};

/// Runs a step on words of type W, which need not be aligned. `threads`: 1 or more. Nothing throws;
/// the functions return Ok, NoMemory or Damaged.
template <class Level, class W, class Step>
struct StepDriver {
  /// Maps the `n` words at `in` to `out`, which may be `in`, and sets `side`, which must be empty
  /// but for the step's divisors, to what it takes out.
  static Status forward(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t parameter,
                        int threads, SideData<W>& side) {
    if (n == 0) return Status::Ok;
    return ShapeDriver<Level, W, Step>::forward(in, out, n, parameter, threads, side);
  }

  /// Restores `n` words in place. Words and side data may be anything; Damaged if forward() cannot
  /// have given them.
  static Status backward(std::byte* words, std::size_t n, std::uint64_t parameter, int threads,
                         const SideData<W>& side) {
    if (n == 0) return side.count == 0 && side.selector_words == 0 ? Status::Ok : Status::Damaged;
    return ShapeDriver<Level, W, Step>::backward(words, n, parameter, threads, side);
  }
};

}  // namespace fpsynth::codec
