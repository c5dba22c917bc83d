# The wheel of the HDF5 filter with the packages of PyPI, each of which brings an HDF5 of its own: h5py,
# h5netcdf, xarray and netCDF4 write and read, PyTables reads, and all read what the others and Debian's h5py
# wrote. The wheel is that of `./run wheel` if there is one, else that of this build's plugin.
"${fpsynth:?}" hdf5 path >.out 2>.err || skip 'this build has no HDF5 filter (FPSYNTH_INSTALL)'
plugin=$(cat .out)/libh5fpsynth.so
readelf -d "$plugin" | grep NEEDED | grep xxhash && not_ok 'the plugin takes xxHash from a library'
unset HDF5_PLUGIN_PATH
pip_install() {
  timeout 120 venv/bin/pip install -q --disable-pip-version-check --no-input --retries 1 --timeout 10 --only-binary :all: \
    --no-compile "$@" >log 2>&1
}
python3 -m venv venv >log 2>&1 || skip 'python3 makes no virtual environment (python3-venv)'
pip_install wheel h5py netCDF4 h5netcdf xarray tables || skip "no wheels from PyPI: $(grep -m 1 ERROR log)"
wheel=$(compgen -G "$root/dist/fpsynth_hdf5-*.whl" | head -n 1)
if [[ -n $wheel ]]; then
  python3 -m zipfile -e "$wheel" unpacked
  objdump -T unpacked/fpsynth_hdf5/libh5fpsynth.so | grep -oE 'GLIBC_[0-9.]+' | sort -V | tail -n 1 >newest
  grep -qE '^GLIBC_2\.([0-9]|1[0-7])(\.[0-9]+)?$' newest || not_ok "the wheel's plugin wants $(cat newest)"
  readelf -d unpacked/fpsynth_hdf5/libh5fpsynth.so | grep NEEDED | grep -vE 'lib(c|m|dl|pthread)\.so|ld-linux' &&
    not_ok "the wheel's plugin needs other libraries"
else
  # shellcheck disable=SC2016
  bash -c 'cd "$0" && source .ci/wheel.sh && pack_wheel "$@"' "$root" "$PWD/venv/bin/python" "$plugin" "$PWD" \
    >log 2>&1 || not_ok "no wheel: $(cat log)"
  wheel=$(compgen -G "$PWD/fpsynth_hdf5-*.whl")
fi
pip_install --no-deps "$wheel" || not_ok "the wheel cannot be installed: $(cat log)"
expect 0 "$fpsynth" hdf5 options "DICT LAGs:1 / BIT LNV1s | ZE"
read -ra values <<<"63824 $(sed -n 's/^values *//p' .out | tr , ' ')"
# python PROGRAM IMPORTS PACKAGE write|read FILES, in a process that imports these first.
python() {
  IMPORTS=$2 expect 0 "$1" "$root/tests/hdf5/filter_there_and_back.py" "${@:3}" "${values[@]}" && prints '^same$'
}

for package in h5py h5netcdf xarray; do python venv/bin/python fpsynth_hdf5 "$package" write "$package.h5"; done
cp h5netcdf.h5 netcdf4.h5
python venv/bin/python fpsynth_hdf5 netCDF4 write netcdf4.h5
files=h5py.h5,h5netcdf.h5,xarray.h5,netcdf4.h5
if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
  # That of Debian has HDF5 1.10, and takes the wheel's folder from its command.
  HDF5_PLUGIN_PATH=$(venv/bin/python -m fpsynth_hdf5)
  export HDF5_PLUGIN_PATH
  python /usr/bin/python3 '' h5py write debian.h5
  files+=,debian.h5
  python /usr/bin/python3 '' h5py read "$files"
  unset HDF5_PLUGIN_PATH
fi
for package in h5py h5netcdf xarray netCDF4 tables; do
  python venv/bin/python "${package/xarray/h5py} fpsynth_hdf5" "$package" read "$files"
done
python venv/bin/python fpsynth_hdf5 tables read h5py.h5
# Two of these libraries in one process, one loaded before and one after; folders of the user's stay.
export HDF5_PLUGIN_PATH=/nowhere
python venv/bin/python 'h5py fpsynth_hdf5 netCDF4' both write both.h5
expect 0 venv/bin/python -c 'import fpsynth_hdf5, os; print(os.environ["HDF5_PLUGIN_PATH"])'
prints '/fpsynth_hdf5:/nowhere$'
