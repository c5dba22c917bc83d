#pragma once
// The distinct words of an input, in a table.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>

#include "runners/codec/cpu/steps/step_driver.hpp"

namespace fpsynth::codec {

/// Gives every distinct word a number, its slot in a table: open addressing, linear probing. A slot
/// holds a word and nothing else, so that as many as possible fit in a cache. All threads share the
/// table: each would meet most of the words. Words that crowd the table, as only words do that were
/// chosen for it, get another hash than the usual one. Level: as for WordParts.
template <class Level, class W>
class WordTable : WordParts<Level, W> {
  using Parts = WordParts<Level, W>;

 public:
  WordTable() = default;
  WordTable(const WordTable&) = delete;
  WordTable& operator=(const WordTable&) = delete;
  ~WordTable() { std::free(slots_); }

  /// Stores the slots of the `n` words at `in` to `out`, which may be `in`, on as many threads as
  /// parts. To be called once. Returns false without memory.
  bool number(const std::byte* in, std::byte* out, std::size_t n, std::size_t parts) {
    n_ = n;
    parts_ = parts;
    const std::unique_ptr<std::size_t[]> done(new (std::nothrow) std::size_t[parts]());
    if (!done || !grow(out, done.get())) return false;
    for (std::size_t left = parts; left > 0;) {
      // Threads stop when they have added what the table has room for, each its share of it.
      const std::size_t share = (most_ - count_) / left;
      left = 0;
      Parts::in_parts(
          n, Parts::kUnit, parts, [&](std::size_t part, std::size_t begin, std::size_t end) {
            std::size_t added = 0;
            const std::size_t next = number_some(in, out, begin + done[part], end, share, added);
            done[part] = next - begin;
            __atomic_fetch_add(&count_, added, __ATOMIC_RELAXED);
            if (next < end) __atomic_fetch_add(&left, std::size_t{1}, __ATOMIC_RELAXED);
          });
      const bool full = most_ - count_ <= most_ / 8 + left;
      if (left > 0 && (crowded_ || full) && !grow(out, done.get())) return false;
    }
    return true;
  }

  /// Distinct words.
  std::size_t count() const { return count_; }
  std::size_t slots() const { return slots_count_; }
  /// The number of words that have slots from `begin` to `end`.
  std::size_t count(std::size_t begin, std::size_t end) const {
    std::size_t found = begin == 0 && slots_[0] == 0;
    for (std::size_t at = begin > 0 ? begin : 1; at < end; ++at) found += slots_[at] != 0;
    return found;
  }
  /// Stores f(word, slot) for these words to `out`, and something behind the last one.
  template <class T, class F>
  void list(std::size_t begin, std::size_t end, T* out, F f) const {
    if (begin == 0) {
      *out = f(W{0}, W{0});
      out += slots_[0] == 0;
    }
    for (std::size_t at = begin > 0 ? begin : 1; at < end; ++at) {
      *out = f(slots_[at], W(at));
      out += slots_[at] != 0;
    }
  }

  /// Replaces the word of a slot from list() by any value, which replace() then stores.
  void set(W slot, W value) { slots_[std::size_t(slot)] = value; }
  /// Replaces the slots words[begin..end) by what set() put into them.
  void replace(std::byte* words, std::size_t begin, std::size_t end) const {
    replace(slots_, words, begin, end);
  }

 private:
  /// 2^64 over the golden ratio: it spreads words that are at equal distances, too.
  static constexpr std::uint64_t kUsualFactor = 0x9e3779b97f4a7c15u;
  static std::size_t hash(W word, std::uint64_t factor, unsigned shift) {
    return std::size_t((std::uint64_t{word} * factor) >> shift);
  }
  /// A factor that nobody knew who chose the words: odd, and with the highest bit, so that the word
  /// 1 is not looked for in the first slot.
  static std::uint64_t unforeseen_factor(const void* memory) {
    const auto mixed = [](std::uint64_t bits) {
      bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
      bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
      return bits ^ bits >> 31;
    };
    std::timespec now{};
    static_cast<void>(std::timespec_get(&now, TIME_UTC));
    const std::uint64_t where = mixed(reinterpret_cast<std::uintptr_t>(memory));
    const std::uint64_t when =
        mixed(std::uint64_t(now.tv_sec) + where) + std::uint64_t(now.tv_nsec);
    return mixed(when) | std::uint64_t{1} << 63 | 1;
  }
  /// The farthest place of a word from the one where it is looked for first, and the most factors
  /// that are tried. Tables are at most a third full: with a factor that the words were not chosen
  /// for, no word is half as far.
  static constexpr std::size_t kFarthest = 128;
  static constexpr unsigned kMostFactors = 8;

