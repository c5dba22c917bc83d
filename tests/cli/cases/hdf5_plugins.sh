# HDF5 and netCDF-4 files that others compressed: read to the bit where the filter is installed, and an error that names
# what to install and what to set where it is not. h5py and nccopy write with the plugins of PyPI's hdf5plugin.
"${fpsynth:?}" --version | grep -q 'no libhdf5' && skip 'this program has no libhdf5'
/usr/bin/python3 -c 'import h5py' 2>/dev/null || skip 'no h5py (python3-h5py)'
/usr/bin/python3 -m pip install --quiet --no-input --disable-pip-version-check --no-compile --no-deps --target packages \
  hdf5plugin >log 2>&1 || skip 'no hdf5plugin from PyPI (pip)'
unset HDF5_PLUGIN_PATH
plugins=$PWD/packages/hdf5plugin/plugins
doubles 20000 in.f64
cat >write.py <<'END'
import os, sys, numpy
sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)  # the plugins take HDF5's functions from the program
import h5py
values = numpy.fromfile("in.f64").reshape(100, 200)
filters = {"zstd": (32015, 3), "blosc": (32001, 0, 0, 0, 0, 5, 1, 5), "bzip2": (307, 9), "lz4": (32004, 0),
           "bitshuffle": (32008, 0, 2), "blosc2": (32026, 0, 0, 0, 0, 5, 1, 1)}
for name, (number, *options) in filters.items():
    with h5py.File(name + ".h5", "w") as file:
        file.create_dataset("x", data=values, chunks=(30, 50), shuffle=name == "zstd", compression=number,
                            compression_opts=tuple(options))
with h5py.File("lzf.h5", "w") as file:
    file.create_dataset("x", data=values, chunks=(30, 50), compression="lzf")
with h5py.File("plain.nc", "w") as file:
    file.create_dataset("x", data=values)
END
expect 0 env "HDF5_PLUGIN_PATH=$plugins" /usr/bin/python3 write.py
files=(zstd.h5 blosc.h5 bzip2.h5 lz4.h5 bitshuffle.h5 blosc2.h5)
if command -v nccopy >/dev/null; then
  expect 0 env "HDF5_PLUGIN_PATH=$plugins" nccopy -F x,32015,3 plain.nc zstd.nc
  files+=(zstd.nc)
fi
# without FILE REGEX: read with what the distribution installs, or refused with a reason.
without() {
  last=$1
  if "$fpsynth" data decode "$1" out.f64 --force 2>.err; then same out.f64 in.f64; else says "$2"; fi
}
for file in "${files[@]}"; do
  without "$file" "filter [0-9]+, ${file%.*}, which is not installed; .*HDF5_PLUGIN_PATH=.*hdf5plugin\.PLUGIN_PATH"
  # A folder that is not there must not hide those behind it.
  expect 0 env "HDF5_PLUGIN_PATH=$PWD/none:$plugins" "$fpsynth" data decode "$file" out.f64 --force
  same out.f64 in.f64
done
without lzf.h5 'filter 32000, lzf, .*package hdf5-plugin-lzf.*HDF5_PLUGIN_PATH'
