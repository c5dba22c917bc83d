#pragma once
// The HDF5 filter for all methods. A stored chunk is a container (runners/codec/format/FORMAT.md)
// of the chunk's bytes.

#include "runners/hdf5_filter/host.hpp"

namespace fpsynth::hdf5 {

/// The class that HDF5 calls. Its functions throw nothing: reasons are on the stack of errors of
/// the HDF5 that calls, which serializes its calls.
const FilterClass& filter_class();

}  // namespace fpsynth::hdf5
