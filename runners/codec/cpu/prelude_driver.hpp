#pragma once
// The steps of preludes on the CPU, by their shapes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "components/preludes/registry.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "runners/codec/format/side_data.hpp"
#include "runners/codec/format/status.hpp"

namespace fpsynth::codec {

/// Runs steps on words of type W, which need not be aligned. Level: a type of its own for each
/// instruction set, so that objects compiled for different ones share no function. `threads`: 1 or
/// more. Nothing throws; the functions return Ok, NoMemory or Damaged.
template <class Level, class W>
class PreludeDriver {
 public:
  /// Maps the `n` words at `in` to `out`, which may be `in`, and sets `side`, which must be empty,
  /// to what it takes out.
  static Status forward(std::uint8_t kind, const std::byte* in, std::byte* out, std::size_t n,
                        std::uint64_t parameter, int threads, SideData<W>& side) {
    if (n == 0) return Status::Ok;
    Status status = Status::BadCall;
    preludes::with_step(kind, [&]<class Step>() {
      if constexpr (Step::shape == preludes::Shape::Lagged) {
        status = difference<Step>(in, out, n, parameter, threads);
      } else if constexpr (Step::shape == preludes::Shape::Mapped) {
        status = map(in, out, n, threads, [](W word) { return Step::forward(word); });
      } else if constexpr (Step::shape == preludes::Shape::Ranked) {
        status = rank<Step>(in, out, n, threads, side);
      } else {
        status = except<Step>(in, out, n, parameter, threads, side);
      }
    });
    return status;
  }

  /// Restores `n` words in place. Words and side data may be anything; Damaged if forward() cannot
  /// have given them.
  static Status backward(std::uint8_t kind, std::byte* words, std::size_t n,
                         std::uint64_t parameter, int threads, const SideData<W>& side) {
    if (n == 0) return side.count == 0 ? Status::Ok : Status::Damaged;
    Status status = Status::BadCall;
    preludes::with_step(kind, [&]<class Step>() {
      if constexpr (Step::shape == preludes::Shape::Lagged) {
        status = sum<Step>(words, n, parameter, threads);
      } else if constexpr (Step::shape == preludes::Shape::Mapped) {
        status = map(words, words, n, threads, [](W word) { return Step::backward(word); });
      } else if constexpr (Step::shape == preludes::Shape::Ranked) {
        status = look_up<Step>(words, n, threads, side);
      } else {
        status = insert<Step>(words, n, parameter, threads, side);
      }
    });
    return status;
  }

 private:
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
  /// Where part `index` of `parts` begins; parts begin at multiples of `unit`, below n.
  static std::size_t part_begin(std::size_t n, std::size_t unit, std::size_t parts,
                                std::size_t index) {
    const std::size_t begin = (n + unit - 1) / unit * index / parts * unit;
    return begin < n ? begin : n;
  }
  /// Calls work(part, begin, end) for each of the parts of 0..n, on as many threads if the system
  /// gives them.
  template <class Work>
  static void in_parts(std::size_t n, std::size_t unit, std::size_t parts, const Work& work) {
    std::size_t next = 0;
    const auto take = [&](std::size_t) {
      for (std::size_t part;
           (part = __atomic_fetch_add(&next, std::size_t{1}, __ATOMIC_RELAXED)) < parts;) {
        work(part, part_begin(n, unit, parts, part), part_begin(n, unit, parts, part + 1));
      }
    };
#if defined(FPSYNTH_THREADS)
    if (parts > 1) return on_threads(parts, take);
#endif
    take(0);
  }

