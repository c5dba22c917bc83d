#pragma once
// GFC (gfc_2011, section 2): chunks of doubles that are compressed independently of each other.

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runners/baselines/baseline.hpp"
#include "runners/baselines/device_common.hpp"
#include "runners/baselines/gfc/format.hpp"
#include "runners/device/device_info.hpp"

namespace fpsynth::baselines {

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
using GfcDevice = EncodingDevice<unsigned, unsigned>;  // chunks, dimensionality

/// For on_gpu(). Throws DeviceError if the device cannot be used.
std::shared_ptr<GfcDevice> gfc_on(const device::DeviceInfo& info);

std::unique_ptr<Baseline> gfc_baseline();

/// The table of sweep_table() for inputs of dimensionality 1..32 and numbers of chunks. Throws
/// UsageError for chunks out of 1..65535 or dimensionality out of 1..32.
results::Table gfc_sweep(std::span<const SweepInput> inputs, std::span<const unsigned> chunks,
                         const timing::Effort& effort, const timing::Progress& progress = nullptr);

/// Figure 2: for each input (doubles) and each number n from 0 to 8, the values whose residual
/// starts with n zero bytes (8: it is zero), in one chunk. Throws as gfc_sweep() does.
results::Table gfc_leading_zeros(std::span<const SweepInput> inputs);

}  // namespace fpsynth::baselines
