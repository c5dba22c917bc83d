#pragma once
// Copies that leave the words, and the segments that bring them back, in the host's memory.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "components/preludes/match.hpp"
#include "components/preludes/shape.hpp"
#include "runners/codec/format/side_data.hpp"
#include "runners/codec/format/status.hpp"

namespace fpsynth::codec {

/// The numbers of copies, in three lists (SideData). Level: a type of its own for each instruction
/// set, so that objects compiled for different ones share no function.
template <class Level>
class CopyLists {
 public:
  CopyLists() = default;
  CopyLists(const CopyLists&) = delete;
  CopyLists& operator=(const CopyLists&) = delete;
  ~CopyLists() { std::free(numbers_); }

  /// Memory for so many copies; false if there is none.
  bool allocate(std::size_t capacity) {
    capacity_ = capacity;
    numbers_ = static_cast<std::uint32_t*>(std::malloc(3 * capacity * sizeof(std::uint32_t)));
    return numbers_ != nullptr;
  }
  /// Adds a copy of so many words behind so many literals, of those from `source` on.
  void add(std::size_t literals, std::size_t words, std::size_t source) {
    numbers_[count_] = std::uint32_t(literals);
    numbers_[2 * capacity_ + count_] = std::uint32_t(copied_ - source);
    copied_ += words;
    numbers_[capacity_ + count_] = std::uint32_t(copied_);
    ++count_;
  }
  /// Gives memory and numbers away.
  template <class W>
  void give(SideData<W>& side) {
    // The lists move to where the first one ends.
    for (std::size_t list = 1; list < 3; ++list) {
      std::memmove(numbers_ + list * count_, numbers_ + list * capacity_,
                   count_ * sizeof(std::uint32_t));
    }
    side.selectors = numbers_;
    side.selector_words = 3 * count_;
    numbers_ = nullptr;
  }

 private:
  std::uint32_t* numbers_ = nullptr;  ///< of each of the three lists, `capacity_`
  std::size_t capacity_ = 0, count_ = 0, copied_ = 0;
};

/// Takes the copies out of words of type W, which need not be aligned. Step: of the shape Matched.
template <class Level, class W, class Step>
class CopyTaker {
 public:
  /// Writes the literals of the `n` words at `in` to `out`, which may be `in`, and zeros behind
  /// them, `n` words together, and sets the numbers of `side`. Ok, or NoMemory.
  static Status run(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t,
                    SideData<W>& side) {
    const Anchor anchor(n);
    const std::unique_ptr<std::uint32_t[]> table(new (std::nothrow)
                                                     std::uint32_t[anchor.slots()]());
    CopyLists<Level> lists;
    if (!table || !lists.allocate(n / Step::kShortest + 1)) return Status::NoMemory;
    CopyTaker taker(in, out, n, table.get(), anchor, lists);
    taker.take();
    lists.give(side);
    return Status::Ok;
  }

 private:
  using Anchor = typename Step::Anchor;

  CopyTaker(const std::byte* in, std::byte* out, std::size_t n, std::uint32_t* table, Anchor anchor,
            CopyLists<Level>& lists)
      : in_(in), out_(out), n_(n), table_(table), anchor_(anchor), lists_(lists) {}

  void take() {
    const std::size_t most = n_ < Step::kMost ? n_ : std::size_t(Step::kMost);
    for (std::size_t begin = 0; begin + Step::kAnchorWords <= most; begin += kBlock) {
      const std::size_t last = most - Step::kAnchorWords + 1;
      const std::size_t end = last - begin < kBlock ? last : begin + kBlock;
      if (done_ < end) take(done_ > begin ? done_ : begin, end, most);
    }
    keep_until(n_);
    std::memset(out_ + literals_ * sizeof(W), 0, (n_ - literals_) * sizeof(W));
  }
  /// Looks at anchors that begin at in[i..end), for copies that end before `most`.
  void take(std::size_t i, std::size_t end, std::size_t most) {
    std::uint64_t hashes[kBlock];
    const std::size_t first = i;
    for (std::size_t j = 0; j < end - first; ++j) {
      const std::byte* const at = in_ + first * sizeof(W);
      hashes[j] = Anchor::hash(load(at, j), load(at, j + 1), load(at, j + 2));
    }
    while (i < end) {
      const std::uint64_t hash = hashes[i - first];
      if (anchor_.is(hash)) {
        keep_until(i);
        std::uint32_t& source = table_[anchor_.slot(hash)];
        if (is_copy(i, most, source)) {
          i = done_;
          continue;
        }
        source = std::uint32_t(literals_);
      }
      ++i;
    }
  }