  template <class F>
  static Status map(const std::byte* in, std::byte* out, std::size_t n, int threads, F f) {
    in_parts(n, kUnit, parts_of(n, threads), [=](std::size_t, std::size_t begin, std::size_t end) {
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

  // Lagged steps.

  template <class Step>
  static Status difference(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t lag,
                           int threads) {
    if (in == out) return difference_in_place<Step>(out, n, lag, threads);
    const std::size_t first = lag < n ? std::size_t(lag) : n;
    std::memcpy(out, in, first * sizeof(W));
    in_parts(n - first, kUnit, parts_of(n - first, threads),
             [=](std::size_t, std::size_t begin, std::size_t end) {
               // The compiler cannot know that `out` is apart from `in`.
               const std::byte* const now = in + (first + begin) * sizeof(W);
               const std::byte* const before = in + begin * sizeof(W);
               std::byte* const __restrict to = out + (first + begin) * sizeof(W);
               for (std::size_t i = 0; i < end - begin; ++i) {
                 store(to, i, Step::forward(load(now, i), load(before, i)));
               }
             });
    return Status::Ok;
  }

  /// From the last word to the first, so that the words before are still what they were.
  template <class Step>
  static Status difference_in_place(std::byte* words, std::size_t n, std::uint64_t parameter,
                                    int threads) {
    if (parameter >= n) return Status::Ok;
    const std::size_t lag = std::size_t(parameter);
    const std::size_t parts = parts_of(n - lag, threads);
    if (parts > 1 && lag / parts >= kColumns) {
      const std::size_t last_row = (n - 1) / lag * lag;
      in_parts(lag, kUnit, parts, [=](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t row = last_row; row > 0; row -= lag) {
          const std::size_t left = n - row;
          if (begin < left) {
            differences_back<Step>(words, row + begin, row + (end < left ? end : left),
                                   words + (row + begin - lag) * sizeof(W));
          }
        }
      });
      return Status::Ok;
    }
    // The words before a part belong to another one, which changes them.
    const std::unique_ptr<W[]> saved(new (std::nothrow) W[parts * lag]);
    if (!saved) return Status::NoMemory;
    for (std::size_t part = 1; part < parts; ++part) {
      std::memcpy(&saved[part * lag], words + part_begin(n - lag, kUnit, parts, part) * sizeof(W),
                  lag * sizeof(W));
    }
    in_parts(n - lag, kUnit, parts,
             [=, saved = saved.get()](std::size_t part, std::size_t begin, std::size_t end) {
               // Of words begin + lag..end + lag, the first `lag` have their words before in
               // `saved`.
               const std::size_t inner = end - begin < lag ? end : begin + lag;
               if (part == 0) {
                 differences_back<Step>(words, begin + lag, end + lag, words + begin * sizeof(W));
                 return;
               }
               differences_back<Step>(words, inner + lag, end + lag, words + inner * sizeof(W));
               differences_back<Step>(words, begin + lag, inner + lag,
                                      reinterpret_cast<const std::byte*>(saved + part * lag));
             });
    return Status::Ok;
  }
  /// words[i] = forward(words[i], before[i - begin]) for i in begin..end, the last one first.
  template <class Step>
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
    while (i-- > begin) store(words, i, Step::forward(load(words, i), load(before, i - begin)));
  }

  /// Combines each word of begin..end with the one `lag` before it, which is final by then. begin
  /// >= lag.
  template <class Step>
  static void accumulate(std::byte* words, std::size_t begin, std::size_t end, std::size_t lag) {
    if (carry_any<Step>(words, begin, end, lag, std::make_index_sequence<kMostCarried>())) return;
    for (; begin < end; begin += lag) {
      accumulate_row<Step>(words, begin, end - begin < lag ? end : begin + lag, lag);
    }
  }
  /// The same for at most `lag` words, by groups. Groups of all rows begin in the same columns, so
  /// that what is loaded is what was stored as one.
  template <class Step>
  static void accumulate_row(std::byte* words, std::size_t begin, std::size_t end,
                             std::size_t lag) {
    std::size_t i = begin;
    if (lag >= 64) {
      for (; end - i >= 64; i += 64) combine<Step, 64>(words, i, lag);
    }
    for (; end - i >= kMostCarried; i += kMostCarried) combine<Step, kMostCarried>(words, i, lag);
    for (; i < end; ++i) combine<Step, 1>(words, i, lag);
  }
  /// words[i..] = backward(words[i..], words[i - lag..]), a group of words at once.
  template <class Step, std::size_t Group>
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
  template <class Step, std::size_t... Lags>
  static bool carry_any(std::byte* words, std::size_t begin, std::size_t end, std::size_t lag,
                        std::index_sequence<Lags...>) {
    return ((lag == Lags + 1 && (carry<Step, Lags + 1>(words, begin, end), true)) || ...);
  }
  template <class Step, std::size_t Lag>
  static void carry(std::byte* words, std::size_t begin, std::size_t end) {
    W before[Lag];
    std::memcpy(before, words + (begin - Lag) * sizeof(W), sizeof before);
    std::size_t i = begin;
    for (; end - i >= Lag; i += Lag) {
      for (std::size_t j = 0; j < Lag; ++j) {
        before[j] = Step::backward(load(words, i + j), before[j]);
        store(words, i + j, before[j]);
      }
    }
    for (std::size_t j = 0; i + j < end; ++j) {
      store(words, i + j, Step::backward(load(words, i + j), before[j]));
    }
  }

  template <class Step>
  static Status sum(std::byte* words, std::size_t n, std::uint64_t parameter, int threads) {
    if (parameter >= n) return Status::Ok;
    const std::size_t lag = std::size_t(parameter);
    const std::size_t parts = parts_of(n - lag, threads);
    if (parts == 1) {
      accumulate<Step>(words, lag, n, lag);
      return Status::Ok;
    }
    if (lag / parts >= kColumns) {
      // Words of different columns, in rows of `lag` words, do not depend on one another.
      in_parts(lag, kUnit, parts, [=](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t row = lag; row < n; row += lag) {
          const std::size_t left = n - row;
          if (begin < left) {
            accumulate_row<Step>(words, row + begin, row + (end < left ? end : left), lag);
          }
        }
      });
      return Status::Ok;
    }
    return sum_in_two_passes<Step>(words, n, lag, parts);
  }

