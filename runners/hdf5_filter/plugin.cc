// The functions that HDF5 looks for in a plugin, in a file that the plugin alone has.

#include "runners/hdf5_filter/filter.hpp"

extern "C" {

int H5PLget_plugin_type() { return fpsynth::hdf5::kFilterPlugin; }
const void* H5PLget_plugin_info() { return &fpsynth::hdf5::filter_class(); }

}  // extern "C"
