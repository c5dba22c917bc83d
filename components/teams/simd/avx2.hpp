#pragma once

#include <immintrin.h>

#include <type_traits>

#include "components/teams/simd/avx2_counting.hpp"
#include "components/teams/simd/avx2_states.hpp"
#include "components/teams/simd/avx2_strides.hpp"
#include "components/teams/simd/avx2_tables.hpp"
#include "components/teams/simd/portable.hpp"

namespace fpsynth::teams {

/// Haswell, Zen and later: AVX2.
struct Avx2 : Avx2Counting<Avx2> {
  static constexpr bool kHasStates = true;
  using States = Avx2States;
  template <class W>
  FPSYNTH_INLINE static std::uint64_t equal(Vector<W> a, Vector<W> b) {
    const __m256i lanes = (__m256i)(a == b);  // -1 or 0
    if constexpr (sizeof(W) == 1) {
      return std::uint32_t(_mm256_movemask_epi8(lanes));
    } else if constexpr (sizeof(W) == 2) {
      return std::uint32_t(_mm_movemask_epi8(
          _mm_packs_epi16(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1))));
    } else if constexpr (sizeof(W) == 4) {
      return std::uint32_t(_mm256_movemask_ps(_mm256_castsi256_ps(lanes)));
    } else {
      return std::uint32_t(_mm256_movemask_pd(_mm256_castsi256_pd(lanes)));
    }
  }

  template <class W>
  FPSYNTH_INLINE static Vector<W> select(std::uint64_t bits, Vector<W> yes, Vector<W> no) {
    const __m256i chosen = lane_mask<W>(bits);
    return (Vector<W>)_mm256_blendv_epi8((__m256i)no, (__m256i)yes, chosen);
  }

  FPSYNTH_INLINE static Vector<std::uint64_t> bit_at(Vector<std::uint64_t> counts) {
    return (Vector<std::uint64_t>)_mm256_sllv_epi64(_mm256_set1_epi64x(1), (__m256i)counts);
  }

