#pragma once
// The memory that this process can use.

#include <cstdint>

namespace fpsynth {

/// The bytes of memory of the machine, or fewer if a limit on address space (ulimit -v) or a cgroup
/// leaves fewer; the largest number if nothing says. Found once.
std::uint64_t usable_memory();

}  // namespace fpsynth
