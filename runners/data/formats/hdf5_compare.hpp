#pragma once
// The comparison of two HDF5 files, of all but how they are stored.

#include <filesystem>
#include <span>
#include <string>

namespace fpsynth::data::hdf5 {

/// StoredFunctions::compare.
void compare(const std::filesystem::path& one, const std::filesystem::path& other,
             std::span<const std::string> without_values);

}  // namespace fpsynth::data::hdf5
