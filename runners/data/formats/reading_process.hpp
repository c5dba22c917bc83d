#pragma once
// Processes that read files with foreign libraries. A damaged file can crash libhdf5, libnetcdf and
// cfitsio: then such a process ends, and the program says so. It is this program again, started by
// posix_spawn(), because a fork of a process with threads, or of a rank of MPI, may not call a
// library. The values come back in memory that both processes share, so that they are not copied.

#include <optional>
#include <utility>
#include <vector>

#include "runners/data/formats/variables.hpp"

namespace fpsynth::data {

/// Must be called at the start of main(), before MPI starts. If this is a process that reads for
/// another one, does so and returns the exit status. Otherwise, from now on list_variables() and
/// read_variable() read in processes of their own; without this call, as in tests and fuzz targets,
/// they read in the calling process.
std::optional<int> read_in_processes(int argc, char** argv);

/// True if a format is to be read in a process of its own: not under a limit on the size of files,
/// nor where /proc is missing.
bool is_read_apart(const Reader& reader);

/// As list_here() and read_here(), by a process. Throws their Errors, and Error if the process
/// crashes.
std::vector<Variable> list_apart(const Place& place, const Reader& reader);
std::pair<Variable, Values> read_apart(const Place& place, const Reader& reader);

}  // namespace fpsynth::data
