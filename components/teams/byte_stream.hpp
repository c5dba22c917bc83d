#pragma once
// Reading, writing and scanning of runs of bytes that begin at any address, by one lane of a thread
// block. All accesses are words of four bytes, the width of a bank of shared memory.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/teams/quad.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// What a lane must know to move four bytes by four bits, for all values of these bits. A table is
/// faster than computing it, and 16 words of shared memory are in as many banks.
class QuadTables {
 public:
  static constexpr std::size_t kBytes = 2 * 16 * 4;

  /// `memory`: kBytes bytes, aligned to 4.
  FPSYNTH_INLINE explicit QuadTables(std::byte* memory)
      : squeezes_(reinterpret_cast<std::uint32_t*>(memory)) {}

  /// Fills the entries `first`, `first` + `step`, ...
  FPSYNTH_INLINE void fill(std::uint32_t first, std::uint32_t step) const {
    for (std::uint32_t bits = first; bits < 16; bits += step) {
      std::uint32_t squeeze = 0x4444, count = 0;
      for (std::uint32_t k = 0; k < 4; ++k) {
        if (bits >> k & 1) {
          squeeze ^= (4 ^ k) << 4 * count;
          ++count;
        }
      }
      squeezes_[bits] = squeeze | 8 * count << 16;
      // A digit is the number of set bits up to and including its own, minus 1. If its own bit is
      // not set, 4 is added instead, which selects a byte of the zeros.
      const std::uint32_t digits = spread_to_digits(bits);
      expands()[bits] = ((digits * 0x110c + 0x4444) & 0xffff) | digits * 0x1111 << 16;
    }
  }

  struct Squeezed {
    std::uint32_t bytes;  ///< those whose bit is set, at the low end; 0 above them
    std::uint32_t bits;   ///< eight for each of them
  };
  FPSYNTH_INLINE Squeezed squeezed(std::uint32_t four, std::uint32_t bits) const {
    const std::uint32_t entry = squeezes_[bits];
    return {words::permute_bytes(four, 0, entry), entry >> 16};
  }
  /// The lowest byte of `four` at the lowest set bit, the next one at the next, 0 at the others.
  FPSYNTH_INLINE std::uint32_t expanded(std::uint32_t four, std::uint32_t bits) const {
    return words::permute_bytes(four, 0, expands()[bits]);
  }
  /// The second byte at the lowest set bit, the next one at the next, the last byte again at the
  /// others. The fifth byte is the lowest one of `fifth`.
  FPSYNTH_INLINE std::uint32_t expanded_last(std::uint32_t four, std::uint32_t fifth,
                                             std::uint32_t bits) const {
    return words::permute_bytes(four, fifth, expands()[bits] >> 16);
  }

 private:
  /// Hexadecimal digit k of the result is bit k of four bits.
  FPSYNTH_INLINE static std::uint32_t spread_to_digits(std::uint32_t bits) {
    const std::uint32_t pairs = (bits | bits << 6) & 0x0303;
    return (pairs | pairs << 3) & 0x1111;
  }
  FPSYNTH_INLINE std::uint32_t* expands() const { return squeezes_ + 16; }

  std::uint32_t* squeezes_;
};

/// Reads bytes starting at an address. Accesses up to 7 bytes before and after the bytes it
/// returns.
class ByteSource {
 public:
  FPSYNTH_INLINE explicit ByteSource(const std::uint8_t* from) {
    const std::uint32_t past = std::uint32_t(reinterpret_cast<std::uintptr_t>(from) % 4);
    words_ = from - past;
    low_ = load_four(words_);
    high_ = load_four(words_ + 4);
    shift_ = 8 * past;
  }
  /// The next four bytes.
  FPSYNTH_INLINE std::uint32_t four() const { return words::funnel_right(low_, high_, shift_); }
  /// Its lowest byte is the fifth one.
  FPSYNTH_INLINE std::uint32_t fifth() const { return high_ >> shift_; }
  /// Skips up to four bytes. Branch-free, because the lanes of a warp differ here.
  FPSYNTH_INLINE void skip(std::uint32_t bytes) {
    shift_ += 8 * bytes;
    const bool over = shift_ >= 32;
    shift_ %= 32;
    low_ = over ? high_ : low_;
    at_ += over ? 4 : 0;
    high_ = load_four(words_ + at_ + 4);
  }

 private:
  const std::uint8_t* words_;
  std::uint32_t at_ = 0, low_, high_, shift_;
};

/// Makes aligned words of bytes that begin at any address.
class WordFiller {
 protected:
  FPSYNTH_INLINE explicit WordFiller(std::uint8_t* to)
      : skip_(std::uint32_t(reinterpret_cast<std::uintptr_t>(to) % 4)),
        words_(to - skip_),
        held_(8 * skip_) {}

