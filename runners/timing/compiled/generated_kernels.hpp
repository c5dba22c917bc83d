#pragma once
// Generated kernels: device code of one pipeline alone, as NVRTC takes it.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "runners/timing/compiled/nvrtc.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::timing {

/// Where a CUDA Toolkit's headers may be: in CUDA_HOME, CUDA_PATH and /usr/local/cuda.
std::vector<std::filesystem::path> cuda_header_folders();

/// The first of the folders that has the headers which generated kernels include, those of libcu++.
/// Throws Error, which says what to install, where none has.
std::filesystem::path libcudacxx_folder(std::span<const std::filesystem::path> folders);

/// The kernels of a pipeline on words of `word_bytes` bytes (synth::generate_kernels), with
/// libcu++, in that folder, for the standard library, which NVRTC does not have.
DeviceSource kernel_source(const synth::Pipeline& pipeline, std::size_t word_bytes,
                           const std::filesystem::path& libcudacxx);

}  // namespace fpsynth::timing
