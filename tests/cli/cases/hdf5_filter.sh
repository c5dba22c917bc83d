# The HDF5 filter for all methods with what the distribution has: h5repack, nccopy, h5py, a C++ program,
# and this program's own reader. hdf5_wheels.sh has the packages of PyPI.
expect 2 fpsynth hdf5
expect 2 fpsynth hdf5 options
says 'nothing to print: give a PIPELINE'
expect 2 fpsynth hdf5 options "ZE | BIT"
says 'the last stage must be'
expect 1 fpsynth hdf5 options "DEC:12 / ZE" --precision single
says 'parameter 12 of DEC; on 4-byte words'
method="DICT LAGs:1 / BIT LNV1s | ZE"
expect 0 fpsynth hdf5 options "$method"
prints '^values +21516358,33686272,17039362,67108870,196608,0,0,1,0$'
prints '^h5py +compression=63824, compression_opts=\(21516358, 33686272'
prints '^nccopy +-F "NAME,63824,21516358,33686272'
expect 0 fpsynth hdf5 options "$method" --precision double --chunk-words 2048
prints '^values +21516358,33686280,17039362,134217734,196608'
expect 0 fpsynth hdf5 options "LNV2s BIT | RLE"
values=$(sed -n 's/^values *//p' .out)
count=$(tr -cd , <<<",$values" | wc -c)

