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

/// The header of a .npy file, whose reader needs no library.
struct NpyHeader {
  std::string type;                           ///< "float64", "int16", "structured", ...
  std::optional<synth::Precision> precision;  ///< nothing for other types than float32 and float64
  bool big_endian = false;
  bool fortran_order = false;        ///< the first index counts fastest
  std::vector<std::uint64_t> shape;  ///< unknown (empty) for structured types
  std::size_t data = 0;              ///< where the values begin, in bytes of the file
};

/// The header at the start of any bytes. Throws Error with the cause alone if there is none, or a
/// damaged one.
NpyHeader parse_npy_header(std::span<const std::byte> bytes);

}  // namespace fpsynth::data
