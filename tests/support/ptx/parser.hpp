#pragma once
// PTX as nvcc writes it.

#include <string_view>

#include "tests/support/ptx/program.hpp"

namespace fpsynth::ptx {

/// The kernel that begins at `begin`, behind its name, of a file that outlives it. Only what the
/// project's kernels are made of is known; anything else is a Fault that names it and its line.
Kernel parse_kernel(std::string_view file, std::size_t begin);

}  // namespace fpsynth::ptx
