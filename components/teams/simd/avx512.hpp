#pragma once

#include <immintrin.h>

#include <type_traits>

#include "components/teams/simd/avx2_states.hpp"
#include "components/teams/simd/avx512_counting.hpp"
#include "components/teams/simd/avx512_tables.hpp"
#include "components/teams/simd/portable.hpp"

namespace fpsynth::teams {

/// Ice Lake, Zen 4 and later: AVX-512 with VBMI2, BITALG, VPOPCNTDQ and GFNI.
struct Avx512 : Avx512Counting<Avx512> {
  static constexpr bool kFindsEqual = false, kHasStates = true;
  using States = Avx2States;
  template <class W>
  FPSYNTH_INLINE static std::uint64_t differ(Vector<W> a, Vector<W> b) {
    if constexpr (sizeof(W) == 1) {
      return _mm512_cmpneq_epu8_mask((__m512i)a, (__m512i)b);
    } else if constexpr (sizeof(W) == 2) {
      return _mm512_cmpneq_epu16_mask((__m512i)a, (__m512i)b);
    } else if constexpr (sizeof(W) == 4) {
      return _mm512_cmpneq_epu32_mask((__m512i)a, (__m512i)b);
    } else {
      return _mm512_cmpneq_epu64_mask((__m512i)a, (__m512i)b);
    }
  }
  template <class W>
  FPSYNTH_INLINE static Vector<W> select(std::uint64_t bits, Vector<W> yes, Vector<W> no) {
    if constexpr (sizeof(W) == 1) {
      return (Vector<W>)_mm512_mask_blend_epi8(bits, (__m512i)no, (__m512i)yes);
    } else if constexpr (sizeof(W) == 2) {
      return (Vector<W>)_mm512_mask_blend_epi16(__mmask32(bits), (__m512i)no, (__m512i)yes);
    } else if constexpr (sizeof(W) == 4) {
      return (Vector<W>)_mm512_mask_blend_epi32(__mmask16(bits), (__m512i)no, (__m512i)yes);
    } else {
      return (Vector<W>)_mm512_mask_blend_epi64(__mmask8(bits), (__m512i)no, (__m512i)yes);
    }
  }
  FPSYNTH_INLINE static Vector<std::uint64_t> highest_bit(Vector<std::uint64_t> words) {
    return 63 - (Vector<std::uint64_t>)_mm512_lzcnt_epi64((__m512i)words);
  }
  FPSYNTH_INLINE static Vector<std::uint64_t> bit_at(Vector<std::uint64_t> counts) {
    return (Vector<std::uint64_t>)_mm512_sllv_epi64(_mm512_set1_epi64(1), (__m512i)counts);
  }

  FPSYNTH_INLINE static std::size_t count_bits(const std::uint64_t* words, std::size_t count) {
    __m512i bits = _mm512_setzero_si512();
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
      bits = _mm512_add_epi64(bits, _mm512_popcnt_epi64(_mm512_loadu_si512(words + i)));
    }
    return std::size_t(_mm512_reduce_add_epi64(bits)) + Portable::count_bits(words + i, count - i);
  }

  FPSYNTH_INLINE static void positions(std::uint64_t bits, std::uint16_t base, std::uint16_t* out) {
    const __m512i kept = _mm512_maskz_compress_epi8(bits, _mm512_load_si512(avx512::kIota.bytes));
    const __m512i from = _mm512_set1_epi16(short(base));
    const auto store = [=](std::uint16_t* to, __m256i half) {
      _mm512_storeu_si512(to, _mm512_add_epi16(_mm512_cvtepu8_epi16(half), from));
    };
    store(out, _mm512_castsi512_si256(kept));
    if (__builtin_popcountll(bits) > 32) store(out + 32, _mm512_extracti64x4_epi64(kept, 1));
  }

