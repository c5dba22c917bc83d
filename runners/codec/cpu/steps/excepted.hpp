#pragma once
// Steps that map each word alone, but for exceptions.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "runners/codec/cpu/steps/step_driver.hpp"
#include "runners/codec/format/side_data.hpp"

namespace fpsynth::codec {

template <class Level, class W, class Step>
requires(Step::shape == preludes::Shape::Excepted) class ShapeDriver<Level, W, Step>
    : WordParts<Level, W> {
  using Parts = WordParts<Level, W>;
  using Parts::in_parts;
  using Parts::kUnit;
  using Parts::map;
  using Parts::parts_of;
  using Parts::store;

 public:
  static Status forward(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t parameter,
                        int threads, SideData<W>& side) {
    const double scale = Step::scale(parameter);
    const std::size_t parts = parts_of(n, threads);
    const std::unique_ptr<SideMemory<W>[]> found(new (std::nothrow) SideMemory<W>[parts]);
    if (!found) return Status::NoMemory;
    int failed = 0;
    in_parts(n, kUnit, parts, [&](std::size_t part, std::size_t begin, std::size_t end) {
      SideData<W>& mine = found[part].data;
      std::size_t capacity = 0;
      // The compiler knows the length of all groups but a part's last one.
      const auto group = [&](std::size_t i, std::size_t length) {
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
      std::size_t i = begin;
      for (; fits && end - i >= kGroup; i += kGroup) fits = group(i, kGroup);
      if (fits && i < end) fits = group(i, end - i);
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
    return Status::Ok;
  }

  static Status backward(std::byte* words, std::size_t n, std::uint64_t parameter, int threads,
                         const SideData<W>& side) {
    for (std::size_t i = 0; i < side.count; ++i) {
      if (side.positions[i] >= n || (i > 0 && side.positions[i] <= side.positions[i - 1])) {
        return Status::Damaged;
      }
    }
    const double scale = Step::scale(parameter);
    map(words, words, n, threads, [=](W integer) { return Step::backward(integer, scale); });
    for (std::size_t i = 0; i < side.count; ++i) store(words, side.positions[i], side.values[i]);
    return Status::Ok;
  }

 private:
  /// Words that are mapped together, by vectors; if there are exceptions among them, each is looked
  /// at.
  static constexpr std::size_t kGroup = 64;
};

}  // namespace fpsynth::codec
