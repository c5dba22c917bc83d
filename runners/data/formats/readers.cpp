// The table of readers.

#include "runners/data/formats/variables.hpp"
#include "runners/modules/module.hpp"

namespace fpsynth::data {
namespace {

constexpr Reader kReaders[] = {
    {FileKind::Npy, nullptr, nullptr},
    {FileKind::Hdf5, "libhdf5", "hdf5"},         // and netCDF-4, whose files are HDF5
    {FileKind::Netcdf3, "libnetcdf", "netcdf"},  // classic, with 64-bit offsets, CDF-5
    {FileKind::Fits, "cfitsio", "fits"},
};

}  // namespace

std::span<const Reader> readers() { return kReaders; }

const ReaderFunctions& Reader::functions() const {
  static constexpr ReaderFunctions kNpy = {open_npy, nullptr};
  return module ? modules::entry<const ReaderFunctions>(module, "fpsynth_reader") : kNpy;
}

}  // namespace fpsynth::data