  /// Each part sums its own words; then the sums before a part are added to all of its words.
  template <class Step>
  static Status sum_in_two_passes(std::byte* words, std::size_t n, std::size_t lag,
                                  std::size_t parts) {
    const std::unique_ptr<W[]> sums(new (std::nothrow) W[parts * lag]);
    if (!sums) return Status::NoMemory;
    in_parts(n, lag, parts, [=](std::size_t, std::size_t begin, std::size_t end) {
      if (end - begin > lag) accumulate<Step>(words, begin + lag, end, lag);
    });
    // sums[part * lag + column]: of all words of the column before the part.
    for (std::size_t part = 1; part < parts; ++part) {
      const W* const before = sums.get() + (part - 1) * lag;
      W* const here = sums.get() + part * lag;
      const std::size_t end = part_begin(n, lag, parts, part);
      const bool any = end > part_begin(n, lag, parts, part - 1);
      for (std::size_t column = 0; column < lag; ++column) {
        // Parts end with a whole row, but the last one, which nothing follows.
        const W last = any && end % lag == 0 ? load(words, end - lag + column) : W{0};
        here[column] = part == 1 ? last : Step::backward(last, before[column]);
      }
    }
    in_parts(n, lag, parts,
             [=, sums = sums.get()](std::size_t part, std::size_t begin, std::size_t end) {
               if (part == 0) return;
               const W* const before = sums + part * lag;
               for (std::size_t i = begin; i < end;) {
                 for (std::size_t column = 0; column < lag && i < end; ++column, ++i) {
                   store(words, i, Step::backward(load(words, i), before[column]));
                 }
               }
             });
    return Status::Ok;
  }

  // Steps with exceptions.