  /// Appends the lowest bytes of `bytes`, which have `bits` (0..32) bits; the others must be 0.
  /// Calls store(word) if the word at words_ + at_ is full. The bytes before the first one are 0.
  template <class F>
  FPSYNTH_INLINE void fill(std::uint32_t bytes, std::uint32_t bits, F store) {
    word_ |= bytes << held_;
    const std::uint32_t rest = words::funnel_left(0, bytes, held_);
    held_ += bits;
    // Lanes of a warp differ here, so the branch contains as little as possible.
    const bool full = held_ >= 32;
    if (full) store(word_);
    word_ = full ? rest : word_;
    at_ += full ? 4 : 0;
    held_ %= 32;
  }
  /// Stores the bytes of the last word, which is not full, that are not before the first one.
  FPSYNTH_INLINE void store_rest() const {
    const std::uint32_t begin = at_ > 0 ? 0 : skip_;
    for (std::uint32_t k = 0; k < 3; ++k) {
      if (k >= begin && 8 * k < held_) words_[at_ + k] = std::uint8_t(word_ >> 8 * k);
    }
  }

  std::uint32_t skip_;
  std::uint8_t* words_;
  std::uint32_t at_ = 0, word_ = 0, held_;
};

/// Writes bytes starting at an address, while the other lanes of a thread block write those before
/// and after them. First, all lanes write whole words; the bytes before a lane's first one in its
/// word become 0. When all have done that, they finish(), which writes what is less than a word.
class RunSink : WordFiller {
 public:
  FPSYNTH_INLINE explicit RunSink(std::uint8_t* to) : WordFiller(to) {}
  /// As WordFiller::fill().
  FPSYNTH_INLINE void put(std::uint32_t bytes, std::uint32_t bits) {
    fill(bytes, bits, [this](std::uint32_t word) { store_four(words_ + at_, word); });
  }
  FPSYNTH_INLINE void finish() const { store_rest(); }
};

/// Writes bytes starting at an address, and no byte outside of them. finish() must be called last.
class ByteSink : WordFiller {
 public:
  FPSYNTH_INLINE explicit ByteSink(std::uint8_t* to) : WordFiller(to) {}
  /// Appends the `count` (0..4) lowest bytes of `bytes`; the others must be 0.
  FPSYNTH_INLINE void put(std::uint32_t bytes, std::uint32_t count) {
    fill(bytes, 8 * count, [this](std::uint32_t word) {
      if (at_ > 0) store_four(words_ + at_, word);
      first_ = at_ > 0 ? first_ : word;
    });
  }
  FPSYNTH_INLINE void finish() const {
    // The bytes before the first one belong to another lane.
    for (std::uint32_t k = 0; k < 4; ++k) {
      if (at_ > 0 && k >= skip_) words_[k] = std::uint8_t(first_ >> 8 * k);
    }
    store_rest();
  }

 private:
  std::uint32_t first_ = 0;
};

/// A scan with a stride of 1 to 8 bytes, in ascending order, of a run that begins in column 0.
template <class Op>
class ByteScan {
 public:
  FPSYNTH_INLINE explicit ByteScan(std::uint32_t stride) : stride_(stride) {
    // The predecessor of byte k of four is the last byte of its column among the eight bytes
    // before.
    std::uint32_t column = 0;
    for (std::uint32_t k = 0; k < 4; ++k) {
      selector_ |= (8 - stride + column) << 4 * k;
      column = column + 1 == stride ? 0 : column + 1;
    }
  }
  /// The next four bytes' results.
  FPSYNTH_INLINE std::uint32_t next(std::uint32_t four) {
    Quad quad{four};
    for (std::uint32_t d = stride_; d < 4; d *= 2) quad = Op{}(quad, Quad{quad.bytes << 8 * d});
    quad = Op{}(quad, Quad{words::permute_bytes(low_, high_, selector_)});
    low_ = high_;
    high_ = quad.bytes;
    return quad.bytes;
  }
  /// The totals that the next run needs. The run must have ended in the last column. Byte c is the
  /// total of column c; bytes from `stride` on are 0.
  FPSYNTH_INLINE std::uint64_t columns() const {
    return (std::uint64_t{high_} << 32 | low_) >> 8 * (8 - stride_);
  }
  /// Sets the totals of the runs before this one. Called before a run.
  FPSYNTH_INLINE void continue_from(std::uint64_t columns) {
    columns <<= 8 * (8 - stride_);
    low_ = std::uint32_t(columns);
    high_ = std::uint32_t(columns >> 32);
  }
  /// The scan's operator on columns().
  struct OnColumns {
    FPSYNTH_INLINE std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
      const Quad low = Op{}(Quad{std::uint32_t(a)}, Quad{std::uint32_t(b)});
      const Quad high = Op{}(Quad{std::uint32_t(a >> 32)}, Quad{std::uint32_t(b >> 32)});
      return std::uint64_t{high.bytes} << 32 | low.bytes;
    }
  };

 private:
  std::uint32_t stride_, selector_ = 0, low_ = 0, high_ = 0;
};

}  // namespace fpsynth::teams
