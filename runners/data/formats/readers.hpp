#pragma once
// The readers, one file each. Those of libraries that a build lacks are left out
// (runners/CMakeLists.txt); readers.cpp has the table.

#include <string>

#include "runners/data/formats/variables.hpp"

namespace fpsynth::data {

OpenVariables open_npy;
OpenVariables open_hdf5;    ///< HDF5, and netCDF-4, whose files are HDF5
OpenVariables open_netcdf;  ///< netCDF-3: classic, with 64-bit offsets, CDF-5
OpenVariables open_fits;

/// The attributes by which netCDF and HDF5 files say what values mean.
inline constexpr std::string_view kAttributes[] = {"units",         "long_name",    "_FillValue",
                                                   "missing_value", "scale_factor", "add_offset"};

/// The versions of the libraries, with their names.
std::string hdf5_version();
std::string netcdf_version();
std::string fits_version();

}  // namespace fpsynth::data
