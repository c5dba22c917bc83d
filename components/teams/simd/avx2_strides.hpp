#pragma once
// Scans, deinterleaving and interleaving with AVX2, for strides of up to 16 bytes or 7 words. AVX2
// shuffles bytes only within halves of 16 bytes, and these algorithms need no more.

#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// L is the level, which has combine() of two vectors of words.
template <class L>
struct Avx2Strides {
  template <class W>
  using Vector = typename L::template Vector<W>;

  /// out[i] = in[i] op out[i - stride], for a stride of up to 16 bytes; in may be out. Each half of
  /// a pack is scanned by doubling distances, then the totals of what is before it are added. The
  /// totals of all packs before are one vector, kept in phase with the next pack, so that the chain
  /// of dependencies has one shuffle and one operation per pack.
  template <class W, class Op>
  FPSYNTH_INLINE static void scan(Op op, const W* in, std::size_t n, std::size_t stride, W* out) {
    const std::size_t bytes = stride * sizeof(W);
    if (bytes == 16) return scan_steps<W, 0>(op, in, n, bytes, out);
    if (bytes >= 8) return scan_steps<W, 1>(op, in, n, bytes, out);
    if constexpr (sizeof(W) < 8) {
      if (bytes >= 4) return scan_steps<W, 2>(op, in, n, bytes, out);
    }
    if constexpr (sizeof(W) < 4) {
      if (bytes >= 2) return scan_steps<W, 3>(op, in, n, bytes, out);
    }
    if constexpr (sizeof(W) == 1) return scan_steps<W, 4>(op, in, n, bytes, out);
  }

  /// Moves words 0, K, 2 K, ..., then 1, K + 1, ...: turns K vectors of 16 bytes into one vector of
  /// each of the K columns at a time.
  template <class W, std::size_t K>
  FPSYNTH_INLINE static void deinterleave(const W* in, std::size_t n, W* out) {
    W* columns[K];
    for (std::size_t d = 0; d < K; ++d) columns[d] = out + column_begin(n, K, d);
    std::size_t i = 0;
    for (; i + K * kLanes<W> <= n; i += K * kLanes<W>) {
      __m128i vectors[K];
#pragma GCC unroll 8
      for (std::size_t part = 0; part < K; ++part) vectors[part] = load(in + i + part * kLanes<W>);
      collect<W, kFromRows<W, K>>(
          vectors, std::make_index_sequence<K>{},
          [&](std::size_t d, __m128i column) { store(columns[d] + i / K, column); });
    }
    for (; i < n; ++i) columns[i % K][i / K] = in[i];
  }
  /// The inverse of deinterleaving.
  template <class W, std::size_t K>
  FPSYNTH_INLINE static void interleave(const W* in, std::size_t n, W* out) {
    const W* columns[K];
    for (std::size_t d = 0; d < K; ++d) columns[d] = in + column_begin(n, K, d);
    std::size_t i = 0;
    for (; i + K * kLanes<W> <= n; i += K * kLanes<W>) {
      __m128i vectors[K];
#pragma GCC unroll 8
      for (std::size_t d = 0; d < K; ++d) vectors[d] = load(columns[d] + i / K);
      collect<W, kFromColumns<W, K>>(
          vectors, std::make_index_sequence<K>{},
          [&](std::size_t part, __m128i row) { store(out + i + part * kLanes<W>, row); });
    }
    for (; i < n; ++i) out[i] = columns[i % K][i / K];
  }

 private:
  template <class W>
  static constexpr std::size_t kLanes = 16 / sizeof(W);