  /// The words before `i` that are not done are literals.
  void keep_until(std::size_t i) {
    std::byte* const to = out_ + literals_ * sizeof(W);
    const std::byte* const from = in_ + done_ * sizeof(W);
    if (to != from) std::memmove(to, from, (i - done_) * sizeof(W));
    literals_ += i - done_;
    done_ = i;
  }
  /// Extends what the word `i` and the literal `source` have in common both ways. True if it is
  /// long enough, and then done.
  bool is_copy(std::size_t i, std::size_t end, std::size_t source) {
    if (source >= literals_) return false;
    const std::size_t before = literals_ - source;
    const std::size_t ahead = common(source, i, before < end - i ? before : end - i);
    // Literals that become part of the copy are none any more: they must not be its source.
    std::size_t most = before - ahead < source ? before - ahead : source;
    if (literals_ - first_ < most) most = literals_ - first_;
    std::size_t behind = 0;
    while (behind < most && load(out_, source - behind - 1) == load(out_, literals_ - behind - 1)) {
      ++behind;
    }
    if (ahead + behind < Step::kShortest) return false;
    literals_ -= behind;
    lists_.add(literals_, ahead + behind, source - behind);
    first_ = literals_;
    done_ = i + ahead;
    return true;
  }
  /// The number of equal words, up to `most`, from a literal and from a word on.
  std::size_t common(std::size_t literal, std::size_t i, std::size_t most) const {
    const std::byte* const a = out_ + literal * sizeof(W);
    const std::byte* const b = in_ + i * sizeof(W);
    constexpr std::size_t kGroup = 32;
    std::size_t count = 0;
    while (most - count >= kGroup &&
           std::memcmp(a + count * sizeof(W), b + count * sizeof(W), kGroup * sizeof(W)) == 0) {
      count += kGroup;
    }
    while (count < most && load(a, count) == load(b, count)) ++count;
    return count;
  }

  static W load(const std::byte* words, std::size_t i) {
    W word;
    std::memcpy(&word, words + i * sizeof(W), sizeof(W));
    return word;
  }

  static constexpr std::size_t kBlock = 1024;

  const std::byte* in_;
  std::byte* out_;
  std::size_t n_, done_ = 0;
  std::size_t literals_ = 0, first_ = 0;  ///< all, and those before the end of the latest copy
  std::uint32_t* table_;                  ///< latest literals with anchors
  Anchor anchor_;
  CopyLists<Level>& lists_;
};

/// The segments of side data. Level and Step as for CopyTaker.
template <class Level, class Step>
class Segments {
 public:
  using Segment = preludes::Match::Segment;

  /// Of numbers[0..numbers_count), which may be anything, for `n` words in records of so many. Ok,
  /// NoMemory, or Damaged if CopyTaker gives no such numbers.
  Status read(const std::uint32_t* numbers, std::size_t numbers_count, std::uint64_t n,
              std::uint64_t record) {
    const std::size_t copies = numbers_count / 3;
    if (numbers_count % 3 != 0 || copies > n / Step::kShortest) return Status::Damaged;
    segments_.reset(new (std::nothrow) Segment[copies + 1]);
    if (!segments_) return Status::NoMemory;
    segments_[0] = {};
    count_ = 1;
    std::uint32_t literals = 0, copied = 0;
    for (std::size_t i = 0; i < copies; ++i) {
      const std::uint32_t literals_now = numbers[i], copied_now = numbers[copies + i];
      const std::uint32_t length = copied_now - copied, source = copied - numbers[2 * copies + i];
      if (literals_now < literals || copied_now < copied || length < Step::kShortest ||
          length % record != 0 || std::uint64_t{source} + length > literals_now ||
          std::uint64_t{literals_now} + copied_now > n) {
        return Status::Damaged;
      }
      segments_[count_++] = {std::uint64_t{literals_now} + copied, copied_now, length, source};
      literals = literals_now;
      copied = copied_now;
    }
    literals_ = n - copied;
    return Status::Ok;
  }

  /// One more than there are copies: the first one is of the words before the first copy.
  const Segment* data() const { return segments_.get(); }
  std::size_t count() const { return count_; }
  std::uint64_t literals() const { return literals_; }

 private:
  std::unique_ptr<Segment[]> segments_;
  std::size_t count_ = 0;
  std::uint64_t literals_ = 0;
};

}  // namespace fpsynth::codec
