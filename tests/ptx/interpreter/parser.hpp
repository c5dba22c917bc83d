#pragma once
// A parser of PTX in the form that nvcc writes.

#include <string_view>

#include "tests/ptx/interpreter/program.hpp"

namespace fpsynth::ptx {

/// Parses the kernel whose text after its name begins at `begin`, in a file that outlives it. Knows
/// only what the project's kernels use; anything else is a Fault that names it and its line.
Kernel parse_kernel(std::string_view file, std::size_t begin);

}  // namespace fpsynth::ptx