"$fpsynth" hdf5 path >.out 2>.err || {
  grep -q 'built without the HDF5 filter' .err || not_ok "no folder, and no reason"
  skip 'this build has no HDF5 filter (FPSYNTH_INSTALL)'
}
plugin=$(cat .out)/libh5fpsynth.so
export HDF5_PLUGIN_PATH=${plugin%/*}
[[ $(nm -D --defined-only "$plugin" | awk '{ print $3 }' | sort | xargs) == 'H5PLget_plugin_info H5PLget_plugin_type' ]] ||
  not_ok "the plugin exports other symbols: $(nm -D --defined-only "$plugin")"
! readelf -d "$plugin" | grep -E 'NEEDED.*(hdf5|gomp|stdc)' || not_ok "the plugin needs a library of the program that loads it"
strip -o stripped.so "$plugin"
(($(size stripped.so) < 4000000)) || not_ok "the plugin has $(size stripped.so) bytes"

# --- h5repack: type by type, odd chunks, chunks that would grow ------------------------------------
for tool in h5repack h5import; do
  command -v $tool >/dev/null || skip "no $tool (hdf5-tools)"
done
perl -e 'binmode STDOUT; print pack("d<*", map { int(sin($_ / 50) * 1e3) / 4 } 1 .. 100000)' >in.f64
head -c 80000 /dev/urandom >noise
printf 'PATH data\nINPUT-CLASS FP\nINPUT-SIZE 64\nINPUT-BYTE-ORDER LE\nRANK 3\nDIMENSION-SIZES 10 100 100\nOUTPUT-CLASS FP\nOUTPUT-SIZE 64\nOUTPUT-ARCHITECTURE IEEE\nOUTPUT-BYTE-ORDER BE\n' >data.cfg
printf 'PATH noise\nINPUT-CLASS IN\nINPUT-SIZE 16\nINPUT-BYTE-ORDER LE\nRANK 1\nDIMENSION-SIZES 40000\nOUTPUT-CLASS IN\nOUTPUT-SIZE 16\nOUTPUT-BYTE-ORDER LE\n' >noise.cfg
expect 0 h5import in.f64 -c data.cfg noise -c noise.cfg -o in.h5
expect 0 h5repack -f "UD=63824,1,$count,$values" -l data:CHUNK=3x33x64 -l noise:CHUNK=8000 in.h5 packed.h5
expect 0 h5dump -pH packed.h5
prints 'FILTER_ID 63824'
prints 'COMMENT fpsynth'
(($(size packed.h5) < $(size in.h5))) || not_ok "the filter did not make the file smaller"
expect 0 h5diff in.h5 packed.h5
# A mandatory filter keeps chunks that grow.
expect 0 h5repack -f "UD=63824,0,$count,$values" -l data:CHUNK=3x33x64 -l noise:CHUNK=8000 in.h5 all.h5
(($(size all.h5) > $(size packed.h5))) || not_ok "a mandatory filter left out chunks that grow"
expect 0 h5diff in.h5 all.h5
# Packed once more in other chunks, behind gzip, and unpacked.
expect 0 h5repack -l data:CHUNK=10x1x1 packed.h5 other.h5
expect 0 h5diff in.h5 other.h5
expect 0 h5repack -f data:GZIP=1 -f "data:UD=63824,1,$count,$values" -l data:CHUNK=5x50x50 in.h5 behind.h5
expect 0 h5diff in.h5 behind.h5
expect 0 h5repack -f NONE packed.h5 plain.h5
expect 0 h5diff in.h5 plain.h5
# Options that are wrong are an error that gives the reason, and not a copy.
h5repack --enable-error-stack -f UD=63824,1,2,21516358,9 -l data:CHUNK=3x33x64 in.h5 bad.h5 >.out 2>&1
grep -q "they end after 2 numbers; fpsynth hdf5 options METHOD prints right ones" .out ||
  not_ok "h5repack has no reason for wrong options"
# Damaged chunks are errors.
mapfile -t at < <(grep -obaF FPSY packed.h5 | cut -d: -f1)
for offset in 4 7 40 400; do
  cp packed.h5 bad.h5
  flip bad.h5 $((at[0] + offset))
  h5dump --enable-error-stack -d data bad.h5 >.out 2>&1 && not_ok "a damaged chunk was read"
  grep -q 'fpsynth: a stored chunk' .out || not_ok "HDF5 does not say why"
done
HDF5_PLUGIN_PATH="$PWD/none" h5dump -d data packed.h5 >.out 2>.err && not_ok "read without the filter"

# --- this program reads what its filter wrote, wherever the filter is ------------------------------
if ! "$fpsynth" --version | grep -q 'no libhdf5'; then
  expect 0 env -u HDF5_PLUGIN_PATH "$fpsynth" data decode packed.h5:/data decoded.f64
  same in.f64 decoded.f64
fi

# --- nccopy ------------------------------------------------------------------------------------------
if command -v nccopy >/dev/null && command -v ncgen >/dev/null; then
  cat >in.cdl <<'END'
netcdf in {
dimensions:
  time = UNLIMITED ; x = 7 ;
variables:
  float time(time) ; time:units = "days" ;
  float t(time, x) ; t:_FillValue = -1.f ;
  short s(time, x) ;
data:
  time = 1, 2, 3, 4, 5 ;
  t = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28 ;
  s = 5, 6, 7 ;
}
END
  expect 0 ncgen -4 in.cdl
  expect 0 nccopy -F "t,63824,$values" in.nc one.nc
  expect 0 ncdump -hs one.nc
  prints "t:_Filter = \"63824,$values,4,[0-9]+,0,[0-9]+\""
  expect 0 nccopy -F "*,63824,$values" in.nc every.nc
  for file in one every; do
    expect 0 ncdump -n in "$file.nc"
    mv .out "$file.cdl"
  done
  expect 0 ncdump in.nc
  same .out one.cdl
  same .out every.cdl
  ! nccopy -F "t,63824,1,2,3" in.nc wrong.nc 2>.err || not_ok "nccopy took wrong options"
else
  printf 'nccopy is not here (netcdf-bin): not tested with it\n'
fi

# --- a C++ program -----------------------------------------------------------------------------------
cat >user.cpp <<'END'
#include <hdf5.h>

#include <cstdlib>
#include <cstring>
#include <vector>

int main(int count, char** arguments) {
  std::vector<unsigned> values;
  for (int i = 1; i < count; ++i) values.push_back(unsigned(std::strtoul(arguments[i], nullptr, 10)));
  std::vector<float> in(1000), out(1000);
  for (int i = 0; i < 1000; ++i) in[i] = float(i % 40) / 4;
  const hsize_t extent[] = {1000}, chunk[] = {300};
  const hid_t file = H5Fcreate("user.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, extent, nullptr), properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, 1, chunk);
  if (H5Pset_filter(properties, 63824, H5Z_FLAG_MANDATORY, values.size(), values.data()) < 0) return 2;
  const hid_t data = H5Dcreate2(file, "x", H5T_IEEE_F32BE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  if (data < 0) return 3;
  H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, in.data());
  H5Dclose(data);
  H5Fclose(file);
  const hid_t again = H5Fopen("user.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t read = H5Dopen2(again, "x", H5P_DEFAULT);
  if (H5Dread(read, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()) < 0) return 4;
  return H5Dget_storage_size(read) < 4000 && std::memcmp(in.data(), out.data(), 4000) == 0 ? 0 : 5;
}
END
# shellcheck disable=SC2046,SC2086 # words
if g++ user.cpp -o user $(pkg-config --cflags --libs hdf5-serial 2>/dev/null || echo -lhdf5) 2>log; then
  expect 0 ./user ${values//,/ }
  expect 3 ./user 1 2 3
  says 'fpsynth: the filter.s options: the first number is 1'
else
  printf 'no HDF5 to build with (libhdf5-dev): not tested with a C++ program\n'
fi

# --- Debian's h5py -----------------------------------------------------------------------------------
if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
  # shellcheck disable=SC2086 # words
  expect 0 /usr/bin/python3 "$root/tests/hdf5/filter_there_and_back.py" h5py write py.h5 63824 ${values//,/ }
  prints '^same$'
else
  printf 'h5py is not here (python3-h5py): not tested with it\n'
fi
