#pragma once
// The frame of a GFC file, shared by the CPU and devices: parameters, header, chunk sizes.
//
// A file, little endian: number of doubles (4 bytes), dimensionality d (1), number of chunks n (2),
// n compressed sizes in bytes (4 each), then the chunks. A chunk has ceil(doubles / n) doubles,
// rounded up to a multiple of 32; the last chunk that is not empty has the rest, padded to a
// multiple of 32 with doubles that equal their predictions. (The paper's text has chunks that never
// differ by more than 32 doubles; the ratios of its Table 2 are those of this division.) A chunk
// consists of subchunks of 32 doubles, its lanes. Lane l is predicted by lane 32 - d + l mod d of
// the previous subchunk (by 0 in the first one). A subchunk is 16 bytes of 4-bit codes, the even
// lane in the low half (sign of the difference * 8 + length code, see lanes.hpp), then the bytes of
// the differences, least significant first.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "components/words/bits.hpp"

// The arithmetic of GFC on one lane of a subchunk (gfc_2011, section 2.1): small functions shared
// by a loop over 32 lanes and a warp of 32 threads.

namespace fpsynth::baselines::gfc_lanes {

/// Doubles in a subchunk, and bytes of their 4-bit codes, which come first in it.
inline constexpr std::size_t kLanes = 32;
inline constexpr std::size_t kCodeBytes = kLanes / 2;
/// Bytes of a subchunk that does not compress at all.
inline constexpr std::size_t kWorstSubchunk = kCodeBytes + 8 * kLanes;

/// The lane of the previous subchunk that predicts `lane` at dimensionality 1..32.
FPSYNTH_INLINE constexpr std::size_t predicting_lane(std::size_t lane, std::size_t dimensionality) {
  return kLanes - dimensionality + lane % dimensionality;
}

struct Residual {
  std::uint64_t bits;  ///< the difference without its sign
  std::uint32_t sign;  ///< 1 if the difference was negative
};

FPSYNTH_INLINE constexpr Residual residual_of(std::uint64_t value, std::uint64_t predicted) {
  const std::uint64_t difference = value - predicted;
  const std::uint64_t negative = difference >> 63;
  return {(difference ^ (0 - negative)) + negative, static_cast<std::uint32_t>(negative)};
}

FPSYNTH_INLINE constexpr std::uint64_t value_of(std::uint64_t bits, std::uint32_t code,
                                                std::uint64_t predicted) {
  const std::uint64_t negative = code >> 3;
  return predicted + ((bits ^ (0 - negative)) + negative);
}

/// 3-bit length code of a residual: 0, 1 (for 1 byte), 2 (for 3), 3 (4), ... 7 (8). 2 bytes have no
/// code; they are stored as 3.
FPSYNTH_INLINE constexpr std::uint32_t length_code_of(std::uint64_t bits) {
  const auto top = static_cast<std::uint32_t>(words::highest_bit(bits | 1));
  // Bytes - 1, plus one for 1 byte and for the 2 bytes that are stored as 3.
  const std::uint32_t code = top / 8 + (top < 16 ? 1 : 0);
  return bits == 0 ? 0 : code;
}

/// Bytes stored for a 4-bit code.
FPSYNTH_INLINE constexpr std::uint32_t bytes_of(std::uint32_t code) {
  const std::uint32_t length = code & 7;
  return length + (length >= 2 ? 1 : 0);
}

/// The low-order bytes that a 4-bit code stores, as a mask.
FPSYNTH_INLINE constexpr std::uint64_t mask_of(std::uint32_t code) {
  const std::uint32_t bits = 8 * bytes_of(code);
  return bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
}

}  // namespace fpsynth::baselines::gfc_lanes

namespace fpsynth::baselines {

inline constexpr unsigned kMaxGfcChunks = 65535;
inline constexpr unsigned kMaxGfcDimensionality = 32;
/// Of the doubles of a file.
inline constexpr std::size_t kMostGfcBytes = 8 * std::size_t{0xffff'ffff};

/// Bytes before the chunks.
constexpr std::size_t gfc_header_bytes(std::size_t chunks) { return 7 + 4 * chunks; }

/// Doubles in each chunk except the last ones, a multiple of 32.
constexpr std::size_t gfc_chunk_doubles(std::size_t doubles, std::size_t chunks) {
  const std::size_t subchunks = (doubles + 32 * chunks - 1) / (32 * chunks);
  return 32 * (subchunks == 0 ? 1 : subchunks);
}

/// Throws UsageError for chunks out of 1..65535 or dimensionality out of 1..32.
void check_gfc(unsigned chunks, unsigned dimensionality);

/// The division of doubles into chunks.
struct GfcLayout {
  std::size_t doubles;
  unsigned chunks, dimensionality;

  std::size_t chunk_doubles() const { return gfc_chunk_doubles(doubles, chunks); }
  /// Number of chunks that are not empty; they come first.
  std::size_t used() const { return (doubles + chunk_doubles() - 1) / chunk_doubles(); }
  /// Number of doubles of a chunk, without padding.
  std::size_t of(std::size_t chunk) const {
    const std::size_t from = chunk * chunk_doubles();
    return from >= doubles                    ? 0
           : doubles - from < chunk_doubles() ? doubles - from
                                              : chunk_doubles();
  }
};

/// The layout of a file of `bytes` bytes of doubles. Throws as check_gfc() does, and Error for data
/// that end with a part of a double or are more than 2^32 - 1 doubles.
GfcLayout gfc_layout(std::size_t bytes, unsigned chunks, unsigned dimensionality);

/// Writes gfc_header_bytes(layout.chunks) bytes; `sizes` are the used chunks' sizes. Throws Error
/// for a chunk of 4 GiB or more.
void put_gfc_header(const GfcLayout& layout, std::span<const std::size_t> sizes, std::byte* out);

/// Throws Error: the file is damaged at `offset`.
[[noreturn]] void refuse_gfc(std::string_view name, std::size_t offset, std::string_view what);

/// A file whose sizes agree with each other and with its header.
struct GfcFile {
  GfcLayout layout;
  std::vector<std::size_t> offsets;  ///< of all chunks, and the file's end
};

/// Checks everything except the chunks' codes, and allocates no more than the file's size
/// justifies. Throws Error with `name` and the byte offset of the fault.
GfcFile parse_gfc(std::span<const std::byte> file, std::string_view name);

}  // namespace fpsynth::baselines
