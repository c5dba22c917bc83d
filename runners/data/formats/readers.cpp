// The table of readers. The build defines FPSYNTH_FORMAT_<NAME> as a reader's two functions, or as
// null pointers if its library was not found (runners/CMakeLists.txt).

#include "runners/data/formats/variables.hpp"

namespace fpsynth::data {
namespace {

constexpr Reader kReaders[] = {
    {FileKind::Npy, nullptr, nullptr, open_npy, nullptr},
    {FileKind::Hdf5, "libhdf5", "libhdf5-dev", FPSYNTH_FORMAT_HDF5},
    {FileKind::Netcdf3, "libnetcdf", "libnetcdf-dev", FPSYNTH_FORMAT_NETCDF},
    {FileKind::Fits, "cfitsio", "libcfitsio-dev", FPSYNTH_FORMAT_FITS},
};

}  // namespace

std::span<const Reader> readers() { return kReaders; }

}  // namespace fpsynth::data
