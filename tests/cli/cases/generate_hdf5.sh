# The HDF5 filter with the distribution's HDF5: round trips with h5repack, and h5py if installed.
command -v h5repack >/dev/null || skip "no h5repack (hdf5-tools)"
command -v h5import >/dev/null || skip "no h5import (hdf5-tools)"
export HDF5_PLUGIN_PATH=$PWD/codec/build/plugins
doubles 100000 in.f64

expect 0 fpsynth generate "LNV2s LNV2s LNV2x | ZE" --target hdf5 --filter-id 300 --name codec --out codec
expect 0 configure codec -DBUILD_SHARED_LIBS=ON
build codec
exists codec/build/plugins/libh5codec.so
! readelf -d codec/build/plugins/libh5codec.so | grep -i 'NEEDED.*hdf5' || not_ok "the plugin links a libhdf5"

# A data set that the filter makes smaller, one of random bytes that it would make larger, and one
# of other elements than the codec's.
head -c 80000 /dev/urandom >noise
printf 'PATH data\nINPUT-CLASS FP\nINPUT-SIZE 64\nINPUT-BYTE-ORDER LE\nRANK 1\nDIMENSION-SIZES 100000\nOUTPUT-CLASS FP\nOUTPUT-SIZE 64\nOUTPUT-ARCHITECTURE IEEE\nOUTPUT-BYTE-ORDER LE\n' >data.cfg
printf 'PATH noise\nINPUT-CLASS IN\nINPUT-SIZE 8\nINPUT-BYTE-ORDER LE\nRANK 1\nDIMENSION-SIZES 80000\nOUTPUT-CLASS IN\nOUTPUT-SIZE 8\nOUTPUT-BYTE-ORDER LE\n' >noise.cfg
expect 0 h5import in.f64 -c data.cfg noise -c noise.cfg -o in.h5

expect 0 h5repack -f UD=300,1,0 -l data:CHUNK=4099 -l noise:CHUNK=8000 in.h5 packed.h5
expect 0 h5dump -pH packed.h5
prints 'FILTER_ID 300'
prints 'codec: LNV2s LNV2s LNV2x \| ZE'
(($(size packed.h5) < $(size in.h5))) || not_ok "the filter did not make the file smaller"
expect 0 h5diff in.h5 packed.h5
expect 0 h5repack -f NONE packed.h5 plain.h5
expect 0 h5diff in.h5 plain.h5
# As a mandatory filter, it keeps chunks that grow.
expect 0 h5repack -f UD=300,0,0 -l data:CHUNK=4099 -l noise:CHUNK=8000 in.h5 all.h5
(($(size all.h5) > $(size packed.h5))) || not_ok "a mandatory filter left out chunks that grow"
expect 0 h5diff in.h5 all.h5

# Without the plugin the data cannot be read.
HDF5_PLUGIN_PATH="$PWD/none" h5dump -d data packed.h5 >.out 2>.err && not_ok "read without the filter"

# A damaged chunk is an error. FPSY occurs only in the chunks.
cp packed.h5 bad.h5
flip bad.h5 $(($(grep -obaF FPSY bad.h5 | tail -n 1 | cut -d: -f1) + 60))
h5dump -d data bad.h5 >/dev/null 2>&1 && not_ok "a damaged chunk was read"

# A chunk of another number of bytes than the data set's chunks have, which the filter's values tell,
# is an error; without such values, chunks are read as they are. "chnk" and the bytes of a chunk (32,792)
# are in the header of the data set.
expect 0 h5dump -d data packed.h5
at=$(grep -obaP 'chnk\x18\x80\x00\x00' packed.h5 | head -n 1 | cut -d: -f1)
[[ -n $at ]] || not_ok "the filter stored no size of the chunks"
cp packed.h5 other.h5
flip other.h5 $((${at:-0} + 4))
h5dump -d data other.h5 >/dev/null 2>&1 && not_ok "a chunk of another size was read"
flip other.h5 "${at:-0}"
expect 0 h5dump -d data other.h5
# Behind filters that change how many bytes a chunk has, the kind is another one.
for before in SHUF GZIP=1; do
  expect 0 h5repack -f "data:$before" -f data:UD=300,0,0 -l data:CHUNK=4099 in.h5 behind.h5
  expect 0 h5diff in.h5 behind.h5
  kind=chnk
  [[ $before == SHUF ]] || kind=rszd
  grep -qaP "$kind\\x18\\x80\\x00\\x00" behind.h5 || not_ok "the size of the chunks behind $before"
done

# The installed plugin finds the shared library of the codec from any prefix.
expect 0 cmake --install codec/build --prefix "$PWD/usr"
mv usr moved
export HDF5_PLUGIN_PATH=$PWD/moved/lib/hdf5/plugin
expect 0 env -u LD_LIBRARY_PATH h5diff in.h5 packed.h5

tested=0
for python in python3 /usr/bin/python3; do
  ((tested)) && continue
  "$python" -c 'import h5py' 2>/dev/null || continue
  head -c 16 in.f64 >short.f64
  expect 0 fpsynth compress "LNV2s LNV2s LNV2x | ZE" short.f64 short.fps
  head -c 200000 /dev/zero >long.f64
  expect 0 fpsynth compress "LNV2s LNV2s LNV2x | ZE" long.f64 long.fps
  cat >there_and_back.py <<'END'
import h5py, numpy
values = numpy.fromfile("in.f64", dtype="<f8")
with h5py.File("py.h5", "w") as file:
    file.create_dataset("data", data=values, chunks=(10000,), compression=300)
    file.create_dataset("single", data=values.astype("<f4"), chunks=True, compression=300)
with h5py.File("py.h5") as file:
    assert file["data"].id.get_storage_size() < values.nbytes
    assert file["data"][:].tobytes() == values.tobytes()
    assert file["single"][:].tobytes() == values.astype("<f4").tobytes()
with h5py.File("short.h5", "w") as file:
    short = file.create_dataset("short", shape=(4096,), dtype="<f8", chunks=(4096,), compression=300)
    short.id.write_direct_chunk((0,), open("short.fps", "rb").read())
with h5py.File("short.h5") as file:
    try:
        print("two values instead of 4,096:", file["short"][:])
    except OSError:
        print("same")
with h5py.File("long.h5", "w") as file:
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk((4096,))
    properties.set_deflate(1)
    properties.set_filter(300, h5py.h5z.FLAG_OPTIONAL)
    space = h5py.h5s.create_simple((4096,))
    long = h5py.Dataset(h5py.h5d.create(file.id, b"long", h5py.h5t.IEEE_F64LE, space, properties))
    long[:] = values[:4096]
    assert long[:].tobytes() == values[:4096].tobytes()
    long.id.write_direct_chunk((0,), open("long.fps", "rb").read())
with h5py.File("long.h5") as file:
    try:
        print("a chunk of 200,000 bytes behind deflate:", file["long"][:])
    except OSError as error:
        print("refused" if "not as many bytes" in str(error) else error)
END
  expect 0 "$python" there_and_back.py
  prints '^same$'
  prints '^refused$'
  tested=1
done
((tested)) || printf 'h5py is not here: not tested with it\n'
