#pragma once
// Copies of records in the opposite order, which leave the words.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "runners/codec/format/copies.hpp"
#include "runners/codec/format/side_data.hpp"
#include "runners/codec/format/status.hpp"

namespace fpsynth::codec {

template <class Level, class W, class Step>
requires(Step::kTurned) class CopyTaker<Level, W, Step> {
 public:
  /// As of other steps; `record` words are a record.
  static Status run(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t record,
                    SideData<W>& side) {
    const std::size_t words = n < Step::kMost ? n : std::size_t(Step::kMost);
    const auto records = std::size_t(words / record);
    const Slots slots(records);
    const std::unique_ptr<std::uint32_t[]> table(new (std::nothrow) std::uint32_t[slots.count()]());
    CopyLists<Level> lists;
    if (!table || !lists.allocate(n / Step::kShortest + 1)) return Status::NoMemory;
    CopyTaker taker(in, out, std::size_t(record), table.get(), slots, lists);
    taker.take(records);
    taker.keep(n * sizeof(W));
    std::memset(out + taker.end_, 0, n * sizeof(W) - taker.end_);
    lists.give(side);
    return Status::Ok;
  }

 private:
  using Slots = typename Step::Slots;

  CopyTaker(const std::byte* in, std::byte* out, std::size_t record, std::uint32_t* table,
            Slots slots, CopyLists<Level>& lists)
      : in_(in),
        out_(out),
        bytes_(record * sizeof(W)),
        table_(table),
        slots_(slots),
        lists_(lists) {}

  void take(std::size_t records) {
    for (std::size_t i = 0; i < records;) {
      std::uint32_t& slot = table_[slots_.slot(hash(i))];
      const std::size_t literals = (end_ + i * bytes_ - done_) / bytes_;
      // 0 stands for none.
      if (slot > 0 && slot <= literals) {
        keep(i * bytes_);
        if (const std::size_t ahead = copied(i, records, slot - 1, literals); ahead > 0) {
          i += ahead;
          done_ = i * bytes_;
          continue;
        }
      }
      slot = std::uint32_t(literals + 1);
      ++i;
    }
  }

  /// The bytes of `in` before `place` that are not done are literals.
  void keep(std::size_t place) {
    if (out_ + end_ != in_ + done_) std::memmove(out_ + end_, in_ + done_, place - done_);
    end_ += place - done_;
    done_ = place;
  }
  /// Extends both ways what the record `i` and the literal `source` begin. Returns the records from
  /// `i` on that are a copy; 0 if it is too short, else some literals before it may have become
  /// part of it.
  std::size_t copied(std::size_t i, std::size_t records, std::size_t source, std::size_t literals) {
    std::size_t ahead = 0, behind = 0;
    while (i + ahead < records && ahead <= source && same(in_, i + ahead, source - ahead)) {
      ++ahead;
    }
    // Literals that become part of the copy must not be its source.
    while (ahead > 0 && literals - behind > first_ && source + behind + 2 < literals - behind &&
           same(out_, literals - behind - 1, source + behind + 1)) {
      ++behind;
    }
    const std::size_t words = bytes_ / sizeof(W);
    if ((ahead + behind) * words < Step::kShortest) return 0;
    first_ = literals - behind;
    end_ = first_ * bytes_;
    lists_.add(first_ * words, (ahead + behind) * words, (source + 1 - ahead) * words);
    return ahead;
  }
  /// True if a record of some words is a literal.
  bool same(const std::byte* words, std::size_t record, std::size_t literal) const {
    return std::memcmp(words + record * bytes_, out_ + literal * bytes_, bytes_) == 0;
  }
  std::uint64_t hash(std::size_t record) const {
    std::uint64_t hash = 0;
    for (std::size_t at = 0; at < bytes_; at += sizeof(W)) {
      W word;
      std::memcpy(&word, in_ + record * bytes_ + at, sizeof word);
      hash = Slots::hash(hash, word);
    }
    return hash;
  }

  const std::byte* in_;
  std::byte* out_;
  std::size_t bytes_;               ///< of a record
  std::size_t end_ = 0, done_ = 0;  ///< bytes of literals, and of what was read
  std::size_t first_ = 0;           ///< literals before the end of the latest copy
  std::uint32_t* table_;            ///< latest literals, and one more
  Slots slots_;
  CopyLists<Level>& lists_;
};

}  // namespace fpsynth::codec
