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
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runners/baselines/baseline.hpp"
#include "runners/baselines/device_common.hpp"
#include "runners/device/device_info.hpp"

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

/// GFC on a device, mapped as in its paper: one warp processes a chunk. Inputs larger than the
/// device's memory are processed in batches of whole chunks, one after the other.
///
/// As many chunks as the device has resident warps are needed to fill a GPU: some 8,000 on an H100.
class GfcDevice : public BaselineDevice {
 public:
  /// Replaces the contents of `file` by the file that encode_gfc() writes. Throws what encode_gfc()
  /// throws, and DeviceError if the device fails or its memory is too small for one chunk.
  virtual void encode_into(std::span<const std::byte> doubles, unsigned chunks,
                           unsigned dimensionality, std::vector<std::byte>& file) = 0;
  /// The same, to newly allocated memory.
  std::vector<std::byte> encode(std::span<const std::byte> doubles, unsigned chunks,
                                unsigned dimensionality) {
    std::vector<std::byte> file;
    encode_into(doubles, chunks, dimensionality, file);
    return file;
  }
};

/// Throws DeviceError if the program was built without CUDA or the device cannot be used.
std::unique_ptr<GfcDevice> gfc_on(const device::DeviceInfo& info);

std::unique_ptr<Baseline> gfc_baseline();

/// The table of sweep_table() for inputs of dimensionality 1..32 and numbers of chunks. Throws
/// UsageError for chunks out of 1..65535 or dimensionality out of 1..32.
results::Table gfc_sweep(std::span<const SweepInput> inputs, std::span<const unsigned> chunks,
                         const timing::Effort& effort, const timing::Progress& progress = nullptr);

/// Figure 2: for each input (doubles) and each number n from 0 to 8, the values whose residual
/// starts with n zero bytes (8: it is zero), in one chunk. Throws as gfc_sweep() does.
results::Table gfc_leading_zeros(std::span<const SweepInput> inputs);

}  // namespace fpsynth::baselines