  /// As in Portable. Words with many bits by table, eight bits at a time.
  FPSYNTH_INLINE static void positions(std::uint64_t bits, std::uint16_t base, std::uint16_t* out) {
    const std::uint64_t all = bits;
    for (int k = 0; k < 2; ++k) out[k] = next_position(bits, base);
    if (bits == 0) return;
    __m128i from = _mm_set1_epi16(short(base));
    for (int byte = 0; byte < 8; ++byte) {
      const std::uint64_t eight = all >> 8 * byte & 0xff;
      const __m128i kept = _mm_cvtepu8_epi16(eight_bytes(avx2::kLanes8.kept[eight]));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_add_epi16(kept, from));
      out += __builtin_popcountll(eight);
      from = _mm_add_epi16(from, _mm_set1_epi16(8));
    }
  }

  template <class W>
  FPSYNTH_INLINE static void compact(std::uint64_t bits, Vector<W> from, W* to) {
    if constexpr (sizeof(W) == 1) {
      to = compact_16(bits & 0xffff, _mm256_castsi256_si128((__m256i)from), to);
      compact_16(bits >> 16, _mm256_extracti128_si256((__m256i)from, 1), to);
    } else if constexpr (sizeof(W) == 2) {
      const __m128i halves[] = {_mm256_castsi256_si128((__m256i)from),
                                _mm256_extracti128_si256((__m256i)from, 1)};
      for (const __m128i half : halves) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                         _mm_shuffle_epi8(half, eight_shorts(avx2::kLanes8.kept[bits & 0xff])));
        to += __builtin_popcountll(bits & 0xff);
        bits >>= 8;
      }
    } else {
      const std::uint64_t kept =
          sizeof(W) == 4 ? avx2::kLanes8.kept[bits] : avx2::kHalves4.kept[bits];
      _mm256_storeu_si256(
          reinterpret_cast<__m256i*>(to),
          _mm256_permutevar8x32_epi32((__m256i)from, _mm256_cvtepu8_epi32(eight_bytes(kept))));
    }
  }

  template <class W>
  FPSYNTH_INLINE static Vector<W> expand(std::uint64_t bits, const W* values) {
    if constexpr (sizeof(W) == 1) {
      return expand_bytes(bits, values);
    } else if constexpr (sizeof(W) == 2) {
      __m128i halves[2];
      for (__m128i& half : halves) {
        half = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values)),
                                eight_shorts(avx2::kLanes8.places[bits & 0xff]));
        values += __builtin_popcountll(bits & 0xff);
        bits >>= 8;
      }
      return (Vector<W>)_mm256_set_m128i(halves[1], halves[0]);
    } else {
      const __m256i next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
      const __m128i places = eight_bytes(avx2::kLanes8.places[bits]);
      __m256i index;  // of 32-bit lanes
      if constexpr (sizeof(W) == 4) {
        index = _mm256_cvtepu8_epi32(places);
      } else {
        const __m256i low = _mm256_slli_epi64(_mm256_cvtepu8_epi64(places), 1);
        index = _mm256_or_si256(
            low, _mm256_slli_epi64(_mm256_add_epi64(low, _mm256_set1_epi64x(1)), 32));
      }
      return (Vector<W>)_mm256_and_si256(_mm256_permutevar8x32_epi32(next, index),
                                         lane_mask<W>(bits));
    }
  }

  /// A lane's value is as many values after the first lane's as there are set bits in between.
  template <class W>
  FPSYNTH_INLINE static Vector<W> expand_last(std::uint64_t bits, const W* values) {
    if constexpr (sizeof(W) == 1) {
      __m128i eighths[4];
      for (int eighth = 0; eighth < 4; ++eighth, bits >>= 8) {
        const W* const first = values - 1 + (bits & 1);
        eighths[eighth] = _mm_shuffle_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(first)),
                                           eight_bytes(avx2::kLanes8.before[bits >> 1 & 0x7f]));
        values += __builtin_popcountll(bits & 0xff);
      }
      return (Vector<W>)_mm256_set_m128i(_mm_unpacklo_epi64(eighths[2], eighths[3]),
                                         _mm_unpacklo_epi64(eighths[0], eighths[1]));
    } else if constexpr (sizeof(W) == 2) {
      __m128i halves[2];
      for (__m128i& half : halves) {
        const W* const first = values - 1 + (bits & 1);
        half = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(first)),
                                eight_shorts(avx2::kLanes8.before[bits >> 1 & 0x7f]));
        values += __builtin_popcountll(bits & 0xff);
        bits >>= 8;
      }
      return (Vector<W>)_mm256_set_m128i(halves[1], halves[0]);
    } else {
      const W* const first = values - 1 + (bits & 1);
      const __m256i next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first));
      const __m128i before = eight_bytes(avx2::kLanes8.before[bits >> 1]);
      __m256i index = _mm256_cvtepu8_epi32(before);  // of 32-bit lanes
      if constexpr (sizeof(W) == 8) {
        const __m256i low = _mm256_slli_epi64(_mm256_cvtepu8_epi64(before), 1);
        index = _mm256_or_si256(
            low, _mm256_slli_epi64(_mm256_add_epi64(low, _mm256_set1_epi64x(1)), 32));
      }
      return (Vector<W>)_mm256_permutevar8x32_epi32(next, index);
    }
  }

  template <class W, class Op>
  FPSYNTH_INLINE static Vector<W> combine(Op, Vector<W> a, Vector<W> b) {
    if constexpr (std::is_same_v<Op, words::Plus>) {
      return a + b;
    } else if constexpr (std::is_same_v<Op, words::Xor>) {
      return a ^ b;
    } else {
      return a > b ? a : b;
    }
  }

  /// Scans within a pack at doubling distances; the last `stride` results carry over to the next
  /// pack.
  template <class W, class Op>
  FPSYNTH_INLINE static void scan(Op op, const W* in, std::size_t n, std::size_t stride, W* out) {
    constexpr std::size_t lanes = kLanes<W>;
    if (stride * sizeof(W) <= 16) return Avx2Strides<Avx2>::scan<W>(op, in, n, stride, out);
    if (stride > lanes) return Portable::scan<W>(op, in, n, stride, out);
    ByteShuffle slide[5];
    int steps = 0;
    for (std::size_t distance = stride; distance < lanes; distance *= 2) {
      slide[steps++] = ByteShuffle::up(distance * sizeof(W));
    }
    const ByteShuffle carry = ByteShuffle::repeat_last(stride * sizeof(W));
    Vector<W> last{};
    for (std::size_t i = 0; i < n; i += lanes) {
      Vector<W> pack = (Vector<W>)_mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i));
      for (int step = 0; step < steps; ++step) {
        pack = combine<W>(op, pack, (Vector<W>)slide[step].apply((__m256i)pack));
      }
      last = combine<W>(op, pack, (Vector<W>)carry.apply((__m256i)last));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), (__m256i)last);
    }
  }

  /// Separates the even and the odd words of two packs; merge() is the inverse. The instructions
  /// work within 16-byte halves, so permutes before and after them put the words in order.
  template <class W>
  FPSYNTH_INLINE static void separate(Vector<W>& a, Vector<W>& b) {
    __m256i x = (__m256i)a, y = (__m256i)b, even, odd;
    if constexpr (sizeof(W) == 4) {
      const __m256 p = _mm256_castsi256_ps(x), q = _mm256_castsi256_ps(y);
      even = _mm256_castps_si256(_mm256_shuffle_ps(p, q, 0x88));
      odd = _mm256_castps_si256(_mm256_shuffle_ps(p, q, 0xdd));
    } else {
      if constexpr (sizeof(W) < 4) {
        const __m256i apart = _mm256_broadcastsi128_si256(
            sizeof(W) == 1 ? _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15)
                           : _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));
        x = _mm256_shuffle_epi8(x, apart);
        y = _mm256_shuffle_epi8(y, apart);
      }
      even = _mm256_unpacklo_epi64(x, y);
      odd = _mm256_unpackhi_epi64(x, y);
    }
    a = (Vector<W>)_mm256_permute4x64_epi64(even, 0xd8);
    b = (Vector<W>)_mm256_permute4x64_epi64(odd, 0xd8);
  }
  template <class W>
  FPSYNTH_INLINE static void merge(Vector<W>& a, Vector<W>& b) {
    const __m256i x = _mm256_permute4x64_epi64((__m256i)a, 0xd8);
    const __m256i y = _mm256_permute4x64_epi64((__m256i)b, 0xd8);
    if constexpr (sizeof(W) == 1) {
      a = (Vector<W>)_mm256_unpacklo_epi8(x, y);
      b = (Vector<W>)_mm256_unpackhi_epi8(x, y);
    } else if constexpr (sizeof(W) == 2) {
      a = (Vector<W>)_mm256_unpacklo_epi16(x, y);
      b = (Vector<W>)_mm256_unpackhi_epi16(x, y);
    } else if constexpr (sizeof(W) == 4) {
      a = (Vector<W>)_mm256_unpacklo_epi32(x, y);
      b = (Vector<W>)_mm256_unpackhi_epi32(x, y);
    } else {
      a = (Vector<W>)_mm256_unpacklo_epi64(x, y);
      b = (Vector<W>)_mm256_unpackhi_epi64(x, y);
    }
  }
  template <class W>
  FPSYNTH_INLINE static void deinterleave(const W* in, std::size_t n, std::size_t k, W* out) {
    if (separate_halves<W>(in, n, k, out)) return;
    if constexpr (sizeof(W) < 8) {
      if (k == 3) return Avx2Strides<Avx2>::deinterleave<W, 3>(in, n, out);
      if (k == 5) return Avx2Strides<Avx2>::deinterleave<W, 5>(in, n, out);
    }
    Portable::deinterleave<W>(in, n, k, out);
  }
  template <class W>
  FPSYNTH_INLINE static void interleave(const W* in, std::size_t n, std::size_t k, W* out) {
    if (merge_halves<W>(in, n, k, out)) return;
    if constexpr (sizeof(W) < 8) {
      if (k == 3) return Avx2Strides<Avx2>::interleave<W, 3>(in, n, out);
      if (k == 5) return Avx2Strides<Avx2>::interleave<W, 5>(in, n, out);
    }
    Portable::interleave<W>(in, n, k, out);
  }

  /// Works on 32 words at a time: gathers the bytes at one position of all 32 into a register, then
  /// reads its top bits and shifts them out, eight times.
  template <class W>
  FPSYNTH_INLINE static void transpose_tiles(const W* in, std::size_t tiles, W* out) {
    if constexpr (sizeof(W) == 1) {
      Portable::transpose_tiles<W>(in, tiles, out);
    } else if constexpr (sizeof(W) == 2) {
      for (; tiles >= 2; tiles -= 2, in += 32, out += 32) {  // the first tile in the high bits
        __m256i columns[2];
        gather_columns<W>(in, columns);
        for (std::size_t plane = 0; plane < 16; ++plane) {
          __m256i& column = columns[1 - plane / 8];
          const std::uint32_t bits = std::uint32_t(_mm256_movemask_epi8(column));
          out[plane] = W(bits >> 16);
          out[16 + plane] = W(bits);
          column = _mm256_add_epi8(column, column);
        }
      }
      Portable::transpose_tiles<W>(in, tiles, out);
    } else {
      constexpr std::size_t w = words::kBits<W>;
      for (std::size_t tile = 0; tile < tiles; ++tile, in += w, out += w) {
        for (std::size_t rows = 0; rows < w; rows += 32) {
          __m256i columns[sizeof(W)];
          gather_columns<W>(in + rows, columns);
          // The first rows become the high bits of the output words.
          char* const half = reinterpret_cast<char*>(out) + (w - 32 - rows) / 8;
          for (std::size_t c = 0; c < sizeof(W); ++c) {
            __m256i column = columns[sizeof(W) - 1 - c];
            for (std::size_t plane = 8 * c; plane < 8 * c + 8; ++plane) {
              const std::uint32_t bits = std::uint32_t(_mm256_movemask_epi8(column));
              std::memcpy(half + plane * sizeof(W), &bits, 4);
              column = _mm256_add_epi8(column, column);
            }
          }
        }
      }
    }
  }

 private:
  /// columns[b]: byte b of the words 31, 30, ..., 0.
  template <class W>
  FPSYNTH_INLINE static void gather_columns(const W* in, __m256i (&columns)[sizeof(W)]) {
    constexpr std::size_t kRows = 16 / sizeof(W);  // words in 16 bytes
    const auto load = [in](std::size_t row) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + row));
    };
    // Within 16 bytes: byte 0 of each word, last word first, then byte 1 of each, ...
    const __m256i by_byte = _mm256_broadcastsi128_si256(
        sizeof(W) == 8   ? _mm_setr_epi8(8, 0, 9, 1, 10, 2, 11, 3, 12, 4, 13, 5, 14, 6, 15, 7)
        : sizeof(W) == 4 ? _mm_setr_epi8(12, 8, 4, 0, 13, 9, 5, 1, 14, 10, 6, 2, 15, 11, 7, 3)
                         : _mm_setr_epi8(14, 12, 10, 8, 6, 4, 2, 0, 15, 13, 11, 9, 7, 5, 3, 1));
    __m256i a[sizeof(W)], b[sizeof(W)];
    for (std::size_t q = 0; q < sizeof(W); ++q) {
      const std::size_t row = 32 - kRows * (q + 1);
      a[q] = _mm256_shuffle_epi8(_mm256_set_m128i(load(row - 16), load(row)), by_byte);
    }
    // Transposes the units of kRows bytes of the sizeof(W) registers.
    if constexpr (sizeof(W) == 8) {
      for (int q = 0; q < 8; q += 2) {
        b[q] = _mm256_unpacklo_epi16(a[q], a[q + 1]);      // bytes 0..3 of four words
        b[q + 1] = _mm256_unpackhi_epi16(a[q], a[q + 1]);  // bytes 4..7
      }
      for (int q = 0; q < 8; q += 4) {
        for (int high = 0; high < 2; ++high) {
          a[q + 2 * high] = _mm256_unpacklo_epi32(b[q + high], b[q + high + 2]);
          a[q + 2 * high + 1] = _mm256_unpackhi_epi32(b[q + high], b[q + high + 2]);
        }
      }
      for (int pair = 0; pair < 4; ++pair) {  // a[pair]: bytes 2 pair, 2 pair + 1 of eight words
        columns[2 * pair] = _mm256_unpacklo_epi64(a[pair], a[pair + 4]);
        columns[2 * pair + 1] = _mm256_unpackhi_epi64(a[pair], a[pair + 4]);
      }
    } else if constexpr (sizeof(W) == 2) {
      columns[0] = _mm256_unpacklo_epi64(a[0], a[1]);
      columns[1] = _mm256_unpackhi_epi64(a[0], a[1]);
    } else {
      for (int q = 0; q < 4; q += 2) {
        b[q] = _mm256_unpacklo_epi32(a[q], a[q + 1]);      // bytes 0, 1 of eight words
        b[q + 1] = _mm256_unpackhi_epi32(a[q], a[q + 1]);  // bytes 2, 3
      }
      for (int pair = 0; pair < 2; ++pair) {
        columns[2 * pair] = _mm256_unpacklo_epi64(b[pair], b[pair + 2]);
        columns[2 * pair + 1] = _mm256_unpackhi_epi64(b[pair], b[pair + 2]);
      }
    }
  }

  /// A permutation of the 32 bytes of a pack, from two shuffles within 16-byte halves.
  struct ByteShuffle {
    __m256i from_low,
        from_high;  // indices into the low and the high half; 0x80: not from this half

    FPSYNTH_INLINE __m256i apply(__m256i pack) const {
      const __m256i low = _mm256_permute2x128_si256(pack, pack, 0x00);
      const __m256i high = _mm256_permute2x128_si256(pack, pack, 0x11);
      return _mm256_or_si256(_mm256_shuffle_epi8(low, from_low),
                             _mm256_shuffle_epi8(high, from_high));
    }
    /// Byte i of the result is byte source[i] of the pack, or 0 if source[i] is negative.
    FPSYNTH_INLINE static ByteShuffle of(__m256i source) {
      const __m256i none = _mm256_set1_epi8(char(0x80)), half = _mm256_set1_epi8(16);
      const __m256i is_high = _mm256_cmpgt_epi8(source, _mm256_set1_epi8(15));
      return {_mm256_or_si256(source, _mm256_and_si256(is_high, none)),
              _mm256_or_si256(_mm256_sub_epi8(source, half), _mm256_andnot_si256(is_high, none))};
    }
    FPSYNTH_INLINE static __m256i iota() {
      return _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
                              20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    }
    FPSYNTH_INLINE static ByteShuffle up(std::size_t bytes) {
      return of(_mm256_sub_epi8(iota(), _mm256_set1_epi8(char(bytes))));
    }
    /// Repeats the last `bytes` bytes.
    FPSYNTH_INLINE static ByteShuffle repeat_last(std::size_t bytes) {
      alignas(32) char source[32];
      for (std::size_t i = 0; i < 32; ++i) {
        source[i] = i < bytes ? char(32 - bytes + i) : source[i - bytes];
      }
      return of(_mm256_load_si256(reinterpret_cast<const __m256i*>(source)));
    }
  };

  FPSYNTH_INLINE static __m128i eight_bytes(std::uint64_t bytes) {
    return _mm_cvtsi64_si128(std::int64_t(bytes));
  }
  /// The two bytes of each of eight words, by their numbers; 0x80 stays negative.
  FPSYNTH_INLINE static __m128i eight_shorts(std::uint64_t numbers) {
    const __m128i twice = _mm_unpacklo_epi8(eight_bytes(numbers), eight_bytes(numbers));
    return _mm_or_si128(_mm_adds_epu8(twice, twice), _mm_set1_epi16(0x0100));
  }
  /// Stores the bytes whose bit is set, eight and eight; returns where they end.
  FPSYNTH_INLINE static std::uint8_t* compact_16(std::uint64_t bits, __m128i from,
                                                 std::uint8_t* to) {
    const std::uint64_t low = bits & 0xff, high = bits >> 8;
    const __m128i kept = _mm_castpd_si128(
        _mm_loadh_pd(_mm_castsi128_pd(eight_bytes(avx2::kLanes8.kept[low])),
                     reinterpret_cast<const double*>(&avx2::kLanes8.kept_high[high])));
    const __m128i packed = _mm_shuffle_epi8(from, kept);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), packed);
    to += __builtin_popcountll(low);
    // Not _mm_storeh_pd(), which GCC defines by an assignment to an aligned double.
    _mm_storeh_pi(reinterpret_cast<__m64*>(to), _mm_castsi128_ps(packed));
    return to + __builtin_popcountll(high);
  }
  /// Expands eight bytes at a time.
  FPSYNTH_INLINE static Vector<std::uint8_t> expand_bytes(std::uint64_t bits,
                                                          const std::uint8_t* values) {
    __m128i eighths[4];
    for (int eighth = 0; eighth < 4; ++eighth, bits >>= 8) {
      eighths[eighth] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values)),
                                         eight_bytes(avx2::kLanes8.places[bits & 0xff]));
      values += __builtin_popcountll(bits & 0xff);
    }
    return (Vector<std::uint8_t>)_mm256_set_m128i(_mm_unpacklo_epi64(eighths[2], eighths[3]),
                                                  _mm_unpacklo_epi64(eighths[0], eighths[1]));
  }
  /// All ones in the lanes whose bit is set.
  template <class W>
  FPSYNTH_INLINE static __m256i lane_mask(std::uint64_t bits) {
    if constexpr (sizeof(W) == 1) {
      const __m256i each = _mm256_set1_epi64x(std::int64_t(0x8040201008040201));
      const __m256i byte_of =
          _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
      const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(int(bits)), byte_of);
      return _mm256_cmpeq_epi8(_mm256_and_si256(bytes, each), each);
    } else if constexpr (sizeof(W) == 2) {
      const __m256i each = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048,
                                             4096, 8192, 16384, -32768);
      return _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16(short(bits)), each), each);
    } else if constexpr (sizeof(W) == 4) {
      const __m256i each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
      return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(int(bits)), each), each);
    } else {
      const __m256i each = _mm256_setr_epi64x(1, 2, 4, 8);
      return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(int(bits)), each), each);
    }
  }
};

}  // namespace fpsynth::teams