  /// Doubles the capacity of `side` as long as it is less than `count`.
  static bool reserve(SideData<W>& side, std::size_t& capacity, std::size_t count, bool positions) {
    if (count <= capacity) return true;
    std::size_t larger = capacity ? capacity : 1024;
    while (larger < count) larger *= 2;
    void* const values = std::realloc(side.values, larger * sizeof(W));
    if (!values) return false;
    side.values = static_cast<W*>(values);
    if (positions) {
      void* const at = std::realloc(side.positions, larger * sizeof(std::uint64_t));
      if (!at) return false;
      side.positions = static_cast<std::uint64_t*>(at);
    }
    capacity = larger;
    return true;
  }

  template <class Step>
  static Status except(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t parameter,
                       int threads, SideData<W>& side) {
    const double scale = Step::scale(parameter);
    const std::size_t parts = parts_of(n, threads);
    const std::unique_ptr<SideMemory<W>[]> found(new (std::nothrow) SideMemory<W>[parts]);
    if (!found) return Status::NoMemory;
    int failed = 0;
    in_parts(n, kUnit, parts, [&](std::size_t part, std::size_t begin, std::size_t end) {
      SideData<W>& mine = found[part].data;
      std::size_t capacity = 0;
      for (std::size_t i = begin; i < end; i += kUnit) {
        const std::size_t length = end - i < kUnit ? end - i : kUnit;
        W words[kUnit] = {}, integers[kUnit];
        std::memcpy(words, in + i * sizeof(W), length * sizeof(W));
        W exceptions = 0;  // of the width of the words, for vectors
        for (std::size_t j = 0; j < kUnit; ++j) {
          exceptions = W(exceptions + W(!Step::forward(words[j], scale, integers[j])));
        }
        std::memcpy(out + i * sizeof(W), integers, length * sizeof(W));
        if (exceptions == 0) continue;
        if (!reserve(mine, capacity, mine.count + exceptions, true)) {
          __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
          return;
        }
        for (std::size_t j = 0; j < length; ++j) {
          if (Step::forward(words[j], scale, integers[j])) continue;
          mine.positions[mine.count] = i + j;
          mine.values[mine.count++] = words[j];
        }
      }
    });
    std::size_t capacity = 0, count = 0;
    for (std::size_t part = 0; part < parts; ++part) count += found[part].data.count;
    if (failed || !reserve(side, capacity, count, true)) return Status::NoMemory;
    for (std::size_t part = 0; part < parts; ++part) {
      const SideData<W>& from = found[part].data;
      if (from.count == 0) continue;
      std::memcpy(side.values + side.count, from.values, from.count * sizeof(W));
      std::memcpy(side.positions + side.count, from.positions, from.count * sizeof(std::uint64_t));
      side.count += from.count;
    }
    return Status::Ok;
  }

  template <class Step>
  static Status insert(std::byte* words, std::size_t n, std::uint64_t parameter, int threads,
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

  // Steps by rank.

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
      if (count >= UINT32_MAX - 1 || !reserve(words.data, capacity_, count + 1, false)) {
        return false;
      }
      number = std::uint32_t(count);
      words.data.values[words.data.count++] = word;
      slots_[at] = {word, number + 1};
      return kSlotsPerWord * words.data.count < slots_count_ || grow();
    }
    bool grow() {
      const std::size_t count = slots_count_ ? 4 * slots_count_ : 4096;
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

  template <class Step>
  static Status rank(const std::byte* in, std::byte* out, std::size_t n, int threads,
                     SideData<W>& side) {
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
    if (failed || !reserve(side, capacity, count, false)) return Status::NoMemory;
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

  template <class Step>
  static Status look_up(std::byte* words, std::size_t n, int threads, const SideData<W>& side) {
    for (std::size_t i = 1; i < side.count; ++i) {
      if (side.values[i] <= side.values[i - 1]) return Status::Damaged;
    }
    if (side.count == 0 && n > 0) return Status::Damaged;
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

  /// Words that are mapped together: parts begin at multiples of it.
  static constexpr std::size_t kUnit = 1024;
  /// Fewer columns are not worth a thread: its rows would be shorter than a page.
  static constexpr std::size_t kColumns = 4096 / sizeof(W);
};

}  // namespace fpsynth::codec
