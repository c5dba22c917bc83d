# compress takes .npy files, variables and raw words of a shape; decompress gives back the .npy file to
# the byte, or the form that is asked for.
doubles 3000 wave.f64
floats 3000 wave.f32
pipeline="LNV1s BIT | ZE"

# Raw words: without a description, the bytes are those of earlier versions; with one, they come back too.
expect 0 fpsynth compress "$pipeline" wave.f32 plain.fps
expect 0 fpsynth inspect plain.fps --json
prints '"version": 2'
grep -q '"values"' .out && not_ok 'a file without a description has one'
expect 1 fpsynth decompress plain.fps plain.npy --as npy
says 'plain\.fps: it does not say the type and the shape of its values'
expect 0 fpsynth decompress plain.fps plain.f32 --as raw
same plain.f32 wave.f32
expect 0 fpsynth compress "$pipeline" wave.f32 shaped.fps --shape 30x2x50
(($(size shaped.fps) == $(size plain.fps) + 48)) || not_ok 'the description has another size'
expect 0 fpsynth decompress shaped.fps shaped.f32
same shaped.f32 wave.f32
expect 0 fpsynth inspect shaped.fps --verify
prints '^format version +4$'
prints '^values +float32, 30x2x50, of raw words$'
prints '^overhead +8[0-9] bytes: description 48, header'
expect 0 fpsynth inspect shaped.fps --json
prints '"type": "float32"'
prints '"description_bytes": 48'
expect 2 fpsynth compress ZE wave.f32 none --shape 30x101
says '--shape 30x101 makes 3030 values of 4 bytes, and wave\.f32 has 3000 values$'
for shape in 30x 30,100 x '' -1 99999999999999999999x2 4294967296x4294967296; do
  [[ -z $shape ]] && continue
  expect 2 fpsynth compress ZE wave.f32 none "--shape=$shape"
  says "--shape"
done
absent none

# Big-endian words behind a header compress as the same words do otherwise.
perl -e 'local $/; open(my $in, "<:raw", "wave.f32") or die; print "head: 3000 values\n", pack("N*", unpack("V*", <$in>))' >big.bin
expect 0 fpsynth compress "$pipeline" big.bin big.fps --type f32 --endian big --offset 18
expect 0 fpsynth inspect big.fps
prints '^values +float32, 3000, big-endian, of raw words with 18 bytes before them$'
(($(size big.fps) == $(size plain.fps) + 16 + 8 + 18 + 8)) || not_ok 'big-endian words have another ratio'
expect 0 fpsynth decompress big.fps big.back
same big.back big.bin
expect 0 fpsynth decompress big.fps big.words --as raw
tail -c +19 big.bin >big.expected
same big.words big.expected
expect 1 fpsynth compress ZE big.bin none --type f32 --offset 12018
says '--offset 12018: the file has only 12018 bytes'
printf 'tail' | cat big.bin - | head -c 12021 >tail.bin
expect 0 fpsynth compress ZE tail.bin tail.fps --type f32 --endian big --offset 18
says 'note: 3 trailing bytes'
expect 0 fpsynth decompress tail.fps tail.back
same tail.back tail.bin
expect 1 fpsynth decompress tail.fps none --as npy
says 'tail\.fps: 3 bytes follow its last value'
absent none

# A .npy file by hand, with a header that numpy would not write, from a file and from a pipe.
perl -e 'local $/; open(my $in, "<:raw", "wave.f64") or die; my $h = "{ \x27shape\x27:(3,1000L),\x27descr\x27: \x22<f8\x22 ,\x27fortran_order\x27: True}  ";
  print "\x93NUMPY\2\7", pack("V", length $h), $h, <$in>' >odd.npy
expect 0 fpsynth compress auto odd.npy odd.npy.fps --effort quick --no-preludes --candidates 1 --chunks 1
expect 0 fpsynth decompress odd.npy.fps odd.back
same odd.back odd.npy
"$fpsynth" compress "$pipeline" - - <odd.npy | "$fpsynth" decompress - piped.npy || not_ok 'a .npy file through pipes'
same piped.npy odd.npy
expect 0 fpsynth decompress odd.npy.fps odd.f64 --as raw
same odd.f64 wave.f64
expect 0 fpsynth decompress odd.npy.fps odd.again --as npy
same odd.again odd.npy
expect 1 fpsynth compress ZE odd.npy none --endian big
says 'odd\.npy is a NumPy array.*leave out --endian'
expect 1 fpsynth compress ZE odd.npy none --type f32
says 'odd\.npy holds float64 values; leave out --type'
expect 2 fpsynth compress ZE odd.npy none --shape 3000
says 'odd\.npy is a NumPy array.*leave it out'
expect 1 fpsynth compress ZE odd.npy:x none
says 'odd\.npy:x: it holds one array, which has no name'
expect 1 fpsynth compress ZE wave.f64:x none
says 'wave\.f64:x: wave\.f64 is no \.npy, HDF5'
head -c 20000 odd.npy >cut.npy
expect 1 fpsynth compress ZE cut.npy none
says '^fpsynth: cannot read cut\.npy: it is cut off'
sed 's/<f8/<c8/' odd.npy >short.npy
expect 1 fpsynth compress ZE short.npy none
says 'cannot read short\.npy: its values are complex64'
absent none
# Damage of the description and behind it.
for at in 5 9 12 20 40 80 -9; do
  cp odd.npy.fps bad.fps
  flip bad.fps "$at"
  expect 1 fpsynth decompress bad.fps none
  says '^fpsynth: bad\.fps: '
  expect 1 fpsynth inspect bad.fps --verify