  static constexpr std::size_t kFirstSlots = 4096;
  // The place where the word 1 is looked for.
  static_assert(kUsualFactor / (UINT64_MAX / kFirstSlots + 1) > 0);
  /// A slot is stored as a word.
  static constexpr std::size_t kMostSlots = std::size_t{1} << (sizeof(W) == 4 ? 32 : 60);
  /// The fewer slots are taken, the fewer words are elsewhere than where they are looked for first,
  /// which costs a branch that no processor foresees. But tables should fit in a core's caches, and
  /// one that is large beside the words costs more pages than it saves branches.
  static constexpr std::size_t kSlotsPerWord = 3, kSlotsPerWordInCache = 8;
  static constexpr std::size_t kBytesInCache = std::size_t{1} << 20;
  static constexpr std::size_t kWordsPerSlotInCache = 4;
  /// Smaller tables are soon outgrown, and grow by more.
  static constexpr std::size_t kSmall = std::size_t{1} << 15;

  W in_slot(std::size_t at) const { return __atomic_load_n(slots_ + at, __ATOMIC_RELAXED); }

  /// Stores the slots of in[i..end) until `share` words have been added or more, or the table is
  /// crowded, and returns where it stopped.
  std::size_t number_some(const std::byte* in, std::byte* out, std::size_t i, std::size_t end,
                          std::size_t share, std::size_t& added) {
    W* const slots = slots_;
    const std::uint64_t factor = factor_;
    const unsigned shift = shift_;
    while (added < share && !__atomic_load_n(&crowded_, __ATOMIC_RELAXED)) {
      // Mostly, a word is where it is looked for first.
      for (; i < end; ++i) {
        const W word = Parts::load(in, i);
        const std::size_t at = hash(word, factor, shift);
        if (__atomic_load_n(slots + at, __ATOMIC_RELAXED) != word) break;
        Parts::store(out, i, W(at));
      }
      if (i == end) break;
      Parts::store(out, i, W(find_or_add(Parts::load(in, i), added)));
      ++i;
    }
    return i;
  }

  /// 0 is an empty slot, so that the first slot is for the word 0 alone. It holds 0 if that word
  /// has been found, and else 1, a word that is looked for elsewhere in every table.
  std::size_t find_or_add(W word, std::size_t& added) {
    if (word == 0) {
      if (in_slot(0) != 0 && take(0, W{1}, word) == 1) ++added;
      return 0;
    }
    const std::size_t last = slots_count_ - 1;
    std::size_t first = hash(word, factor_, shift_);
    if (first == 0) first = 1;
    std::size_t at = first;
    for (;; at = at == last ? 1 : at + 1) {
      W found = in_slot(at);
      if (found == 0) {
        found = take(at, W{0}, word);
        if (found == 0) {
          ++added;
          break;
        }
      }
      if (found == word) break;
    }
    if (((at - first) & last) > kFarthest && factors_ < kMostFactors && slots_count_ < kMostSlots) {
      __atomic_store_n(&crowded_, true, __ATOMIC_RELAXED);
    }
    return at;
  }
  /// Puts a word into a slot if this still holds `before`. Returns what it held.
  W take(std::size_t at, W before, W word) {
    if (parts_ == 1) {
      slots_[at] = word;
    } else {
      __atomic_compare_exchange_n(slots_ + at, &before, word, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED);
    }
    return before;
  }

