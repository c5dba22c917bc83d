#pragma once
// Reading and writing of runs of bytes that begin at any address, by one lane of a thread block.
// All accesses are words of four bytes, the width of a bank of shared memory.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/teams/quad.hpp"
#include "components/teams/strip.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// At most four bytes.
struct FewBytes {
  std::uint32_t four;  ///< behind them is anything
  std::uint32_t bits;  ///< eight for each
};
/// Nine bytes.
struct NineBytes {
  std::uint32_t low, high;  ///< eight
  std::uint32_t ninth;      ///< its lowest byte; the others are anything
};

/// The permutations with which a lane moves four bytes by four bits, for all values of these bits.
/// A table is faster than computing them, and 16 words of shared memory are in as many banks.
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

  /// The bytes of four whose bit is set, lowest first.
  FPSYNTH_INLINE FewBytes squeezed(Quad four, std::uint32_t bits) const {
    const std::uint32_t squeeze = squeezes_[bits];
    return {words::permute_bytes(four.bytes, 0, squeeze), squeeze >> 16};
  }
  /// The first byte at the lowest set bit, the next one at the next, 0 at the others.
  FPSYNTH_INLINE Pair expanded(NineBytes next, std::uint32_t bits) const {
    const std::uint32_t first = bits & 0xf, before = 8 * words::count_bits32(first);
    const std::uint32_t rest = words::funnel_right(next.low, next.high, before);
    return {Quad(words::permute_bytes(next.low, 0, expands()[first])),
            Quad(words::permute_bytes(rest, 0, expands()[bits >> 4]))};
  }
  /// The second byte at the lowest set bit, the next one at the next, the last byte again at the
  /// others.
  FPSYNTH_INLINE Pair expanded_last(NineBytes next, std::uint32_t bits) const {
    const std::uint32_t first = bits & 0xf, before = 8 * words::count_bits32(first);
    const std::uint32_t rest = words::funnel_right(next.low, next.high, before);
    const std::uint32_t last = words::funnel_right(next.high, next.ninth, before);
    return {Quad(words::permute_bytes(next.low, next.high, expands()[first] >> 16)),
            Quad(words::permute_bytes(rest, last, expands()[bits >> 4] >> 16))};
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

/// Reads bytes starting at an address. Accesses up to 3 bytes before the nine that it returns, and
/// up to 3 after them.
class ByteSource {
 public:
  FPSYNTH_INLINE explicit ByteSource(const std::uint8_t* from)
      : at_(std::uint32_t(reinterpret_cast<std::uintptr_t>(from) % 4)), words_(from - at_) {}
  FPSYNTH_INLINE NineBytes next() const {
    const std::uint8_t* const words = words_ + at_ / 4 * 4;
    const std::uint32_t a = load_four(words), b = load_four(words + 4), c = load_four(words + 8);
    const std::uint32_t shift = 8 * (at_ % 4);
    return {words::funnel_right(a, b, shift), words::funnel_right(b, c, shift), c >> shift};
  }
  FPSYNTH_INLINE void skip(std::uint32_t bytes) { at_ += bytes; }

 private:
  std::uint32_t at_;
  const std::uint8_t* words_;
};

/// Reads a mask from one of its bytes on, 32 bits at a time. Accesses up to 7 bytes after them.
class BitSource {
 public:
  FPSYNTH_INLINE BitSource(const std::uint64_t* mask, std::uint32_t byte)
      : shift_(8 * (byte % 4)),
        words_(reinterpret_cast<const std::uint8_t*>(mask) + byte / 4 * 4),
        low_(load_four(words_)) {}
  FPSYNTH_INLINE std::uint32_t next() {
    const std::uint32_t low = low_;
    low_ = load_four(words_ += 4);
    return words::funnel_right(low, low_, shift_);
  }

 private:
  std::uint32_t shift_;
  const std::uint8_t* words_;
  std::uint32_t low_;
};

/// Makes aligned words of bytes that begin at any address.
class WordFiller {
 protected:
  FPSYNTH_INLINE explicit WordFiller(std::uint8_t* to)
      : to_(to),
        end_(8 * std::uint32_t(reinterpret_cast<std::uintptr_t>(to) % 4)),
        words_(to - end_ / 8) {}

  /// Appends bytes. Calls store(at, word) if they fill a word. In the first one, the bytes before
  /// `to_` are 0.
  template <class F>
  FPSYNTH_INLINE void fill(FewBytes bytes, F store) {
    // Nothing depends on how much of a word is filled but the word that is stored, so that many
    // calls after each other overlap.
    before_ = words::funnel_right(before_, last_, bytes.bits);
    last_ = words::funnel_right(last_, bytes.four, bytes.bits);
    const std::uint32_t end = end_ + bytes.bits;
    const bool full = ((end ^ end_) & 32) != 0;
    // Lanes of a warp differ here, so the branch contains as little as possible.
    if (full) {
      store(words_, words::funnel_left_around(last_, before_, end));
      words_ += 4;
    }
    end_ = end;
  }
  /// Stores the bytes of the last word, which is not full, from `to_` on.
  FPSYNTH_INLINE void store_rest() const {
    const std::uint32_t held = end_ % 32, word = words::funnel_right(last_, 0, 32 - held);
    for (std::uint32_t k = 0; k < 3; ++k) {
      if (8 * k < held && words_ + k >= to_) words_[k] = std::uint8_t(word >> 8 * k);
    }
  }

  std::uint8_t* to_;
  std::uint32_t end_;    ///< in bits, from a multiple of 32: where the next byte goes
  std::uint8_t* words_;  ///< where the next word goes
  /// The last four bytes, and those before them.
  std::uint32_t last_ = 0, before_ = 0;
};

/// Writes bytes starting at an address, while the other lanes of a thread block write those before
/// and after them. First, all lanes write whole words; the bytes before a lane's first one in its
/// word become 0. When all have done that, they finish(), which writes what is less than a word.
class RunSink : WordFiller {
 public:
  FPSYNTH_INLINE explicit RunSink(std::uint8_t* to) : WordFiller(to) {}
  FPSYNTH_INLINE void put(FewBytes bytes) {
    fill(bytes, [](std::uint8_t* at, std::uint32_t word) { store_four(at, word); });
  }
  FPSYNTH_INLINE void finish() const { store_rest(); }
};

/// Writes bytes starting at an address, and no byte outside of them. finish() must be called last.
class ByteSink : WordFiller {
 public:
  FPSYNTH_INLINE explicit ByteSink(std::uint8_t* to) : WordFiller(to) {}
  FPSYNTH_INLINE void put(FewBytes bytes) {
    fill(bytes, [this](std::uint8_t* at, std::uint32_t word) {
      if (at >= to_) store_four(at, word);
      first_ = at >= to_ ? first_ : word;
    });
  }
  FPSYNTH_INLINE void finish() const {
    // A first word of which other lanes have bytes, if it was full.
    const std::uint32_t skipped = std::uint32_t(reinterpret_cast<std::uintptr_t>(to_) % 4);
    for (std::uint32_t k = 1; k < 4; ++k) {
      if (0 < skipped && skipped <= k && words_ > to_) {
        to_[k - skipped] = std::uint8_t(first_ >> 8 * k);
      }
    }
    store_rest();
  }

 private:
  std::uint32_t first_ = 0;
};

}  // namespace fpsynth::teams
