#pragma once
// Steps that replace words by their ranks.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "runners/codec/cpu/steps/keyed_slots.hpp"
#include "runners/codec/cpu/steps/step_driver.hpp"
#include "runners/codec/cpu/steps/word_table.hpp"
#include "runners/codec/format/side_data.hpp"

namespace fpsynth::codec {

template <class Level, class W, class Step>
requires(Step::shape == preludes::Shape::Ranked) class ShapeDriver<Level, W, Step>
    : WordParts<Level, W> {
  using Parts = WordParts<Level, W>;
  using Parts::in_parts;
  using Parts::kUnit;
  using Parts::load;
  using Parts::parts_of;
  using Parts::store;

 public:
  static Status forward(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t,
                        int threads, SideData<W>& side) {
    const std::size_t parts = parts_of(n, threads);
    WordTable<Level, W> table;
    KeyedSlots<Level, W> items;
    std::size_t capacity = 0;
    if (!table.number(in, out, n, parts) ||
        !items.sort(table, threads, [](W word) { return Step::key(word); }) ||
        !reserve<Level>(side, capacity, table.count(), false)) {
      return Status::NoMemory;
    }
    const std::size_t words = side.count = table.count();
    in_parts(words, kUnit, parts_of(words, threads),
             [&](std::size_t, std::size_t begin, std::size_t end) {
               for (std::size_t i = begin; i < end; ++i) {
                 side.values[i] = items[i].key;
                 table.set(items[i].slot, W(i));
               }
             });
    in_parts(n, kUnit, parts, [&](std::size_t, std::size_t begin, std::size_t end) {
      table.replace(out, begin, end);
    });
    return Status::Ok;
  }

  static Status backward(std::byte* words, std::size_t n, std::uint64_t, int threads,
                         const SideData<W>& side) {
    for (std::size_t i = 1; i < side.count; ++i) {
      if (side.values[i] <= side.values[i - 1]) return Status::Damaged;
    }
    if (side.count == 0) return Status::Damaged;
    const std::unique_ptr<W[]> word_of(new (std::nothrow) W[side.count + 1]);
    if (!word_of) return Status::NoMemory;
    for (std::size_t i = 0; i < side.count; ++i) word_of[i] = Step::word(side.values[i]);
    int damaged = 0;
    in_parts(n, kUnit, parts_of(n, threads),
             [&, word_of = word_of.get()](std::size_t, std::size_t begin, std::size_t end) {
               const std::size_t last = side.count - 1;
               W most = 0;
               for (std::size_t i = begin; i < end; ++i) {
                 const W rank = load(words, i);
                 most = rank > most ? rank : most;
                 store(words, i, word_of[rank < last ? std::size_t(rank) : last]);
               }
               if (most > last) __atomic_store_n(&damaged, 1, __ATOMIC_RELAXED);
             });
    return damaged ? Status::Damaged : Status::Ok;
  }
};

}  // namespace fpsynth::codec
