#pragma once
// Generated kernels: device code for a single pipeline, as NVRTC compiles it.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "runners/timing/compiled/nvrtc.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::timing {

/// Folders that may have a CUDA Toolkit's headers: in CUDA_HOME, CUDA_PATH and /usr/local/cuda.
std::vector<std::filesystem::path> cuda_header_folders();

/// The first of the folders that has libcu++'s headers, which generated kernels include. Throws
/// Error, which says what to install, if none has them.
std::filesystem::path libcudacxx_folder(std::span<const std::filesystem::path> folders);

/// The kernels of a pipeline on words of `word_bytes` bytes (synth::generate_kernels). NVRTC has no
/// standard library, so its headers are replaced by those of libcu++ in folder `libcudacxx`.
DeviceSource kernel_source(const synth::Pipeline& pipeline, std::size_t word_bytes,
                           const std::filesystem::path& libcudacxx);

}  // namespace fpsynth::timing
