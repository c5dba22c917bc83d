// The table of readers.

#include "runners/data/formats/stored_datasets.hpp"
#include "runners/data/formats/variables.hpp"
#include "runners/modules/module.hpp"

namespace fpsynth::data {
namespace {

constexpr Reader kReaders[] = {
    {FileKind::Npy, nullptr, nullptr, &kNpyReader},
    {FileKind::Hdf5, "libhdf5", "hdf5", nullptr},         // and netCDF-4, whose files are HDF5
    {FileKind::Netcdf3, "libnetcdf", "netcdf", nullptr},  // classic, with 64-bit offsets, CDF-5
    {FileKind::Fits, "cfitsio", "fits", nullptr},
    {FileKind::Zarr, "the decoder of its chunks", nullptr, &kZarrReader},
    {FileKind::Safetensors, nullptr, nullptr, &kSafetensorsReader},
};

}  // namespace

std::span<const Reader> readers() { return kReaders; }

const ReaderFunctions& Reader::functions() const {
  return own ? *own : modules::entry<const ReaderFunctions>(module, "fpsynth_reader");
}

const StoredFunctions& stored_functions() {
  return modules::entry<const StoredFunctions>("hdf5", "fpsynth_stored");
}

}  // namespace fpsynth::data
