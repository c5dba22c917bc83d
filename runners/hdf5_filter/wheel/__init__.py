"""Importing this lets h5py, netCDF4, h5netcdf and PyTables read and write data sets with the HDF5 filter of
fpsynth, number 63824, whether they are imported before or after. `folder` has the plugin for other programs:
HDF5_PLUGIN_PATH=$(python -m fpsynth_hdf5)"""

import ctypes
import importlib.util
import os
import sys

folder = os.path.dirname(os.path.abspath(__file__))

# Each package brings an HDF5 of its own. One that is loaded has read HDF5_PLUGIN_PATH, so it is told.
with open("/proc/self/maps") as _maps:
    for _path in {line.split(None, 5)[-1].strip() for line in _maps if "/libhdf5" in line and "_hl" not in line}:
        _library = ctypes.PyDLL(_path)
        if hasattr(_library, "H5PLprepend") and _library.H5PLprepend(os.fsencode(folder)) < 0:
            raise ImportError(_path + " does not take " + folder + " as a folder of plugins")

# Those that are loaded later read it: HDF5 1.10 stops at a folder that is not there, so this comes first.
# What follows stands for their default folder, and for netCDF4's own plugins, which it else sets.
_paths = os.environ.get("HDF5_PLUGIN_PATH", "").split(":")
if _paths == [""]:
    _netcdf4 = importlib.util.find_spec("netCDF4")
    _paths = [os.path.join(at, "plugins") for at in (_netcdf4 and _netcdf4.submodule_search_locations or ())]
    _paths += ["/usr/local/hdf5/lib/plugin", "/usr/local/lib/hdf5/plugin",
               "/usr/lib/x86_64-linux-gnu/hdf5/serial/plugins", os.path.join(sys.prefix, "lib/hdf5/plugin")]
    _paths = [path for path in _paths if os.path.isdir(path)]
if folder not in _paths:
    os.environ["HDF5_PLUGIN_PATH"] = ":".join([folder] + _paths)