  template <class W>
  FPSYNTH_INLINE static void compact(std::uint64_t bits, Vector<W> from, W* to) {
    __m512i packed;
    if constexpr (sizeof(W) == 1) {
      packed = _mm512_maskz_compress_epi8(bits, (__m512i)from);
    } else if constexpr (sizeof(W) == 2) {
      packed = _mm512_maskz_compress_epi16(__mmask32(bits), (__m512i)from);
    } else if constexpr (sizeof(W) == 4) {
      packed = _mm512_maskz_compress_epi32(__mmask16(bits), (__m512i)from);
    } else {
      packed = _mm512_maskz_compress_epi64(__mmask8(bits), (__m512i)from);
    }
    _mm512_storeu_si512(to, packed);
  }
  template <class W>
  FPSYNTH_INLINE static Vector<W> expand(std::uint64_t bits, const W* values) {
    const __m512i packed = _mm512_loadu_si512(values);
    if constexpr (sizeof(W) == 1) {
      return (Vector<W>)_mm512_maskz_expand_epi8(bits, packed);
    } else if constexpr (sizeof(W) == 2) {
      return (Vector<W>)_mm512_maskz_expand_epi16(__mmask32(bits), packed);
    } else if constexpr (sizeof(W) == 4) {
      return (Vector<W>)_mm512_maskz_expand_epi32(__mmask16(bits), packed);
    } else {
      return (Vector<W>)_mm512_maskz_expand_epi64(__mmask8(bits), packed);
    }
  }
  /// A lane's value is as many values after the first lane's as there are set bits in between.
  template <class W>
  FPSYNTH_INLINE static Vector<W> expand_last(std::uint64_t bits, const W* values) {
    const __m512i next = _mm512_loadu_si512(values - 1 + (bits & 1));
    const std::uint64_t after = bits >> 1;
    if constexpr (sizeof(W) == 1) {
      // Within each eight lanes by their byte of `after`, and the bits of the bytes before it.
      const __m512i lane = _mm512_load_si512(avx512::kIota.bytes);
      const __m512i eighth = _mm512_and_si512(_mm512_srli_epi16(lane, 3), _mm512_set1_epi8(7));
      const __m512i all = _mm512_set1_epi64(std::int64_t(after));
      const __m512i counts = _mm512_popcnt_epi8(all);
      const std::uint64_t sums =
          std::uint64_t(_mm_cvtsi128_si64(_mm512_castsi512_si128(counts))) * 0x0101010101010101;
      const __m512i sums_before = _mm512_set1_epi64(std::int64_t(sums << 8));
      const __m512i below = _mm512_set1_epi64(0x7f3f1f0f07030100);
      const __m512i within =
          _mm512_popcnt_epi8(_mm512_and_si512(_mm512_shuffle_epi8(all, eighth), below));
      const __m512i index = _mm512_add_epi8(within, _mm512_shuffle_epi8(sums_before, eighth));
      return (Vector<W>)_mm512_permutexvar_epi8(index, next);
    } else if constexpr (sizeof(W) < 8) {
      const __m512i below = _mm512_setr_epi32(0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047,
                                              4095, 8191, 16383, 32767);
      const auto index = [all = _mm512_set1_epi32(int(after))](__m512i lanes) FPSYNTH_INLINED {
        return _mm512_popcnt_epi32(_mm512_and_si512(all, lanes));
      };
      if constexpr (sizeof(W) == 4) return (Vector<W>)_mm512_permutexvar_epi32(index(below), next);
      const __m512i further =
          _mm512_or_si512(_mm512_slli_epi32(below, 16), _mm512_set1_epi32(0xffff));
      return (Vector<W>)_mm512_permutexvar_epi16(
          _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(index(below))),
                             _mm512_cvtepi32_epi16(index(further)), 1),
          next);
    } else {
      const __m512i below = _mm512_setr_epi64(0, 1, 3, 7, 15, 31, 63, 127);
      const __m512i index =
          _mm512_popcnt_epi64(_mm512_and_si512(_mm512_set1_epi64(std::int64_t(after)), below));
      return (Vector<W>)_mm512_permutexvar_epi64(index, next);
    }
  }
  /// Scans within a pack at doubling distances; the last `stride` results carry over to the next
  /// pack, so that one permute and one operation are the only dependence between packs.
  template <class W, class Op>
  FPSYNTH_INLINE static void scan(Op op, const W* in, std::size_t n, std::size_t stride, W* out) {
    const std::size_t bytes = stride * sizeof(W);
    if (bytes > 64) return Portable::scan<W>(op, in, n, stride, out);
    if (bytes == 64) return scan_steps<W, 0>(op, in, n, bytes, out);
    if (bytes >= 32) return scan_steps<W, 1>(op, in, n, bytes, out);
    if (bytes >= 16) return scan_steps<W, 2>(op, in, n, bytes, out);
    if (bytes >= 8) return scan_steps<W, 3>(op, in, n, bytes, out);
    if constexpr (sizeof(W) <= 4) {
      if (bytes >= 4) return scan_steps<W, 4>(op, in, n, bytes, out);
    }
    if constexpr (sizeof(W) < 4) {
      if (bytes >= 2) return scan_steps<W, 5>(op, in, n, bytes, out);
    }
    if constexpr (sizeof(W) == 1) return scan_steps<W, 6>(op, in, n, bytes, out);
  }

  /// Separates the even and the odd words of two packs; merge() is the inverse.
  template <class W>
  FPSYNTH_INLINE static void separate(Vector<W>& a, Vector<W>& b) {
    const __m512i even = _mm512_load_si512(avx512::kPairs<W>.even),
                  odd = _mm512_load_si512(avx512::kPairs<W>.odd), first = (__m512i)a;
    a = (Vector<W>)permute2<W>(first, even, (__m512i)b);
    b = (Vector<W>)permute2<W>(first, odd, (__m512i)b);
  }
  template <class W>
  FPSYNTH_INLINE static void merge(Vector<W>& a, Vector<W>& b) {
    const __m512i low = _mm512_load_si512(avx512::kPairs<W>.low),
                  high = _mm512_load_si512(avx512::kPairs<W>.high), first = (__m512i)a;
    a = (Vector<W>)permute2<W>(first, low, (__m512i)b);
    b = (Vector<W>)permute2<W>(first, high, (__m512i)b);
  }

  template <class W>
  FPSYNTH_INLINE static void deinterleave(const W* in, std::size_t n, std::size_t k, W* out) {
    if (separate_halves<W>(in, n, k, out)) return;
    if (k == 3) return deinterleave_by<W>(in, n, std::integral_constant<std::size_t, 3>(), out);
    if (k == 5) return deinterleave_by<W>(in, n, std::integral_constant<std::size_t, 5>(), out);
    if (k > kLanes<W> / 2) return Portable::deinterleave<W>(in, n, k, out);
    deinterleave_by<W>(in, n, k, out);
  }
  template <class W>
  FPSYNTH_INLINE static void interleave(const W* in, std::size_t n, std::size_t k, W* out) {
    constexpr std::size_t lanes = kLanes<W>;
    if (merge_halves<W>(in, n, k, out)) return;
    if (k == 3) return interleave_by<W, 3>(in, n, out);
    if (k == 5) return interleave_by<W, 5>(in, n, out);
    if (k > lanes / 2) return Portable::interleave<W>(in, n, k, out);
    // Lanes r, r + k, ... of an output pack come from one dimension. From pack to pack, the
    // dimension of lane r advances by lanes mod k.
    const W* next[lanes / 2 + 1];
    for (std::size_t d = 0; d < k; ++d) next[d] = in + d * (n / k) + (d < n % k ? d : n % k);
    const auto& table = avx512::kStrides<W>[k - 1];
    const __m512i index = _mm512_load_si512(table.row);
    std::size_t d = 0;
    for (std::size_t i = 0; i < n; i += lanes) {
      __m512i pack = _mm512_setzero_si512();
      for (std::size_t r = 0; r < k; ++r) {
        const std::uint64_t mine = table.residues[r];
        pack = permute<W>(pack, mine, index, _mm512_loadu_si512(next[d]));
        next[d] += __builtin_popcountll(mine);
        d = d + 1 == k ? 0 : d + 1;
      }
      d += table.turn;
      d -= d >= k ? k : 0;
      _mm512_storeu_si512(out + i, pack);
    }
  }

  /// Permutes collect bytes into columns, then squares of 8 x 8 bits are transposed: an affine
  /// transformation with the square as the matrix and the unit vectors as the operand is a
  /// transpose.
  template <class W>
  FPSYNTH_INLINE static void transpose_tiles(const W* in, std::size_t tiles, W* out) {
    if constexpr (sizeof(W) == 1) {
      std::size_t tile = 0;
      for (; tile + 8 <= tiles; tile += 8) {
        _mm512_storeu_si512(out + 8 * tile, transpose_squares(_mm512_loadu_si512(in + 8 * tile)));
      }
      Portable::transpose_tiles<W>(in + 8 * tile, tiles - tile, out + 8 * tile);
    } else if constexpr (sizeof(W) == 2) {
      const __m512i columns = _mm512_load_si512(avx512::kTiles16.columns),
                    planes = _mm512_load_si512(avx512::kTiles16.planes);
      for (; tiles >= 2; tiles -= 2, in += 32, out += 32) {
        const __m512i squares =
            transpose_squares(_mm512_permutexvar_epi8(columns, _mm512_loadu_si512(in)));
        _mm512_storeu_si512(out, _mm512_permutexvar_epi8(planes, squares));
      }
      Portable::transpose_tiles<W>(in, tiles, out);
    } else if constexpr (sizeof(W) == 4) {
      const __m512i columns = _mm512_load_si512(avx512::kTile32.columns),
                    low = _mm512_load_si512(avx512::kTile32.low),
                    high = _mm512_load_si512(avx512::kTile32.high);
      for (std::size_t tile = 0; tile < tiles; ++tile, in += 32, out += 32) {
        const __m512i a =
            transpose_squares(_mm512_permutexvar_epi8(columns, _mm512_loadu_si512(in)));
        const __m512i b =
            transpose_squares(_mm512_permutexvar_epi8(columns, _mm512_loadu_si512(in + 16)));
        _mm512_storeu_si512(out, _mm512_permutex2var_epi8(a, low, b));
        _mm512_storeu_si512(out + 16, _mm512_permutex2var_epi8(a, high, b));
      }
    } else {
      const __m512i columns = _mm512_load_si512(avx512::kTile64.columns),
                    planes = _mm512_load_si512(avx512::kTile64.planes);
      for (std::size_t tile = 0; tile < tiles; ++tile, in += 64, out += 64) {
        __m512i rows[8];
        for (int g = 0; g < 8; ++g) {
          rows[g] =
              transpose_squares(_mm512_permutexvar_epi8(columns, _mm512_loadu_si512(in + 8 * g)));
        }
        transpose_quadwords(rows);
        for (int c = 0; c < 8; ++c) {
          _mm512_storeu_si512(out + 8 * c, _mm512_permutexvar_epi8(planes, rows[c]));
        }
      }
    }
  }

 private:
  /// A pack of one dimension is gathered from k packs of the block, with one masked permute each.
  /// Unrolled where the type of `k` has the number.
  template <class W>
  FPSYNTH_INLINE static void deinterleave_by(const W* in, std::size_t n, auto k, W* out) {
    constexpr std::size_t lanes = kLanes<W>;
    const auto& table = avx512::kStrides<W>[k - 1];
    const __m512i index = _mm512_load_si512(table.source);
    for (std::size_t d = 0; d < k && d < n; ++d) {
      const std::size_t rows = (n - d + k - 1) / k;
      const auto gather = [&](std::size_t row) {
        const W* const from = in + d + row * k;
        __m512i pack = _mm512_setzero_si512();
        for (std::size_t part = 0; part < k; ++part) {
          pack =
              permute<W>(pack, table.lanes[part], index, _mm512_loadu_si512(from + part * lanes));
        }
        _mm512_storeu_si512(out + row, pack);
      };
      std::size_t row = 0;
      for (; row + lanes <= rows; row += lanes) gather(row);
      if (row < rows && rows >= lanes) {
        gather(rows - lanes);
      } else {
        for (; row < rows; ++row) out[row] = in[d + row * k];
      }
      out += rows;
    }
  }
  /// Lanes r, r + K, ... of an output pack come from one dimension.
  template <class W, std::size_t K>
  FPSYNTH_INLINE static void interleave_by(const W* in, std::size_t n, W* out) {
    constexpr std::size_t lanes = kLanes<W>;
    const W* columns[K];
    for (std::size_t d = 0; d < K; ++d) columns[d] = in + d * (n / K) + (d < n % K ? d : n % K);
    const auto& table = avx512::kStrides<W>[K - 1];
    const __m512i index = _mm512_load_si512(table.row);
    for (std::size_t i = 0; i < n; i += K * lanes) {
#pragma GCC unroll 5
      for (std::size_t part = 0; part < K; ++part) {
        const std::size_t before = part * lanes;
        if (i + before >= n) return;
        __m512i pack = _mm512_setzero_si512();
#pragma GCC unroll 5
        for (std::size_t r = 0; r < K; ++r) {
          const std::size_t d = (before + r) % K, used = (before + K - 1 - d) / K;
          pack = permute<W>(pack, table.residues[r], index,
                            _mm512_loadu_si512(columns[d] + i / K + used));
        }
        _mm512_storeu_si512(out + i + before, pack);
      }
    }
  }

  template <class W, class Op>
  FPSYNTH_INLINE static __m512i combine(Op, __m512i a, __m512i b) {
    if constexpr (std::is_same_v<Op, words::Plus>) {
      return (__m512i)((Vector<W>)a + (Vector<W>)b);
    } else if constexpr (std::is_same_v<Op, words::Xor>) {
      return _mm512_xor_si512(a, b);
    } else {
      return _mm512_max_epu64(a, b);
    }
  }

  template <class W, int Steps, class Op>
  FPSYNTH_INLINE static void scan_steps(Op op, const W* in, std::size_t n, std::size_t bytes,
                                        W* out) {
    const __m512i iota = _mm512_load_si512(avx512::kIota.bytes);
    __m512i source[Steps + 1];
    __mmask64 present[Steps + 1];
    for (int step = 0; step < Steps; ++step) {
      const std::size_t distance = bytes << step;
      source[step] = _mm512_sub_epi8(iota, _mm512_set1_epi8(char(distance)));
      present[step] = ~words::low_mask(distance);
    }
    // Repeats the last `bytes` bytes.
    const __m512i last_source =
        _mm512_add_epi8(_mm512_load_si512(avx512::kStrides<std::uint8_t>[bytes - 1].phase),
                        _mm512_set1_epi8(char(64 - bytes)));
    __m512i last = _mm512_setzero_si512();
    for (std::size_t i = 0; i < n; i += kLanes<W>) {
      __m512i pack = _mm512_loadu_si512(in + i);
#pragma GCC unroll 8
      for (int step = 0; step < Steps; ++step) {
        pack =
            combine<W>(op, pack, _mm512_maskz_permutexvar_epi8(present[step], source[step], pack));
      }
      last = combine<W>(op, pack, _mm512_permutexvar_epi8(last_source, last));
      _mm512_storeu_si512(out + i, last);
    }
  }

  template <class W>
  FPSYNTH_INLINE static __m512i permute(__m512i keep, std::uint64_t lanes, __m512i index,
                                        __m512i from) {
    if constexpr (sizeof(W) == 1) {
      return _mm512_mask_permutexvar_epi8(keep, lanes, index, from);
    } else if constexpr (sizeof(W) == 2) {
      return _mm512_mask_permutexvar_epi16(keep, __mmask32(lanes), index, from);
    } else if constexpr (sizeof(W) == 4) {
      return _mm512_mask_permutexvar_epi32(keep, __mmask16(lanes), index, from);
    } else {
      return _mm512_mask_permutexvar_epi64(keep, __mmask8(lanes), index, from);
    }
  }
  template <class W>
  FPSYNTH_INLINE static __m512i permute2(__m512i a, __m512i index, __m512i b) {
    if constexpr (sizeof(W) == 1) {
      return _mm512_permutex2var_epi8(a, index, b);
    } else if constexpr (sizeof(W) == 2) {
      return _mm512_permutex2var_epi16(a, index, b);
    } else if constexpr (sizeof(W) == 4) {
      return _mm512_permutex2var_epi32(a, index, b);
    } else {
      return _mm512_permutex2var_epi64(a, index, b);
    }
  }

  /// Eight squares of 8 x 8 bits, one per 64-bit lane, in which byte k is word k.
  FPSYNTH_INLINE static __m512i transpose_squares(__m512i squares) {
    return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(0x0102040810204080), squares, 0);
  }
  /// Eight rows of eight 64-bit words.
  FPSYNTH_INLINE static void transpose_quadwords(__m512i (&r)[8]) {
    __m512i a[8], b[8];
    for (int i = 0; i < 8; i += 2) {
      a[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);
      a[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);
    }
    // a[i], a[i + 1]: even and odd columns of rows i, i + 1, in 128-bit pairs.
    for (int i = 0; i < 8; i += 4) {
      for (int odd = 0; odd < 2; ++odd) {
        b[i + odd] = _mm512_shuffle_i64x2(a[i + odd], a[i + 2 + odd], 0x88);
        b[i + 2 + odd] = _mm512_shuffle_i64x2(a[i + odd], a[i + 2 + odd], 0xdd);
      }
    }
    // b[i + odd]: columns odd, 4 + odd; b[i + 2 + odd]: columns 2 + odd, 6 + odd, of four rows.
    for (int column = 0; column < 4; ++column) {
      r[column] = _mm512_shuffle_i64x2(b[column], b[4 + column], 0x88);
      r[column + 4] = _mm512_shuffle_i64x2(b[column], b[4 + column], 0xdd);
    }
  }
};

}  // namespace fpsynth::teams