  /// Makes the table larger, or the first one, or puts its words elsewhere if it is crowded, and
  /// what each part has of its words in `out`.
  bool grow(std::byte* out, const std::size_t* done) {
    const std::size_t before = slots_count_;
    const std::size_t slots = crowded_          ? before
                              : before == 0     ? kFirstSlots
                              : before < kSmall ? 8 * before
                                                : 2 * before;
    if (slots > kMostSlots) return false;
    W* const old = slots_;
    W* const larger = static_cast<W*>(std::calloc(slots, sizeof(W)));
    if (!larger) return false;
    if (crowded_) {
      factor_ = unforeseen_factor(larger);
      ++factors_;
      crowded_ = false;
    }
    slots_ = larger;
    slots_count_ = slots;
    shift_ = unsigned(64 - __builtin_ctzll(slots));
    const bool in_cache = slots * sizeof(W) <= kBytesInCache && slots <= n_ / kWordsPerSlotInCache;
    most_ =
        slots == kMostSlots ? slots - 1 : slots / (in_cache ? kSlotsPerWordInCache : kSlotsPerWord);
    if (!old) {
      slots_[0] = 1;
      return true;
    }
    slots_[0] = old[0];
    Parts::in_parts(before, Parts::kUnit, Parts::parts_of(before, int(parts_)),
                    [&](std::size_t, std::size_t begin, std::size_t end) {
                      std::size_t added = 0;
                      for (std::size_t at = begin > 0 ? begin : 1; at < end; ++at) {
                        if (old[at] != 0) old[at] = W(find_or_add(old[at], added));
                      }
                    });
    Parts::in_parts(n_, Parts::kUnit, parts_,
                    [&](std::size_t part, std::size_t begin, std::size_t) {
                      replace(old, out, begin, begin + done[part]);
                    });
    std::free(old);
    return true;
  }

  static void replace(const W* slots, std::byte* words, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Parts::store(words, i, slots[std::size_t(Parts::load(words, i))]);
    }
  }

  W* slots_ = nullptr;
  std::size_t slots_count_ = 0, count_ = 0, most_ = 0, n_ = 0, parts_ = 1;
  std::uint64_t factor_ = kUsualFactor;
  unsigned shift_ = 0, factors_ = 1;
  bool crowded_ = false;
};

/// The same of words of 2 bytes and of 1, which are their own slots.
template <class Level, class W>
requires(sizeof(W) < 4) class WordTable<Level, W> : WordParts<Level, W> {
  using Parts = WordParts<Level, W>;

 public:
  bool number(const std::byte* in, std::byte* out, std::size_t n, std::size_t parts) {
    found_.reset(new (std::nothrow) bool[kSlots]());
    values_.reset(new (std::nothrow) W[kSlots]);
    if (!found_ || !values_) return false;
    Parts::in_parts(n, Parts::kUnit, parts, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const W word = Parts::load(in, i);
        __atomic_store_n(&found_[word], true, __ATOMIC_RELAXED);
        Parts::store(out, i, word);
      }
    });
    return true;
  }
  std::size_t count() const { return count(0, kSlots); }
  std::size_t slots() const { return kSlots; }
  std::size_t count(std::size_t begin, std::size_t end) const {
    std::size_t found = 0;
    for (std::size_t at = begin; at < end; ++at) found += found_[at];
    return found;
  }
  template <class T, class F>
  void list(std::size_t begin, std::size_t end, T* out, F f) const {
    for (std::size_t at = begin; at < end; ++at) {
      *out = f(W(at), W(at));
      out += found_[at];
    }
  }
  void set(W slot, W value) { values_[slot] = value; }
  void replace(std::byte* words, std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      Parts::store(words, i, values_[Parts::load(words, i)]);
    }
  }

 private:
  static constexpr std::size_t kSlots = std::size_t{1} << 8 * sizeof(W);

  std::unique_ptr<bool[]> found_;
  std::unique_ptr<W[]> values_;
};

}  // namespace fpsynth::codec
