#pragma once
// Data sets from the network, downloaded by the program curl.

#include <filesystem>

#include "runners/data/registry/datasets.hpp"
#include "runners/data/registry/programs.hpp"

namespace fpsynth::data {

/// Downloads a set's file to the data folder and returns its path. A valid file is kept. An
/// interrupted download continues where it stopped: until the file is complete and has the known
/// size, values and checksum, it is in the folder `partial` of the data folder. `say` is called
/// with one line per step. Throws Error if there is no address, no curl or no network, with
/// instructions for a download by hand, and for a file that is not the described one.
std::filesystem::path fetch(const Dataset& set, const std::filesystem::path& folder,
                            const Say& say);

/// Writes the values of an FPC set in the folder to decoded_path() and returns that path. An
/// existing file of the right size is kept. Throws Error, also for a set that needs no decoding.
std::filesystem::path decode(const Dataset& set, const std::filesystem::path& folder);

}  // namespace fpsynth::data
