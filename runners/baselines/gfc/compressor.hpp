#pragma once
// GFC (gfc_2011, section 2): chunks of doubles that are compressed independently of each other.
//
// A file, little endian: number of doubles (4 bytes), dimensionality d (1), number of chunks n (2),
// n compressed sizes in bytes (4 each), then the chunks. A chunk has ceil(doubles / n) doubles,
// rounded up to a multiple of 32; the last chunk that is not empty has the rest, padded to a
// multiple of 32 with doubles that equal their predictions. A chunk consists of subchunks of 32
// doubles, its lanes. Lane l is predicted by lane 32 - d + l mod d of the previous subchunk (by 0
// in the first one). A subchunk is 16 bytes of 4-bit codes, the even lane in the low half (sign of
// the difference * 8 + length code, see lanes.hpp), then the bytes of the differences, least
// significant first.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runners/baselines/compressor.hpp"

namespace fpsynth::baselines {

inline constexpr unsigned kMaxGfcChunks = 65535;
inline constexpr unsigned kMaxGfcDimensionality = 32;

/// Bytes before the chunks.
constexpr std::size_t gfc_header_bytes(std::size_t chunks) { return 7 + 4 * chunks; }

/// Doubles in each chunk except the last ones, a multiple of 32.
constexpr std::size_t gfc_chunk_doubles(std::size_t doubles, std::size_t chunks) {
  const std::size_t subchunks = (doubles + 32 * chunks - 1) / (32 * chunks);
  return 32 * (subchunks == 0 ? 1 : subchunks);
}

/// The file of `doubles` (8 bytes each), in the memory of `buffer`, whose contents are replaced.
/// Uses at most `threads` threads (0: as many as OpenMP has). Throws UsageError for chunks out of
/// 1..65535 or dimensionality out of 1..32; Error for data that end with a part of a double, more
/// than 2^32 - 1 doubles, or a chunk that compresses to 4 GiB or more (use more chunks).
std::vector<std::byte> encode_gfc(std::span<const std::byte> doubles, unsigned chunks,
                                  unsigned dimensionality, int threads = 0,
                                  std::vector<std::byte> buffer = {});

/// The doubles of a file, which may hold any bytes: at most 16 times its size. Throws Error with
/// `name` and the byte offset if sizes, codes and the file's length disagree.
std::vector<std::byte> decode_gfc(std::span<const std::byte> file, std::string_view name,
                                  int threads = 0);

/// The same, to the caller's memory. Throws Error as well if the doubles do not fill it.
void decode_gfc_into(std::span<const std::byte> file, std::string_view name,
                     std::span<std::byte> out, int threads = 0);

/// GFC on all processors, doubles only. Throws UsageError for chunks out of 1..65535 or
/// dimensionality out of 1..32.
Compressor gfc(unsigned chunks, unsigned dimensionality);

}  // namespace fpsynth::baselines
