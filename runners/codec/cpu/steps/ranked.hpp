#pragma once
// Steps that replace words by their ranks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "runners/codec/cpu/steps/step_driver.hpp"
#include "runners/codec/cpu/steps/word_table.hpp"
#include "runners/codec/format/side_data.hpp"

namespace fpsynth::codec {

/// The keys of the words in a WordTable, ascending, with their slots. Level: as for WordParts.
template <class Level, class W>
class KeyedSlots : WordParts<Level, W> {
  using Parts = WordParts<Level, W>;

 public:
  struct Item {
    W key, slot;
  };

  /// key(word): what to sort by. To be called once. Returns false without memory.
  template <class Key>
  bool sort(const WordTable<Level, W>& table, int threads, Key key) {
    const std::size_t count = Parts::parts_of(table.slots(), threads);
    const std::size_t room = table.count() + count;
    items_.reset(new (std::nothrow) Item[room]);
    std::unique_ptr<Item[]> other(new (std::nothrow) Item[room]);
    const std::unique_ptr<Run[]> runs(new (std::nothrow) Run[count]);
    if (!items_ || !other || !runs) return false;
    const auto of_slots = [&](const auto& work) {
      Parts::in_parts(table.slots(), Parts::kUnit, count, work);
    };
    of_slots([&](std::size_t run, std::size_t begin, std::size_t end) {
      runs[run].count = table.count(begin, end);
    });
    // Behind each run there is room for what list() stores there.
    runs[0].begin = 0;
    for (std::size_t run = 1; run < count; ++run) {
      runs[run].begin = runs[run - 1].begin + runs[run - 1].count + 1;
    }
    int failed = 0;
    of_slots([&](std::size_t run, std::size_t begin, std::size_t end) {
      Item* const items = items_.get() + runs[run].begin;
      table.list(begin, end, items, [key](W word, W slot) { return Item{key(word), slot}; });
      if (!sort_run(items, other.get() + runs[run].begin, runs[run].count)) {
        __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
      }
    });
    if (failed) return false;
    for (std::size_t step = 1; step < count; step *= 2) {
      const std::size_t pairs = (count + 2 * step - 1) / (2 * step);
      Parts::in_parts(pairs, 1, pairs, [&](std::size_t pair, std::size_t, std::size_t) {
        Run& run = runs[2 * step * pair];
        const std::size_t second = 2 * step * pair + step;
        const Run next = second < count ? runs[second] : Run{0, 0};
        merge(items_.get() + run.begin, run.count, items_.get() + next.begin, next.count,
              other.get() + run.begin);
        run.count += next.count;
      });
      items_.swap(other);
    }
    return true;
  }

  const Item& operator[](std::size_t i) const { return items_[i]; }

 private:
  struct Run {
    std::size_t begin, count;
  };

  /// Sorts items[0..count); `other` has room for as many. Returns false without memory.
  ///
  /// By radix, from the lowest digit on: comparing keys that are in no order is a branch that goes
  /// either way, which no processor foresees.
  static bool sort_run(Item* items, Item* other, std::size_t count) {
    constexpr std::size_t kFew = 512;  // not worth the counts
    if (count < kFew) {
      std::sort(items, items + count, [](const Item& a, const Item& b) { return a.key < b.key; });
      return true;
    }
    // Three digits of 4-byte words, six of 8 bytes; the counts of one stay in the first cache.
    constexpr unsigned kDigitBits = 11;
    constexpr std::size_t kValues = std::size_t{1} << kDigitBits;
    constexpr unsigned kDigits = (8 * sizeof(W) + kDigitBits - 1) / kDigitBits;
    const auto digit_of = [](const Item& item, unsigned digit) {
      return std::size_t(item.key >> (digit * kDigitBits)) % kValues;
    };
    const std::unique_ptr<std::size_t[]> counts(new (std::nothrow)
                                                    std::size_t[kDigits * kValues]());
    if (!counts) return false;
    for (std::size_t i = 0; i < count; ++i) {
      for (unsigned digit = 0; digit < kDigits; ++digit) {
        ++counts[digit * kValues + digit_of(items[i], digit)];
      }
    }
    Item *from = items, *to = other;
    for (unsigned digit = 0; digit < kDigits; ++digit) {
      std::size_t* const next = counts.get() + digit * kValues;
      if (next[digit_of(from[0], digit)] == count) continue;  // the same everywhere
      std::size_t sum = 0;
      for (std::size_t value = 0; value < kValues; ++value) {
        const std::size_t here = next[value];
        next[value] = sum;
        sum += here;
      }
      for (std::size_t i = 0; i < count; ++i) to[next[digit_of(from[i], digit)]++] = from[i];
      Item* const swapped = from;
      from = to;
      to = swapped;
    }
    if (from != items) std::memcpy(items, from, count * sizeof(Item));
    return true;
  }

  /// Merges two ascending runs, without branches on keys.
  static void merge(const Item* a, std::size_t a_count, const Item* b, std::size_t b_count,
                    Item* out) {
    std::size_t i = 0, j = 0;
    while (i < a_count && j < b_count) {
      const bool second = b[j].key < a[i].key;
      out[i + j] = *(second ? b + j : a + i);
      j += second;
      i += !second;
    }
    if (i < a_count) std::memcpy(out + i + j, a + i, (a_count - i) * sizeof(Item));
    if (j < b_count) std::memcpy(out + i + j, b + j, (b_count - j) * sizeof(Item));
  }

  std::unique_ptr<Item[]> items_;
};

template <class Level, class W, class Step>
requires(Step::shape == preludes::Shape::Ranked) class ShapeDriver<Level, W, Step>
    : WordParts<Level, W> {
  using Parts = WordParts<Level, W>;

 public:
  static Status forward(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t,
                        int threads, SideData<W>& side) {
    const std::size_t parts = Parts::parts_of(n, threads);
    WordTable<Level, W> table;
    KeyedSlots<Level, W> items;
    std::size_t capacity = 0;
    if (!table.number(in, out, n, parts) ||
        !items.sort(table, threads, [](W word) { return Step::key(word); }) ||
        !reserve<Level>(side, capacity, table.count(), false)) {
      return Status::NoMemory;
    }
    const std::size_t words = side.count = table.count();
    Parts::each_part(words, threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        side.values[i] = items[i].key;
        table.set(items[i].slot, W(i));
      }
    });
    Parts::in_parts(n, Parts::kUnit, parts, [&](std::size_t, std::size_t begin, std::size_t end) {
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
    Parts::each_part(n, threads, [&, word_of = word_of.get()](std::size_t begin, std::size_t end) {
      const std::size_t last = side.count - 1;
      W most = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const W rank = Parts::load(words, i);
        most = rank > most ? rank : most;
        Parts::store(words, i, word_of[rank < last ? std::size_t(rank) : last]);
      }
      if (most > last) __atomic_store_n(&damaged, 1, __ATOMIC_RELAXED);
    });
    return damaged ? Status::Damaged : Status::Ok;
  }
};

}  // namespace fpsynth::codec