  FPSYNTH_INLINE static __m128i load(const void* from) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  }
  FPSYNTH_INLINE static void store(void* to, __m128i vector) {
    _mm_storeu_si128(static_cast<__m128i*>(to), vector);
  }
  FPSYNTH_INLINE static std::size_t column_begin(std::size_t n, std::size_t k, std::size_t d) {
    return d * (n / k) + (d < n % k ? d : n % k);
  }

  /// Shuffles for a scan with a stride of so many bytes: the source of every byte of a pack; 0x80:
  /// zero.
  struct ScanSources {
    alignas(32) std::uint8_t up[4][32] = {};    ///< from 1, 2, 4 and 8 strides before
    alignas(32) std::uint8_t to_high[32] = {};  ///< the totals of the low half, for the high half
    alignas(32) std::uint8_t totals[32] = {};   ///< the totals, in phase with the next pack
    alignas(
        32) std::uint8_t turn[32] = {};  ///< moves totals from one pack's phase to the next one's
    constexpr ScanSources(std::size_t bytes) {
      if (bytes == 0) return;
      for (std::size_t i = 0; i < 32; ++i) {
        const std::size_t in_half = i % 16;
        for (int step = 0; step < 4; ++step) {
          const std::size_t distance = bytes << step;
          up[step][i] = std::uint8_t(in_half < distance ? 0x80 : in_half - distance);
        }
        to_high[i] = std::uint8_t(i < 16 ? 0x80 : 16 - bytes + in_half % bytes);
        totals[i] = std::uint8_t(16 - bytes + i % bytes);
        // Byte i of the next pack continues byte i + 32 - bytes m, of any m, of this one.
        turn[i] = std::uint8_t(((i + 32) % bytes + bytes - (i - in_half) % bytes) % bytes);
      }
    }
  };
  template <std::size_t... Bytes>
  static constexpr std::array<ScanSources, sizeof...(Bytes)> scan_sources(
      std::index_sequence<Bytes...>) {
    return {ScanSources(Bytes)...};
  }
  static constexpr std::array<ScanSources, 17> kScanSources =
      scan_sources(std::make_index_sequence<17>{});

  template <class W, int Steps, class Op>
  FPSYNTH_INLINE static void scan_steps(Op op, const W* in, std::size_t n, std::size_t bytes,
                                        W* out) {
    const auto combine = [op](__m256i a, __m256i b) {
      return (__m256i)L::template combine<W>(op, (Vector<W>)a, (Vector<W>)b);
    };
    const ScanSources& from = kScanSources[bytes];
    const auto shuffle = [](__m256i pack, const std::uint8_t(&source)[32]) {
      return _mm256_shuffle_epi8(pack, _mm256_load_si256(reinterpret_cast<const __m256i*>(source)));
    };
    __m256i before = _mm256_setzero_si256();
    for (std::size_t i = 0; i < n; i += 32 / sizeof(W)) {
      __m256i pack = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i));
#pragma GCC unroll 4
      for (int step = 0; step < Steps; ++step) pack = combine(pack, shuffle(pack, from.up[step]));
      pack = combine(pack, shuffle(_mm256_permute2x128_si256(pack, pack, 0x08), from.to_high));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), combine(pack, before));
      before = combine(shuffle(_mm256_permute4x64_epi64(pack, 0xee), from.totals),
                       shuffle(before, from.turn));
    }
  }

  /// The shuffles that make vector `to` of K from vectors 0..K-1.
  template <std::size_t K>
  struct Sources {
    alignas(16) std::uint8_t source[K][K][16];  ///< [to][from]
    bool used[K][K] = {};
  };
  /// Word j of column `to` is word j K + to of K vectors of rows.
  template <class W, std::size_t K>
  static constexpr Sources<K> from_rows() {
    Sources<K> made{};
    for (std::size_t to = 0; to < K; ++to) {
      for (std::size_t i = 0; i < 16; ++i) {
        const std::size_t byte = ((i / sizeof(W)) * K + to) * sizeof(W) + i % sizeof(W);
        set(made, to, i, byte / 16, byte % 16);
      }
    }
    return made;
  }
  /// Word i of K vectors of rows is word i / K of column i mod K.
  template <class W, std::size_t K>
  static constexpr Sources<K> from_columns() {
    Sources<K> made{};
    for (std::size_t byte = 0; byte < 16 * K; ++byte) {
      const std::size_t word = byte / sizeof(W);
      set(made, byte / 16, byte % 16, word % K, word / K * sizeof(W) + byte % sizeof(W));
    }
    return made;
  }
  template <std::size_t K>
  static constexpr void set(Sources<K>& made, std::size_t to, std::size_t i, std::size_t from,
                            std::size_t source) {
    for (std::size_t f = 0; f < K; ++f) {
      made.source[to][f][i] = f == from ? std::uint8_t(source) : 0x80;
    }
    made.used[to][from] = true;
  }
  template <class W, std::size_t K>
  static constexpr Sources<K> kFromRows = from_rows<W, K>();
  template <class W, std::size_t K>
  static constexpr Sources<K> kFromColumns = from_columns<W, K>();

  /// Calls put(to, vector) for every vector that the shuffles `S` produce.
  template <class W, const auto& S, std::size_t K, std::size_t... To, class Put>
  FPSYNTH_INLINE static void collect(const __m128i (&vectors)[K], std::index_sequence<To...> all,
                                     Put put) {
    (put(To, collect_one<S, To>(vectors, all)), ...);
  }
  template <const auto& S, std::size_t To, std::size_t K, std::size_t... From>
  FPSYNTH_INLINE static __m128i collect_one(const __m128i (&vectors)[K],
                                            std::index_sequence<From...>) {
    __m128i collected = _mm_setzero_si128();
    const auto add = [&]<std::size_t F>() {
      if constexpr (S.used[To][F]) {
        collected = _mm_or_si128(
            collected,
            _mm_shuffle_epi8(vectors[F],
                             _mm_load_si128(reinterpret_cast<const __m128i*>(S.source[To][F]))));
      }
    };
    (add.template operator()<From>(), ...);
    return collected;
  }
};

}  // namespace fpsynth::teams
