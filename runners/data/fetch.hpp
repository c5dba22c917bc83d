#pragma once
// Data sets from the network, with curl as a program of its own.

#include <filesystem>
#include <functional>
#include <string>

#include "runners/data/datasets.hpp"

namespace fpsynth::data {

/// Brings a set's file into the data folder and returns where it is. A file that is there and right
/// stays. A download that was cut off goes on where it stopped: until it is whole and has the known
/// size, values and checksum, the file is in the folder `partial` of the data folder. `say` gets
/// one line per step. Throws Error where there is no address, no curl or no network, with what to
/// download from where and where to put it, and for a file that is not the described one.
std::filesystem::path fetch(const Dataset& set, const std::filesystem::path& folder,
                            const std::function<void(const std::string&)>& say);

/// Writes the values of an FPC set that is in the folder to decoded_path() and returns that. A file
/// that is there and has the right size stays. Throws Error, also for a set that needs no decoding.
std::filesystem::path decode(const Dataset& set, const std::filesystem::path& folder);

}  // namespace fpsynth::data