done
absent none
# Zarr, whose arrays are directories.
mkdir z.zarr
printf '{"zarr_format": 2, "shape": [3, 1000], "chunks": [3, 1000], "dtype": "<f8", "compressor": null, "fill_value": 0,
 "order": "C", "filters": null}' >z.zarr/.zarray
cp wave.f64 z.zarr/0.0
expect 0 fpsynth compress "$pipeline" z.zarr z.fps
expect 0 fpsynth inspect z.fps
prints '^values +float64, 3x1000, of a variable'
expect 0 fpsynth decompress z.fps z.f64 --as raw
same z.f64 wave.f64

python=/usr/bin/python3
$python -c 'import numpy' 2>/dev/null || skip 'no numpy (python3-numpy)'
# Every variant of NumPy's own.
mkdir variants
$python - <<'END'
import numpy
from numpy.lib import format
count = 0
def save(array, version):
    global count
    count += 1
    with open(f"variants/{count}.npy", "wb") as file:
        format.write_array(file, array, version=version)
values = 1 + numpy.sin(numpy.arange(2 * 3 * 4 * 50) / 50)
integers = [order + kind for order in "<>" for kind in ("i4", "i8", "u4", "u8")]
narrow = ["<f2", ">f2", "<i2", ">i2", ">u2", "|i1", "|u1", "<V2"]
for version in (1, 0), (2, 0), (3, 0):
    for kind in ["<f8", ">f8", "<f4", ">f4"] + (integers + narrow) * (version == (1, 0)):
        for shape in (1200,), (24, 50), (2, 3, 4, 50), (1200, 1, 1):
            for order in "C", "F":
                scaled = values.reshape(shape) * (1e9 if kind in integers else 50 if kind in narrow else 1)
                save(numpy.asarray(scaled, dtype=kind.replace("V2", "i2"), order=order).view(kind), version)
        for array in numpy.array(1.5), numpy.zeros((0,)), numpy.zeros((3, 0, 2), order="F"), numpy.ones((1,) * 32):
            save(array.astype(kind.replace("V2", "i2")).view(kind), version)
open("count", "w").write(str(count))
END
tried=0
for file in variants/*.npy; do
  "$fpsynth" compress "$pipeline" "$file" v.fps --force 2>.err && "$fpsynth" decompress v.fps v.npy --force 2>.err &&
    cmp -s "$file" v.npy && tried=$((tried + 1))
done
[[ $tried == 336 && $tried == "$(cat count)" ]] || not_ok "$tried of $(cat count) variants of .npy came back: $(cat .err)"
# --as npy is what numpy loads.
expect 0 fpsynth decompress shaped.fps shaped.npy --as npy
expect 0 fpsynth decompress big.fps big.npy --as npy
expect 0 $python -c 'import numpy
a, b, c = numpy.load("shaped.npy"), numpy.load("big.npy"), numpy.fromfile("wave.f32", "<f4")
assert a.shape == (30, 2, 50) and a.dtype == "<f4" and b.dtype == ">f4" and b.shape == (3000,)
assert (a.ravel() == c).all() and (b == c).all()'
expect 0 fpsynth compress ZE shaped.npy again.fps
expect 0 fpsynth decompress again.fps again.npy
same again.npy shaped.npy

[[ $("$fpsynth" --version) == *'no libhdf5'* ]] && skip 'no libhdf5 in this build'
$python -c 'import h5py' 2>/dev/null || skip 'no h5py (python3-h5py)'
$python - <<'END'
import h5py, numpy
doubles = numpy.fromfile("wave.f64")
with h5py.File("run.h5", "w") as file:
    file["step/wave"] = doubles.reshape(3, 10, 100).astype(">f8")
    file["count"] = numpy.arange(4, dtype="i2")
END
expect 0 fpsynth compress "$pipeline" run.h5:step/wave run.fps
expect 0 fpsynth inspect run.fps
prints '^values +float64, 3x10x100, big-endian, of a variable /step/wave$'
expect 0 fpsynth decompress run.fps run.npy
expect 0 fpsynth decompress run.fps run.f64 --as raw
expect 0 $python -c 'import numpy, h5py
stored = h5py.File("run.h5")["step/wave"]
a = numpy.load("run.npy")
assert a.dtype == stored.dtype and a.shape == stored.shape and (a == stored[:]).all()
assert (numpy.fromfile("run.f64", ">f8") == a.ravel()).all()'
expect 0 fpsynth compress ZE run.h5 only.fps
expect 0 fpsynth compress ZE run.h5:count count.fps
expect 0 fpsynth decompress count.fps count.npy
expect 0 $python -c 'import numpy
a = numpy.load("count.npy")
assert a.dtype == "<i2" and (a == numpy.arange(4)).all()'
"$fpsynth" compress ZE - none <run.h5 2>.err && not_ok 'HDF5 from a pipe was read'
says 'standard input is an HDF5 file.*name a file'
expect 2 fpsynth compress ZE run.h5:step/wave none --shape 3000
says '--shape is of raw words'
absent none
