# The HDF5 filter with the packages of PyPI, each of which brings an HDF5 of its own: h5py, h5netcdf,
# xarray and netCDF4 write and read, and all read what the others and Debian's h5py wrote.
"${fpsynth:?}" hdf5 path >.out 2>.err || skip 'this build has no HDF5 filter (FPSYNTH_INSTALL)'
HDF5_PLUGIN_PATH=$(cat .out)
export HDF5_PLUGIN_PATH
python3 -m venv venv >log 2>&1 || skip 'python3 makes no virtual environment (python3-venv)'
timeout 120 venv/bin/pip install -q --disable-pip-version-check --no-input --retries 1 --timeout 10 --only-binary :all: \
  --no-compile h5py netCDF4 h5netcdf xarray >log 2>&1 || skip "no wheels from PyPI: $(grep -m 1 ERROR log)"
expect 0 "$fpsynth" hdf5 options "DICT LAGs:1 / BIT LNV1s | ZE"
read -ra values <<<"63824 $(sed -n 's/^values *//p' .out | tr , ' ')"
python() { expect 0 "${@:1:1}" "$root/tests/hdf5/filter_there_and_back.py" "${@:2}" "${values[@]}" && prints '^same$'; }

for package in h5py h5netcdf xarray; do python venv/bin/python "$package" write "$package.h5"; done
cp h5netcdf.h5 netcdf4.h5
python venv/bin/python netCDF4 write netcdf4.h5
files=h5py.h5,h5netcdf.h5,xarray.h5,netcdf4.h5
if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
  python /usr/bin/python3 h5py write debian.h5
  files+=,debian.h5
  python /usr/bin/python3 h5py read "$files"
fi
for package in h5py h5netcdf xarray netCDF4; do python venv/bin/python "$package" read "$files"; done
# Two of these libraries in one process.
python venv/bin/python both write both.h5
