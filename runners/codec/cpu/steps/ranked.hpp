#pragma once
// Steps that replace words by their ranks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "runners/codec/cpu/steps/reserve.hpp"
#include "runners/codec/cpu/steps/step_driver.hpp"

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
    const std::unique_ptr<Numbers[]> numbers(new (std::nothrow) Numbers[parts]);
    if (!numbers) return Status::NoMemory;
    int failed = 0;
    in_parts(n, kUnit, parts, [&](std::size_t part, std::size_t begin, std::size_t end) {
      if (!numbers[part].number(in, out, begin, end)) {
        __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
      }
    });
    std::size_t capacity = 0, count = 0;
    for (std::size_t part = 0; part < parts; ++part) count += numbers[part].words.data.count;
    if (failed || !reserve<Level>(side, capacity, count, false)) return Status::NoMemory;
    for (std::size_t part = 0; part < parts; ++part) {
      const SideData<W>& from = numbers[part].words.data;
      for (std::size_t i = 0; i < from.count; ++i) {
        side.values[side.count++] = Step::key(from.values[i]);
      }
    }
    const auto less = [](W a, W b) { return a < b; };  // a type of this level's
    std::sort(side.values, side.values + side.count, less);
    side.count = std::size_t(
        std::unique(side.values, side.values + side.count, [](W a, W b) { return a == b; }) -
        side.values);
    // Each part's words become their ranks, through which its numbers are replaced.
    in_parts(n, kUnit, parts, [&](std::size_t part, std::size_t begin, std::size_t end) {
      const SideData<W>& mine = numbers[part].words.data;
      for (std::size_t i = 0; i < mine.count; ++i) {
        const W* const found = std::lower_bound(side.values, side.values + side.count,
                                                Step::key(mine.values[i]), less);
        mine.values[i] = W(found - side.values);
      }
      for (std::size_t i = begin; i < end; ++i) {
        store(out, i, mine.values[std::size_t(load(out, i))]);
      }
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

 private:
  /// Numbers the distinct words of a part in the order of their first appearance: open addressing,
  /// linear probing.
  class Numbers {
   public:
    Numbers() = default;
    Numbers(const Numbers&) = delete;
    Numbers& operator=(const Numbers&) = delete;
    ~Numbers() { std::free(slots_); }

    /// Stores the numbers of in[begin..end) to `out`. Returns false without memory.
    bool number(const std::byte* in, std::byte* out, std::size_t begin, std::size_t end) {
      if (!slots_ && !grow()) return false;
      for (std::size_t i = begin; i < end;) {
        // Mostly, a word is where it is looked for first.
        const Slot* const slots = slots_;
        const unsigned shift = shift_;
        for (; i < end; ++i) {
          const W word = load(in, i);
          const Slot& slot = slots[hash(word, shift)];
          if (slot.word != word || slot.number == 0) break;
          store(out, i, W(slot.number - 1));
        }
        if (i == end) break;
        std::uint32_t number = 0;
        if (!find_or_add(load(in, i), number)) return false;
        store(out, i, W(number));
        ++i;
      }
      return true;
    }

    SideMemory<W> words;

   private:
    /// Numbers are stored plus one; 0 is an empty slot.
    struct Slot {
      W word;
      std::uint32_t number;
    };
    static std::size_t hash(W word, unsigned shift) {
      return std::size_t((std::uint64_t{word} * 0x9e3779b97f4a7c15u) >> shift);
    }
    /// Few slots are taken, so that few words are not where they are looked for first.
    static constexpr std::size_t kSlotsPerWord = 4;

    bool find_or_add(W word, std::uint32_t& number) {
      std::size_t at = hash(word, shift_);
      while (slots_[at].number != 0 && slots_[at].word != word) at = (at + 1) & (slots_count_ - 1);
      if (slots_[at].number != 0) {
        number = slots_[at].number - 1;
        return true;
      }
      const std::size_t count = words.data.count;
      if (count >= UINT32_MAX - 1 || !reserve<Level>(words.data, capacity_, count + 1, false)) {
        return false;
      }
      number = std::uint32_t(count);
      words.data.values[words.data.count++] = word;
      slots_[at] = {word, number + 1};
      return kSlotsPerWord * words.data.count < slots_count_ || grow();
    }
    bool grow() {
      const std::size_t count = slots_count_ ? 2 * slots_count_ : 4096;
      Slot* const slots = static_cast<Slot*>(std::calloc(count, sizeof(Slot)));
      if (!slots) return false;
      std::free(slots_);
      slots_ = slots;
      slots_count_ = count;
      shift_ = unsigned(64 - __builtin_ctzll(count));
      for (std::size_t i = 0; i < words.data.count; ++i) {
        std::size_t at = hash(words.data.values[i], shift_);
        while (slots_[at].number != 0) at = (at + 1) & (slots_count_ - 1);
        slots_[at] = {words.data.values[i], std::uint32_t(i + 1)};
      }
      return true;
    }

    Slot* slots_ = nullptr;
    std::size_t slots_count_ = 0, capacity_ = 0;
    unsigned shift_ = 0;
  };
};

}  // namespace fpsynth::codec
